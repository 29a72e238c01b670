// The OpenTelemetry example as a separate process: it counts the data of a collector once.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rest, useApp } from '../harness.js';
import { createOwner } from './usage-mixture.js';
import type { Owner } from './usage-mixture.js';

const running = useApp();
const example = fileURLToPath(new URL('../../examples/otlp-usage.ts', import.meta.url));
const children: ChildProcess[] = [];
let owner: Owner;
let address: string;

/** Starts the example. @returns where it listens. */
async function start(gateway: string, key: string): Promise<string> {
  const child = spawn(process.execPath, ['--import', 'tsx', example], {
    env: { PATH: process.env['PATH'], GATEWAY: gateway, API_KEY: key, ACCOUNT: 'northwind', PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [said] = await once(child.stdout, 'data');
  return String(said).trim().replace('POST ', '');
}

beforeAll(async () => {
  owner = await createOwner(running.app, 'northwind', ['main']);
  address = await start(running.app.origin, owner.key);
});

afterAll(async () => {
  const exits = children.map((child) => once(child, 'exit'));
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(exits);
});

const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const nano = (time: string) => `${Date.parse(time)}000000`;

const point = (name: string, more: object = {}) => ({
  attributes: [attribute('usage.resource.name', name), attribute('usage.cost', '0.25')],
  startTimeUnixNano: nano('2026-11-20T09:00:00Z'),
  timeUnixNano: nano('2026-11-20T10:00:00Z'),
  asDouble: 7.5,
  ...more,
});

/** An export as a collector sends it (OTLP 1.x, JSON over HTTP). */
const exportOf = (...metrics: object[]) => ({
  resourceMetrics: [
    {
      resource: {
        attributes: [
          attribute('service.name', 'meter-eu'),
          attribute('usage.workspace', 'main'),
          attribute('usage.resource.type', 'sandbox'),
        ],
      },
      scopeMetrics: [{ scope: { name: 'usage' }, metrics }],
    },
  ],
});

const sum = (...dataPoints: object[]) => ({
  name: 'sandbox.compute.runtime.gbs',
  unit: 'GBy.s',
  sum: { aggregationTemporality: 1, isMonotonic: true, dataPoints },
});

async function send(body: unknown, { isCompressed = false, to = address } = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'content-type': 'application/json', ...(isCompressed ? { 'content-encoding': 'gzip' } : {}) };
  const bytes = new Uint8Array(isCompressed ? gzipSync(text) : Buffer.from(text));
  const response = await fetch(to, { method: 'POST', headers, body: bytes });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() };
}

async function used(name: string) {
  const query = `startTime=2026-11-20T00:00:00Z&endTime=2026-11-21T00:00:00Z&groupBy=billing_dimension&resourceName=${name}`;
  const { body } = await rest(running.app, `/accounts/${owner.accountId}/metrics?${query}`, { key: owner.key });
  return body.data.map(({ billingDimension, summary, timeseries }: Record<string, unknown>) => ({
    billingDimension,
    summary,
    active: (timeseries as { cost: number; timestamp: string }[]).filter(({ cost }) => cost > 0),
  }));
}

describe('The OpenTelemetry example', () => {
  it('is short enough to read', () => {
    expect(readFileSync(example, 'utf8').trim().split('\n').length).toBeLessThan(100);
  });

  it('counts each point of a sum once, in its hour, however often it is sent', async () => {
    const both = exportOf(
      sum(
        point('box-1'),
        point('box-1', { asDouble: undefined, asInt: '3', timeUnixNano: nano('2026-11-20T09:30:00Z') }),
      ),
    );
    expect(await send(both)).toMatchObject({ status: 200, body: {} });
    expect(await send(both, { isCompressed: true })).toMatchObject({ status: 200, body: {} });
    expect(await used('box-1')).toMatchObject([
      {
        billingDimension: 'sandbox_compute_runtime_gbs',
        summary: { cost: 0.5, usage: 10.5 },
        active: [{ timestamp: '2026-11-20T09:00:00Z', cost: 0.5 }],
      },
    ]);
  });

  it('reports rejected points, and records the others', async () => {
    const cumulative = {
      ...sum(point('box-2')),
      sum: { aggregationTemporality: 2, dataPoints: [point('box-2'), point('box-2')] },
    };
    const gauge = { name: 'temperature', gauge: { dataPoints: [point('box-2')] } };
    const { status, body } = await send(
      exportOf(cumulative, gauge, sum(point('box-2'), point('box-2', { asDouble: -1 }))),
    );
    expect(status).toBe(200);
    expect(body.partialSuccess).toEqual({
      rejectedDataPoints: '4',
      errorMessage: '3 points are of no sum with delta temporality; usage must be a decimal number of at least 0',
    });
    expect(await used('box-2')).toMatchObject([{ summary: { usage: 7.5 } }]);
    // The same point with another amount is another event of the same identity.
    const changed = await send(exportOf(sum(point('box-2', { asDouble: 8 }))));
    expect(changed.body.partialSuccess).toEqual({
      rejectedDataPoints: '1',
      errorMessage: 'another event has the same source and id',
    });
  });

  it('returns the status that makes the collector retry or drop', async () => {
    expect(await send('{')).toMatchObject({ status: 400 });
    expect(await send({})).toMatchObject({ status: 200, body: {} });
    const strangers = await start(running.app.origin, 'wcp_nobody');
    expect(await send(exportOf(sum(point('box-3'))), { to: strangers })).toMatchObject({ status: 401 });
    const busy = createServer((_request, response) => {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' }).end('{"message":"later"}');
    });
    await once(busy.listen(0, '127.0.0.1'), 'listening');
    const behind = await start(`http://127.0.0.1:${(busy.address() as AddressInfo).port}`, owner.key);
    expect(await send(exportOf(sum(point('box-3'))), { to: behind })).toMatchObject({ status: 429, retryAfter: '7' });
    busy.closeAllConnections();
    await new Promise((resolve) => busy.close(resolve));
    expect(await send(exportOf(sum(point('box-3'))), { to: behind })).toMatchObject({ status: 503 });
  });
});
