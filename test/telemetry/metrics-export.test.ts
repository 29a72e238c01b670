// The metrics that a collector receives over OTLP: a test collector compares them with those of /metrics.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { openMetricsExport } from '../../src/telemetry/open-metrics-export.js';
import { createKey, createTenant, rest, useApp } from '../harness.js';

const running = useApp();
let key: string;

beforeAll(async () => {
  const { app } = running;
  ({ key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main'] })));
});

afterEach(() => {
  vi.unstubAllEnvs();
});

const attributes = z
  .array(z.object({ key: z.string(), value: z.object({ stringValue: z.string() }) }))
  .transform((list) => Object.fromEntries(list.map(({ key: name, value }) => [name, value.stringValue])));
const point = z.object({
  startTimeUnixNano: z.coerce.bigint(),
  timeUnixNano: z.coerce.bigint(),
  attributes,
  asDouble: z.number().optional(),
  asInt: z.coerce.number().optional(),
  count: z.coerce.number().optional(),
  sum: z.number().optional(),
  bucketCounts: z.array(z.coerce.number()).optional(),
  explicitBounds: z.array(z.number()).optional(),
});
const points = z.object({
  dataPoints: z.array(point),
  aggregationTemporality: z.number().optional(),
  isMonotonic: z.boolean().optional(),
});
const metric = z.object({
  name: z.string(),
  description: z.string(),
  sum: points.optional(),
  gauge: points.optional(),
  histogram: points.optional(),
});
const sent = z.object({
  resourceMetrics: z.array(
    z.object({
      resource: z.object({ attributes: z.array(z.object({ key: z.string(), value: z.unknown() })) }),
      scopeMetrics: z.array(z.object({ metrics: z.array(metric) })),
    }),
  ),
});

type Metric = z.output<typeof metric>;

/** As OTLP numbers it. */
const cumulative = 2;

async function listening(listener: RequestListener) {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    origin: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const settingsOf = (url: string, more: object = {}) => ({
  url,
  intervalMs: 60_000,
  serviceName: 'control-plane',
  version: '1.2.3',
  ...more,
});
const silent = pino({ level: 'silent' });

/** What a collector gets from a registry. */
async function collected(registry: Registry) {
  const bodies: string[] = [];
  const paths: (string | undefined)[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const collector = await listening(async (request, response) => {
    paths.push(request.url);
    headers.push(request.headers);
    bodies.push(await text(request));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  const exporting = await openMetricsExport(settingsOf(`${collector.origin}/v1/metrics`), registry, silent);
  await exporting?.close();
  collector.close();
  const parts = bodies.flatMap((body) => sent.parse(JSON.parse(body)).resourceMetrics);
  return {
    metrics: parts.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics)),
    resources: parts.map(({ resource }) =>
      Object.fromEntries(resource.attributes.map((each) => [each.key, each.value])),
    ),
    paths,
    headers,
  };
}

/** The lines of Prometheus' text format for a metric of OTLP. */
function linesOf({ name, sum, gauge, histogram }: Metric): string[] {
  const series = (suffix: string, labels: Record<string, string>, value: number | undefined) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    return `${name}${suffix}${pairs.length === 0 ? '' : `{${pairs.toSorted().join(',')}}`} ${value}`;
  };
  const numbers = [...(sum?.dataPoints ?? []), ...(gauge?.dataPoints ?? [])];
  return [
    ...numbers.map((each) => series('', each.attributes, each.asDouble ?? each.asInt)),
    ...(histogram?.dataPoints ?? []).flatMap((each) => {
      const bounds = [...(each.explicitBounds ?? []).map(String), '+Inf'];
      let total = 0;
      return [
        ...bounds.map((le, order) => {
          total += each.bucketCounts?.[order] ?? Number.NaN;
          return series('_bucket', { ...each.attributes, le }, total);
        }),
        series('_sum', each.attributes, each.sum),
        series('_count', each.attributes, each.count),
      ];
    }),
  ];
}

/** The lines of /metrics, with the labels in order, and without values that JSON has no number for. */
function linesOfText(metrics: string): string[] {
  return metrics
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !/ (\+Inf|-Inf|NaN|Nan)$/.test(line))
    .map((line) =>
      line.replace(
        /\{(.*)\}/,
        (_, pairs: string) =>
          `{${pairs
            .split(/,(?=\w+=")/)
            .toSorted()
            .join(',')}}`,
      ),
    );
}

describe('Metrics over OTLP', () => {
  it('have the figures of /metrics: counters, gauges and histograms with their bounds', async () => {
    for (let n = 0; n < 5; n++) await rest(running.app, '/agents?workspace=main', { key });
    await rest(running.app, '/agents', { key: 'wrong' });
    const { registry } = running.app.services.metrics;
    const { metrics, paths, resources } = await collected(registry);
    // Reading the metrics sends statements, which are measured too.
    const own = (lines: string[]) => lines.filter((line) => /^wcp_(?!database_statement)/.test(line)).toSorted();
    const expected = own(linesOfText(await registry.metrics()));
    expect(own(metrics.flatMap(linesOf))).toEqual(expected);
    expect(expected.filter((line) => line.startsWith('wcp_http_requests_total')).length).toBeGreaterThan(0);
    expect(expected.some((line) => line.startsWith('wcp_http_request_duration_seconds_bucket'))).toBe(true);
    expect(paths).toEqual(['/v1/metrics']);
    expect(resources[0]).toMatchObject({
      'service.name': { stringValue: 'control-plane' },
      'service.version': { stringValue: '1.2.3' },
    });
    // Also those of Node.js, which change at any time; without a garbage collection there is no duration of one.
    const known = registry.getMetricsAsArray().map(({ name }) => name);
    const received = metrics.map(({ name }) => name);
    expect(received.filter((name) => !known.includes(name))).toEqual([]);
    expect(received).toEqual(expect.arrayContaining(['process_cpu_seconds_total', 'nodejs_heap_size_used_bytes']));
  });

  it('are cumulative since the start of the process, and have every value of labels', async () => {
    const registry = new Registry();
    const registers = [registry];
    const counter = new Counter({ name: 'a_total', help: 'A.', labelNames: ['of'], registers });
    counter.inc({ of: 'x "y"\n{z}' }, 3);
    counter.inc({ of: 'other' }, 0.5);
    const gauge = new Gauge({ name: 'b', help: 'B.', labelNames: ['of'], registers });
    gauge.set({ of: 'below' }, -7);
    gauge.set({ of: 'infinite' }, Infinity);
    registry.registerMetric(new Gauge({ name: 'unset', help: 'Unset.', labelNames: ['of'], registers: [] }));
    const histogram = new Histogram({ name: 'c', help: 'C.', labelNames: ['of'], buckets: [1, 10], registers });
    for (const value of [0.5, 1, 2, 20, 30]) histogram.observe({ of: 'one' }, value);
    histogram.observe({ of: 'two' }, 5);
    const { metrics } = await collected(registry);
    expect(metrics.map(({ name, description }) => [name, description])).toEqual([
      ['a_total', 'A.'],
      ['b', 'B.'],
      ['c', 'C.'],
    ]);
    const [a, b, c] = metrics;
    expect(a?.sum).toMatchObject({ aggregationTemporality: cumulative, isMonotonic: true });
    expect(a?.sum?.dataPoints.map((each) => [each.attributes['of'], each.asDouble])).toEqual([
      ['x "y"\n{z}', 3],
      ['other', 0.5],
    ]);
    expect(b?.gauge?.dataPoints.map((each) => [each.attributes['of'], each.asDouble])).toEqual([['below', -7]]);
    expect(c?.histogram?.aggregationTemporality).toBe(cumulative);
    expect(c?.histogram?.dataPoints).toMatchObject([
      { attributes: { of: 'one' }, count: 5, sum: 53.5, explicitBounds: [1, 10], bucketCounts: [2, 1, 2] },
      { attributes: { of: 'two' }, count: 1, sum: 5, explicitBounds: [1, 10], bucketCounts: [0, 1, 0] },
    ]);
    const [first] = a?.sum?.dataPoints ?? [];
    const startMs = Number((first?.startTimeUnixNano ?? 0n) / 1_000_000n);
    expect(Math.abs(startMs - performance.timeOrigin)).toBeLessThan(2);
    expect(Number(first?.timeUnixNano ?? 0n) / 1e6).toBeGreaterThan(startMs);
  });

  it('are sent again at each interval, with the headers of the standard variable', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-token=secret');
    const headers: IncomingHttpHeaders[] = [];
    const collector = await listening((request, response) => {
      headers.push(request.headers);
      request.resume().on('end', () => response.writeHead(200).end('{}'));
    });
    const registry = new Registry();
    new Counter({ name: 'a_total', help: 'A.', registers: [registry] }).inc();
    const exporting = await openMetricsExport(settingsOf(collector.origin, { intervalMs: 50 }), registry, silent);
    await vi.waitFor(() => expect(headers.length).toBeGreaterThanOrEqual(3), { timeout: 5_000 });
    expect(headers[0]).toMatchObject({ 'x-token': 'secret', 'content-type': 'application/json' });
    await exporting?.close();
    const atEnd = headers.length;
    await setTimeout(200);
    expect(headers).toHaveLength(atEnd);
    collector.close();
  });

  it('are not sent without settings', async () => {
    expect(await openMetricsExport(undefined, new Registry(), silent)).toBeUndefined();
  });
});

describe('A collector that', () => {
  const registry = new Registry();
  new Counter({ name: 'a_total', help: 'A.', registers: [registry] }).inc();

  it.each([
    ['does not listen', undefined],
    ['never responds', () => {}],
    ['fails', (_request, response) => void response.writeHead(500).end('no')],
    ['closes the connection', (request) => void request.destroy()],
  ] satisfies [string, RequestListener | undefined][])(
    '%s disturbs neither the gateway nor its end, and the log says so',
    async (_, listener) => {
      const lines: string[] = [];
      const log = pino({}, new Writable({ write: (line, _encoding, done) => (lines.push(String(line)), done()) }));
      const collector = await listening(listener ?? (() => {}));
      if (listener === undefined) collector.close();
      const settings = settingsOf(collector.origin, { intervalMs: 100, sendMsMax: 100 });
      const exporting = await openMetricsExport(settings, registry, log);
      await vi.waitFor(() => expect(lines.join('')).toContain('cannot send metrics to the collector'), {
        timeout: 5_000,
      });
      expect((await rest(running.app, '/agents?workspace=main', { key })).status).toBe(200);
      const startedMs = performance.now();
      await exporting?.close();
      expect(performance.now() - startedMs).toBeLessThan(5_000);
      if (listener !== undefined) collector.close();
    },
  );
});
