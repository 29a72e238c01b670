// The traces that a collector receives: a test collector for OTLP over HTTP.
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createGateway } from '../../src/server/server.js';
import { createServices } from '../../src/server/create-services.js';
import { backgroundTasks } from '../../src/server/background-tasks.js';
import { openTraces } from '../../src/telemetry/open-traces.js';
import { summedUp } from '../../src/telemetry/repeated-failures.js';
import { createKey, createTenant, frozenNow, graphql, rest, useApp } from '../harness.js';
import type { TestApp } from '../harness.js';
import { usageEvent } from '../metering/usage-samples.js';

const running = useApp();
let key: string;

beforeAll(async () => {
  const { app } = running;
  ({ key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main'] })));
});

const values = z
  .array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) }))
  .transform((list) => Object.fromEntries(list.map(({ key: name, value }) => [name, Object.values(value)[0]])));
const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.coerce.bigint(),
  endTimeUnixNano: z.coerce.bigint(),
  attributes: values,
  status: z.object({ code: z.number() }),
});
const sent = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: values }),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
});

type Span = z.output<typeof span>;

/** Kinds as OTLP numbers them. */
const kinds = { internal: 1, server: 2, client: 3 };

async function listening(listener: RequestListener) {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Collected {
  spans: Span[];
  resources: Record<string, unknown>[];
  texts: string[];
  paths: (string | undefined)[];
}

/** The traces of an action with the same app. */
async function traced(act: (app: TestApp) => Promise<unknown>, ratio = 1): Promise<Collected> {
  const bodies: string[] = [];
  const paths: (string | undefined)[] = [];
  const collector = await listening(async (request, response) => {
    paths.push(request.url);
    bodies.push(await text(request));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  try {
    await withTraces(collector.origin, ratio, pino({ level: 'silent' }), act);
  } finally {
    collector.close();
  }
  const parts = bodies.flatMap((body) => sent.parse(JSON.parse(body)).resourceSpans);
  return {
    spans: parts.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    resources: parts.map(({ resource }) => resource.attributes),
    texts: bodies,
    paths,
  };
}

/** Runs the app again on the same database, with a collector; remaining spans are sent at the end. */
async function withTraces(
  endpoint: string,
  ratio: number,
  log: pino.Logger,
  act: (app: TestApp) => Promise<unknown>,
): Promise<void> {
  const { app } = running;
  const settings = { endpoint, ratio, serviceName: 'control-plane', version: '1.2.3', sendMsMax: 100 };
  const traces = await openTraces(settings, log);
  const services = createServices(app.config, app.database, () => frozenNow, app.services.log, traces);
  const gateway = createGateway(services);
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  const address = gateway.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    await act({ ...app, gateway, services, origin: `http://127.0.0.1:${port}` });
    // A span ends when the connection has let go of the answer, just after the client has it.
    await gateway.drain(0, 1_000);
    await services.changeHub.close();
  } finally {
    gateway.server.closeAllConnections();
    await traces?.close();
  }
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';
const traceparent = `00-${traceId}-${parentId}-01`;

function one(spans: Span[], kind: number): Span {
  const [found, ...more] = spans.filter((each) => each.kind === kind);
  if (found === undefined || more.length > 0) throw new Error(`${more.length + 1} spans of kind ${kind}`);
  return found;
}

function named(spans: Span[], name: string): Span {
  const [found, ...more] = spans.filter((each) => each.name === name);
  if (found === undefined || more.length > 0) throw new Error(`${more.length + 1} spans named ${name}`);
  return found;
}

describe('Traces', () => {
  it('continue the trace of the request, with the operation and its statements as children', async () => {
    let answered: Headers | undefined;
    const query = 'query mine { viewer { workspaces { name agents { totalCount } } } }';
    const { spans, resources, paths } = await traced(async (app) => {
      const headers = { traceparent, 'x-request-id': 'from-the-balancer-1' };
      answered = (await graphql(app, key, query, {}, headers)).headers;
    });
    const server = one(spans, kinds.server);
    const operation = one(
      spans.filter(({ attributes }) => attributes['graphql.operation.type'] !== undefined),
      kinds.internal,
    );
    const statements = spans.filter(({ kind }) => kind === kinds.client);
    expect(new Set(spans.map((each) => each.traceId))).toEqual(new Set([traceId]));
    expect(server).toMatchObject({ name: 'POST /graphql', parentSpanId: parentId });
    expect(server.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/graphql',
      'http.response.status_code': 200,
      'url.path': '/graphql',
      'wcp.api': 'graphql',
      'wcp.operation': 'query',
      'wcp.request_id': 'from-the-balancer-1',
      'wcp.account': 'northwind',
    });
    expect(operation).toMatchObject({ name: 'query', parentSpanId: server.spanId });
    expect(operation.attributes).toMatchObject({ 'graphql.operation.type': 'query', 'graphql.operation.name': 'mine' });
    expect(operation.attributes['wcp.graphql.cost']).toBeGreaterThan(0);
    expect(statements.length).toBeGreaterThan(1);
    const list = named(spans, 'Workspace.agents');
    for (const { parentSpanId } of statements)
      expect([server.spanId, operation.spanId, list.spanId]).toContain(parentSpanId);
    expect(statements.some(({ parentSpanId }) => parentSpanId === list.spanId)).toBe(true);
    for (const { name, attributes } of statements) {
      expect(attributes).toMatchObject({ 'db.system.name': 'postgresql', 'db.operation.name': name });
      expect(attributes['db.query.text']).toMatch(/\bFROM\b/);
    }
    for (const each of spans) {
      expect(each.startTimeUnixNano).toBeGreaterThanOrEqual(server.startTimeUnixNano);
      expect(each.endTimeUnixNano).toBeGreaterThanOrEqual(each.startTimeUnixNano);
    }
    expect(answered?.get('traceparent')).toBe(`00-${traceId}-${server.spanId}-01`);
    expect(resources[0]).toMatchObject({ 'service.name': 'control-plane', 'service.version': '1.2.3' });
    expect(paths).toEqual(['/v1/traces']);
  });

  it('contain the lists of an operation, each with the statements that it was the first to request', async () => {
    const query =
      '{ viewer { workspaces { mine: sandboxes { totalCount nodes { previews { totalCount } } } agents { nodes { status } } } } }';
    const { spans } = await traced(async (app) => {
      const { body } = await graphql(app, key, query);
      expect(body.errors).toBeUndefined();
    });
    const operation = named(spans, 'query');
    const lists = [named(spans, 'Workspace.sandboxes'), named(spans, 'Workspace.agents')];
    for (const list of lists) {
      expect(list).toMatchObject({ kind: kinds.internal, parentSpanId: operation.spanId, status: { code: 0 } });
      expect(list.attributes).toEqual({ 'graphql.field.name': list.name });
      const statements = spans.filter(({ parentSpanId }) => parentSpanId === list.spanId);
      expect(statements.map(({ kind }) => kind)).toContain(kinds.client);
      for (const { startTimeUnixNano } of statements) {
        expect(startTimeUnixNano).toBeGreaterThanOrEqual(list.startTimeUnixNano);
      }
    }
  });

  it('contain at most a hundred lists of a request', async () => {
    const { app: here } = running;
    const wide = await createTenant(here, { account: 'hundred', workspaces: ['hundred-one', 'hundred-two'] });
    const { key: theirs } = await createKey(here, wide);
    const many = Array.from({ length: 58 }, (_, index) => `a${index}: agents(first: 1) { totalCount }`).join(' ');
    const { spans } = await traced(async (app) => {
      const { body } = await graphql(app, theirs, `{ viewer { workspaces { ${many} } } }`);
      expect(body.errors).toBeUndefined();
    });
    expect(spans.filter(({ name }) => name === 'Workspace.agents')).toHaveLength(100);
  });

  it('start here without a parent, and contain the REST status and the reason of an error', async () => {
    const { spans } = await traced(async (app) => {
      const headers = { traceparent: 'no trace', 'x-service-workspace': 'main' };
      await rest(app, '/sandboxes/none/previews/one', { key, method: 'DELETE', headers });
    });
    const server = one(spans, kinds.server);
    expect(server).toMatchObject({
      name: 'DELETE /v0/sandboxes/{sandboxName}/previews/{previewName}',
      status: { code: 0 },
    });
    expect(server.parentSpanId).toBeUndefined();
    expect(server.attributes).toMatchObject({
      'url.path': '/v0/sandboxes/none/previews/one',
      'http.response.status_code': 404,
      'wcp.operation': 'DeleteSandboxPreview',
      'wcp.error': 'not_found',
      'wcp.statements': spans.length - 1,
    });
  });

  it('separate the statements of concurrent requests', async () => {
    const { spans } = await traced((app) =>
      Promise.all(Array.from({ length: 8 }, () => rest(app, '/agents', { key, version: '2026-04-28' }))),
    );
    const traceIds = new Set(spans.map((each) => each.traceId));
    expect(traceIds.size).toBe(8);
    for (const id of traceIds) {
      const within = spans.filter((each) => each.traceId === id);
      const server = one(within, kinds.server);
      expect(server.attributes['wcp.statements']).toBe(within.length - 1);
      expect(within.length).toBeGreaterThan(1);
    }
  });

  it('contain no credential, no variable value, and no text of a caller', async () => {
    const variables = { name: 'secret-term' };
    const { spans, texts } = await traced(async (app) => {
      await graphql(app, key, 'query ($name: String!) { agent(name: $name) { id } }', variables);
      await graphql(app, key, '{ agent(name: "secret-term") { id } }');
      await rest(app, '/agents?q=secret-term', { key, version: '2026-04-28' });
      await rest(app, '/agents', { key: 'secret-term' });
      await fetch(`${app.origin}/secret-term`);
    });
    expect(spans.filter(({ kind }) => kind === kinds.server)).toHaveLength(5);
    expect(texts.join()).not.toContain(key);
    expect(texts.join()).not.toContain('secret-term');
  });

  it('omit unsampled requests, and probes', async () => {
    const { spans } = await traced(async (app) => {
      const { headers } = await rest(app, '/agents', { key });
      expect(headers.get('traceparent')).toBeNull();
      await rest(app, '/agents', { key, headers: { traceparent } });
      await rest(app, '/agents', { key, headers: { traceparent: traceparent.replace(/1$/, '0') } });
      await fetch(`${app.origin}/readyz`, { headers: { traceparent } });
    }, 0);
    expect(new Set(spans.map((each) => each.traceId))).toEqual(new Set([traceId]));
    expect(one(spans, kinds.server).attributes['http.route']).toBe('/v0/agents');
  });

  it('record a rollup of usage with its statements, if there is usage to roll up', async () => {
    const mutation =
      'mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { __typename } }';
    await graphql(running.app, key, mutation, {
      events: [{ ...usageEvent(1), billingDimension: 'sandbox_compute_runtime_gbs' }],
    });
    const { signal } = new AbortController();
    const { spans } = await traced(async ({ services, config }) => {
      await backgroundTasks.rollUpUsage.run(services, config, signal);
      await backgroundTasks.rollUpUsage.run(services, config, signal);
    });
    const rollup = one(spans, kinds.internal);
    expect(rollup).toMatchObject({ name: 'roll up usage', attributes: { 'wcp.usage.events': 1 } });
    const statements = spans.filter(({ kind }) => kind === kinds.client);
    expect(statements.length).toBeGreaterThan(0);
    for (const { parentSpanId } of statements) expect(parentSpanId).toBe(rollup.spanId);
  });
});

describe('A collector', () => {
  it.each([
    ['is away', undefined],
    ['never answers', () => {}],
    ['refuses', (_request, response) => response.writeHead(400).end()],
  ] satisfies [string, RequestListener | undefined][])(
    'that %s delays neither responses nor shutdown, and is logged once',
    async (_what, listener) => {
      const collector = await listening(listener ?? (() => {}));
      if (listener === undefined) collector.close();
      const lines: string[] = [];
      const stream = new Writable({
        write: (chunk, _encoding, done) => {
          lines.push(String(chunk));
          done();
        },
      });
      const log = pino({ hooks: summedUp() }, stream);
      try {
        await withTraces(collector.origin, 1, log, async (app) => {
          const expected = await rest(running.app, '/agents', { key });
          // More spans than one batch.
          for (let round = 0; round < 8; round++) {
            const answers = await Promise.all(Array.from({ length: 40 }, () => rest(app, '/agents', { key })));
            for (const { status, body } of answers)
              expect({ status, body }).toEqual({ status: 200, body: expected.body });
          }
        });
      } finally {
        if (listener !== undefined) collector.close();
      }
      expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['cannot send traces to the collector']);
    },
  );
});

describe('Without a collector', () => {
  it('there are no traces, and no code of OpenTelemetry is loaded', async () => {
    const settings = { endpoint: undefined, ratio: 1, serviceName: 'control-plane', version: '1.2.3' };
    expect(await openTraces(settings, pino({ level: 'silent' }))).toBeUndefined();
    const sources = new URL('../../src/', import.meta.url);
    const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const holding = (pattern: RegExp) =>
      files.filter((file) => pattern.test(readFileSync(new URL(file, sources), 'utf8'))).toSorted();
    const ofMetrics = ['telemetry/metrics-export.ts', 'telemetry/registry-producer.ts'];
    const ofTraces = ['telemetry/recorded-traces.ts', 'telemetry/trace-export.ts'];
    const ofBoth = ['telemetry/logged-exporter.ts', 'telemetry/service-resource.ts'];
    expect(holding(/from '@opentelemetry\//)).toEqual([...ofMetrics, ...ofTraces, ...ofBoth].toSorted());
    expect(holding(/^import (?!type).*(?:recorded-traces|trace-export|\/metrics-export)\.js'/m)).toEqual([]);
    expect(holding(/^import (?!type).*\/registry-producer\.js'/m)).toEqual(['telemetry/metrics-export.ts']);
    for (const file of [/^import (?!type).*\/service-resource\.js'/m, /^import (?!type).*\/logged-exporter\.js'/m])
      expect(holding(file)).toEqual(['telemetry/metrics-export.ts', 'telemetry/trace-export.ts']);
  });
});
