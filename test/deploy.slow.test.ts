// The files by which others run the service say nothing that it does not know: settings, ports, addresses, programs.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { describeSettings, readConfig } from '../src/config.js';
import { version } from '../src/server/version.js';
import { createMeasurementsServer } from '../src/telemetry/metrics-server.js';
import { useApp } from './harness.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const running = useApp();
const settings = describeSettings().map(({ name }) => name);
const image = `workload-control-plane:${version}`;
const kubernetesFolder = 'docs/deploy/kubernetes';

/** The instructions of the Dockerfile. */
const dockerfile = read('Dockerfile')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .map((line) => splitOnce(line.replaceAll(/ +/g, ' '), ' '));

/** The duration of the shutdown after the grace period (seconds). */
const closeSeconds = 3;

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** How long a process may take to stop with these settings, in seconds. */
function stopSeconds(environment: Record<string, string>): number {
  const { SHUTDOWN_DELAY_MS, SHUTDOWN_GRACE_MS } = readConfig(environment);
  return (SHUTDOWN_DELAY_MS + SHUTDOWN_GRACE_MS) / 1_000 + closeSeconds;
}

async function statusOf(path: string): Promise<number> {
  return (await fetch(`${running.app.origin}${path}`)).status;
}

describe('docs/deploy/kubernetes', () => {
  const manifests = readdirSync(join(root, kubernetesFolder)).filter((file) => file !== 'kustomization.yaml');
  const kustomization = z
    .object({ resources: z.array(z.string()), images: z.tuple([z.object({ name: z.string(), newTag: z.string() })]) })
    .parse(parse(read(`${kubernetesFolder}/kustomization.yaml`)));
  const environment = z.record(z.string(), z.string());
  const reference = z.object({ name: z.string() });
  const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) });
  const podShape = z.object({
    terminationGracePeriodSeconds: z.number().optional(),
    securityContext: z.object({ runAsNonRoot: z.literal(true), runAsUser: z.number().min(1) }),
    containers: z.tuple([
      z.object({
        image: z.string(),
        command: z.array(z.string()).optional(),
        envFrom: z.array(z.object({ configMapRef: reference.optional(), secretRef: reference.optional() })),
        ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
        startupProbe: probe.optional(),
        livenessProbe: probe.optional(),
        readinessProbe: probe.optional(),
        securityContext: z.object({
          allowPrivilegeEscalation: z.literal(false),
          readOnlyRootFilesystem: z.literal(true),
          capabilities: z.object({ drop: z.tuple([z.literal('ALL')]) }),
        }),
      }),
    ]),
  });
  const labels = z.record(z.string(), z.string());
  const template = z.object({
    metadata: z.object({ labels, annotations: labels.default({}) }),
    spec: podShape,
  });
  const named = <Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) =>
    z.object({ kind: z.literal(kind), metadata: z.object({ name: z.string() }), ...shape });
  const ingressPaths = z.object({
    paths: z.tuple([
      z.object({
        backend: z.object({ service: z.object({ name: z.string(), port: z.object({ name: z.string() }) }) }),
      }),
    ]),
  });
  const document = z.discriminatedUnion('kind', [
    named('ConfigMap', { data: environment }),
    named('Secret', { stringData: environment }),
    named('Job', { spec: z.object({ template }) }),
    named('Deployment', { spec: z.object({ selector: z.object({ matchLabels: labels }), template }) }),
    named('Service', {
      spec: z.object({ selector: labels, ports: z.array(z.object({ name: z.string(), targetPort: z.string() })) }),
    }),
    named('PodDisruptionBudget', { spec: z.object({ selector: z.object({ matchLabels: labels }) }) }),
    named('Namespace', {}),
    named('Ingress', { spec: z.object({ rules: z.tuple([z.object({ host: z.string(), http: ingressPaths })]) }) }),
    named('ServiceMonitor', {
      spec: z.object({
        selector: z.object({ matchLabels: labels }),
        endpoints: z.tuple([z.object({ port: z.string(), path: z.string() })]),
      }),
    }),
  ]);
  const documents = kustomization.resources
    .flatMap((file) => parseAllDocuments(read(`${kubernetesFolder}/${file}`)))
    .map((each) => document.parse(each.toJS()));
  const pods = documents.flatMap((each) =>
    each.kind === 'Job' || each.kind === 'Deployment' ? [{ kind: each.kind, ...each.spec.template }] : [],
  );

  /** The environment of a container. */
  function environmentOf({ spec }: (typeof pods)[number]): Record<string, string> {
    const from = spec.containers[0].envFrom.map((each) => {
      const source = documents.find(
        ({ kind, metadata }) =>
          (kind === 'ConfigMap' && metadata.name === each.configMapRef?.name) ||
          (kind === 'Secret' && metadata.name === each.secretRef?.name),
      );
      if (source?.kind === 'ConfigMap') return source.data;
      if (source?.kind === 'Secret') return source.stringData;
      throw new Error(`there is no ${JSON.stringify(each)}`);
    });
    return Object.assign({}, ...from, { SERVICE_SECRETS: 'a secret of the tests that is long enough' });
  }

  it.each(pods)('uses valid $kind settings that the program accepts', (pod) => {
    const given = environmentOf(pod);
    expect(Object.keys(given).filter((name) => !settings.includes(name))).toEqual([]);
    expect(readConfig(given)).toMatchObject({ HOST: '0.0.0.0', PORT: 4000 });
    const [container] = pod.spec.containers;
    expect(container.image).toBe(image);
    for (const { name, containerPort } of container.ports) {
      expect(given[name === 'http' ? 'PORT' : 'METRICS_PORT']).toBe(String(containerPort));
    }
  });

  it('applies all its files, with the image of this version', () => {
    expect(kustomization.resources.toSorted()).toEqual(manifests.toSorted());
    expect(kustomization.images[0]).toMatchObject({ name: 'workload-control-plane', newTag: version });
  });

  it('fits the schemas of Kubernetes and of the Prometheus operator', { timeout: 240_000 }, () => {
    const folder = join(root, 'test/kubernetes');
    const files = manifests.map((file) => join(root, kubernetesFolder, file));
    const installed = spawnSync('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'], { encoding: 'utf8' });
    expect([installed.status, installed.stderr]).toEqual([0, expect.anything()]);
    const { status, stdout } = spawnSync(process.execPath, [join(folder, 'validate.js'), ...files], {
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([0, '']);
  });

  const canBuild = spawnSync('kubectl', ['version', '--client']).status === 0;
  it.skipIf(!canBuild)('is a kustomization that kubectl builds', () => {
    const { status, stdout } = spawnSync('kubectl', ['kustomize', join(root, kubernetesFolder)], { encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stdout.match(/^kind: /gm)).toHaveLength(documents.length);
  });

  it('lets the ingress and Prometheus reach ports of the Service', () => {
    const ports = documents.flatMap((each) => (each.kind === 'Service' ? each.spec.ports.map(({ name }) => name) : []));
    const asked = documents.flatMap((each) => {
      if (each.kind === 'ServiceMonitor') return each.spec.endpoints.map(({ port }) => port);
      if (each.kind === 'Ingress') return each.spec.rules[0].http.paths.map(({ backend }) => backend.service.port.name);
      return [];
    });
    expect(asked.toSorted()).toEqual(['http', 'metrics']);
    expect(ports).toEqual(expect.arrayContaining(asked));
    const host = documents.flatMap((each) => (each.kind === 'Ingress' ? [each.spec.rules[0].host] : []));
    const publicUrl = documents.flatMap((each) => (each.kind === 'ConfigMap' ? [each.data['PUBLIC_URL']] : []));
    expect(publicUrl).toEqual([`https://${host[0]}`]);
  });

  it('has placeholders for secrets, which the program rejects', () => {
    const placeholder = /^ {2}SERVICE_SECRETS: (.*)$/m.exec(read(`${kubernetesFolder}/secrets.yaml`))?.[1];
    expect(() => readConfig({ SERVICE_SECRETS: placeholder })).toThrow('SERVICE_SECRETS: must be random secrets');
  });

  it('probes existing addresses', async () => {
    const [container] = pods.find(({ kind }) => kind === 'Deployment')?.spec.containers ?? [];
    const probes = [container?.startupProbe, container?.livenessProbe, container?.readinessProbe];
    for (const { httpGet } of probes.flatMap((each) => each ?? [])) {
      expect(await statusOf(httpGet.path)).toBe(200);
      expect(httpGet.port).toBe('http');
    }
    expect(probes.filter((each) => each === undefined)).toEqual([]);
  });

  it('scrapes metrics from their address', async () => {
    const deployment = pods.find(({ kind }) => kind === 'Deployment');
    const annotations: Record<string, string> = deployment?.metadata.annotations ?? {};
    const port = deployment?.spec.containers[0].ports.find(({ name }) => name === 'metrics')?.containerPort;
    expect(annotations['prometheus.io/port']).toBe(String(port));
    const server = createMeasurementsServer(running.app.services.metrics.registry).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    expect((await fetch(`${origin}${annotations['prometheus.io/path']}`)).status).toBe(200);
    server.closeAllConnections();
    server.close();
  });

  it('waits for the shutdown of a process for as long as it can take', () => {
    const deployment = pods.find(({ kind }) => kind === 'Deployment');
    if (deployment === undefined) throw new Error('there is no Deployment');
    expect(deployment.spec.terminationGracePeriodSeconds).toBeGreaterThan(stopSeconds(environmentOf(deployment)));
  });

  it('sends requests to the pods of the Deployment, and limits their eviction', () => {
    const [job, deployment] = pods;
    const services = documents.filter((each) => each.kind === 'Service');
    const selectors = documents.flatMap((each) =>
      each.kind === 'PodDisruptionBudget' || each.kind === 'Deployment' ? [each.spec.selector.matchLabels] : [],
    );
    expect(selectors).toEqual([deployment?.metadata.labels, deployment?.metadata.labels]);
    expect(services.map(({ spec }) => spec.selector)).toEqual([deployment?.metadata.labels]);
    expect(job?.metadata.labels).not.toEqual(deployment?.metadata.labels);
    const names = deployment?.spec.containers[0].ports.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(services.flatMap(({ spec }) => spec.ports.map((port) => port.targetPort))),
    );
  });

  it('migrates with an existing command', () => {
    expect(pods.find(({ kind }) => kind === 'Job')?.spec.containers[0].command).toEqual(['control-plane', 'migrate']);
  });
});

