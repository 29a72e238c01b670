# The compiled service with its production dependencies. It runs as user 1000 and writes only to /data, the folder of the embedded
# database. With DATABASE_URL it writes nothing. The root file system can be read-only.
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci && npm run build && npm ci --omit=dev

FROM node:22-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATA_DIR=/data
WORKDIR /app
COPY --from=build /src/package.json /src/LICENSE ./
COPY --from=build /src/node_modules node_modules
COPY --from=build /src/dist dist
COPY --from=build /src/prisma/migrations prisma/migrations
RUN mkdir /data && chown 1000:1000 /data
USER 1000:1000
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node must be the first process, so that it receives SIGTERM.
CMD ["node", "dist/main.js"]
