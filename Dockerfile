# The package of this version on Node.js: `npm ci && npm run package` writes the package, then `docker build .` installs it.
# It runs as any user. It writes only to /data, the folder of the embedded database; with DATABASE_URL it writes nothing,
# and the root file system can be read-only.
FROM node:22-bookworm-slim
LABEL org.opencontainers.image.title="Workload Control Plane" \
  org.opencontainers.image.description="The open, self-hostable control plane API for agent and sandbox platforms" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATA_DIR=/data HOME=/tmp
COPY workload-control-plane-0.1.0.tgz /tmp/
RUN npm install --global --no-audit --no-fund --cache /tmp/npm /tmp/workload-control-plane-0.1.0.tgz \
  && rm -rf /tmp/* && mkdir /data && chmod 1777 /data
USER 1000:1000
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# The program must be the first process, so that it receives SIGTERM.
CMD ["control-plane", "serve"]