describe('docs/deploy/compose.yaml', () => {
  const shape = z.object({
    services: z.object({
      gateway: z.object({
        image: z.literal(image),
        build: z.string(),
        environment: z.record(z.string(), z.string()),
        ports: z.array(z.string()),
        stop_grace_period: z.string().regex(/^\d+s$/),
        user: z.string().regex(/^[1-9]\d*:[1-9]\d*$/),
        read_only: z.literal(true),
        cap_drop: z.tuple([z.literal('ALL')]),
      }),
    }),
  });
  const { gateway } = shape.parse(parse(read('docs/deploy/compose.yaml'))).services;
  const given = Object.fromEntries(
    Object.entries(gateway.environment).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{[^}]*\}/g, 'a-secret-that-is-long-enough-for-this'),
    ]),
  );

  it('uses valid settings that the program accepts', () => {
    expect(Object.keys(given).filter((name) => !settings.includes(name))).toEqual([]);
    expect(readConfig(given)).toMatchObject({ PORT: 4000, PUBLIC_URL: 'http://localhost:4000' });
    expect(gateway.ports).toEqual(['127.0.0.1:4000:4000', `127.0.0.1:9464:${given['METRICS_PORT']}`]);
  });

  it('builds from the folder of the Dockerfile, and waits for the shutdown', () => {
    expect(existsSync(join(root, 'docs/deploy', gateway.build, 'Dockerfile'))).toBe(true);
    expect(parseInt(gateway.stop_grace_period, 10)).toBeGreaterThan(stopSeconds(given));
  });
});

describe('docs/deploy/workload-control-plane.service', () => {
  const unit = read('docs/deploy/workload-control-plane.service');
  const valuesOf = (key: string) =>
    [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

  it('uses valid settings, starts an existing program, and waits for its shutdown', () => {
    const given = valuesOf('Environment').map((each) => each.split('=')[0] ?? '');
    expect(given).toContain('DATA_DIR');
    expect(given.filter((name) => name !== 'NODE_ENV' && !settings.includes(name))).toEqual([]);
    expect(valuesOf('ExecStart')).toEqual(['/opt/workload-control-plane/bin/control-plane serve']);
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(stopSeconds({}));
  });

  const canVerify = spawnSync('systemd-analyze', ['--version']).status === 0;
  it.skipIf(!canVerify)('is accepted by systemd', () => {
    const folder = mkdtempSync(join(tmpdir(), 'unit-'));
    const file = join(folder, 'workload-control-plane.service');
    // systemd also checks that the program exists, which it does only where the package is installed.
    writeFileSync(file, unit.replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect([status, stderr.split('\n').filter((line) => line.includes('workload-control-plane'))]).toEqual([0, []]);
  });
});

describe('Dockerfile', () => {
  const wordsOf = (instruction: string) =>
    dockerfile.filter(([name]) => name === instruction).map(([, words]) => words);

  it('uses valid settings, exposes the port of the service, and runs as an unprivileged user', () => {
    const given = Object.fromEntries(
      wordsOf('ENV').flatMap((line) => line.split(' ').map((each): [string, string] => splitOnce(each))),
    );
    const others = ['NODE_ENV', 'HOME'];
    expect(Object.keys(given).filter((name) => !others.includes(name) && !settings.includes(name))).toEqual([]);
    expect(wordsOf('EXPOSE')).toEqual([given['PORT']]);
    expect(wordsOf('VOLUME')).toEqual([given['DATA_DIR']]);
    expect(wordsOf('USER')).toEqual(['1000:1000']);
  });

  it('installs the package of this version, and names it in its labels', () => {
    const file = `workload-control-plane-${version}.tgz`;
    expect(wordsOf('COPY')).toEqual([`${file} /tmp/`]);
    expect(wordsOf('RUN')[0]).toContain(`/tmp/${file}`);
    expect(wordsOf('LABEL')[0]).toContain(`org.opencontainers.image.version="${version}"`);
  });
});

function splitOnce(text: string, at = '='): [string, string] {
  const [name = '', ...rest] = text.split(at);
  return [name, rest.join(at)];
}
