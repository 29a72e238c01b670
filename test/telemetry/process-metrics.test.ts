// The metrics for Prometheus, and that the dashboard and the alerts use only these.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { createMeasurementsServer } from '../../src/telemetry/metrics-server.js';
import { runBackgroundTasks } from '../../src/server/run-background-tasks.js';
import { backgroundTasks } from '../../src/server/background-tasks.js';
import { isEmbedded } from '../database-kind.js';
import { createKey, createTenant, graphql, rest, useApp } from '../harness.js';
import { anExecutor, endLeases } from '../lifecycle/executor.js';
import { mutate } from '../resources/mutations.js';
import { usageEvent } from '../metering/usage-samples.js';

const running = useApp({ ACCESS_LOG_SLOW_MS: '200' });
let key: string;

beforeAll(async () => {
  const { app } = running;
  ({ key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main'] })));
});

async function read(): Promise<string> {
  const server = createMeasurementsServer(running.app.services.metrics.registry);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
  server.closeAllConnections();
  server.close();
  return answer.text();
}

describe('Metrics', () => {
  it('count requests by api, operation, status and plan, with durations and costs', async () => {
    const { app } = running;
    await rest(app, '/agents', { key });
    await rest(app, '/agents', { key });
    await rest(app, '/agents');
    await rest(app, '/nothing', { key });
    await graphql(app, key, 'query named { viewer { name } }');
    await fetch(`${app.origin}/healthz`);
    const text = await read();
    expect(text).toContain(
      'wcp_http_requests_total{api="rest",operation="ListAgents",status="200",plan="enterprise"} 2',
    );
    expect(text).toContain('wcp_http_requests_total{api="rest",operation="ListAgents",status="401",plan=""} 1');
    expect(text).toContain('wcp_http_requests_total{api="graphql",operation="query",status="200",plan="enterprise"} 1');
    expect(text).toContain('wcp_http_request_duration_seconds_count{api="document",operation="/healthz"} 1');
    expect(text).toContain('wcp_graphql_cost_count 1');
    expect(text).toContain('wcp_http_requests_in_flight 0');
  });

  it('report executor leases, the age of waiting work, and waiting executors', async () => {
    const { app } = running;
    const one = await anExecutor(app, 'one');
    for (const name of ['s1', 's2', 's3'])
      await mutate(app, key, 'createSandbox', '__typename', { metadata: { name } });
    const told = async () => {
      await runBackgroundTasks(app.services, app.config, [backgroundTasks.measureAssignments]);
      const text = await read();
      const of = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
      return {
        leased: of('wcp_assignments\\{state="leased"\\}'),
        due: of('wcp_assignments\\{state="due"\\}'),
        oldest: of('wcp_assignment_oldest_due_seconds'),
        waiting: of('wcp_executors_waiting'),
      };
    };
    await app.services.db.$executeRaw`UPDATE "assignment" SET "due_at" = "due_at" - interval '1 hour'`;
    expect(await told()).toEqual({ leased: 0, due: 3, oldest: expect.closeTo(3_600, -3), waiting: 0 });
    const { assignments } = await one.claim({ first: 2 });
    expect(await told()).toMatchObject({ leased: 2, due: 1 });
    for (const assignment of assignments) await one.report(assignment, { state: 'DEPLOYED' });
    const [last] = (await one.claim({ first: 2 })).assignments;
    expect(await told()).toEqual({ leased: 1, due: 0, oldest: 0, waiting: 0 });
    await endLeases(app);
    expect(await told()).toMatchObject({ leased: 0, due: 1 });
    const [again] = (await one.claim()).assignments;
    expect(again.id).toBe(last.id);
    await one.report(again, { state: 'DEPLOYED' });
    expect(await told()).toEqual({ leased: 0, due: 0, oldest: 0, waiting: 0 });
    const waiting = one.claim({ waitSeconds: 20 });
    await expect.poll(async () => (await told()).waiting).toBe(1);
    await mutate(app, key, 'createSandbox', '__typename', { metadata: { name: 's4' } });
    expect((await waiting).assignments).toHaveLength(1);
    expect(await told()).toMatchObject({ leased: 1, waiting: 0 });
  });

  it('contain no text of a caller', async () => {
    await fetch(`${running.app.origin}/v0/made-up/by/somebody`);
    await graphql(running.app, key, 'query madeUp { viewer { name } }');
    expect(await read()).not.toMatch(/made-?up/i);
  });
});

/** The values of one metric for each set of labels, as written. */
async function series(name: string): Promise<Record<string, number>> {
  const lines = (await read()).split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return Object.fromEntries(
    lines.map((line) => [line.slice(name.length, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

describe('Metrics of the database', () => {
  const shares = isEmbedded ? ['embedded'] : ['probe', 'reads', 'background', 'changes', 'writes'];

  it('report connections, use and waits of each pool', async () => {
    for (const name of ['connections_max', 'connections_in_use', 'waiting']) {
      const found = Object.keys(await series(`wcp_database_${name}`));
      expect(found.toSorted()).toEqual(shares.map((share) => `{share="${share}"}`).toSorted());
    }
  });

  it.skipIf(shares.includes('embedded'))('report which parts use a connection, and which wait for one', async () => {
    const { db } = running.app.services;
    const sleeping = Promise.all(Array.from({ length: 20 }, () => db.$queryRaw`SELECT pg_sleep(0.5)::text`));
    const labels = '{share="reads"}';
    const max = (await series('wcp_database_connections_max'))[labels] ?? 0;
    await vi.waitFor(
      async () => {
        expect((await series('wcp_database_connections_in_use'))[labels]).toBe(max);
        expect((await series('wcp_database_waiting'))[labels]).toBeGreaterThanOrEqual(20 - max);
      },
      { timeout: 10_000 },
    );
    await sleeping;
  });

  it('count statements and slow statements', async () => {
    const { db } = running.app.services;
    const labels = '{share="requests"}';
    const before = await series('wcp_database_statements_slow_total');
    const [count = 0] = Object.values(await series('wcp_database_statement_duration_seconds_count'));
    await db.account.count();
    await db.$transaction((tx) => tx.$queryRaw`SELECT pg_sleep(0.2)::text`);
    const after = await series('wcp_database_statements_slow_total');
    expect((after[labels] ?? 0) - (before[labels] ?? 0)).toBeGreaterThanOrEqual(1);
    const counts = await series('wcp_database_statement_duration_seconds_count');
    expect((counts[labels] ?? 0) - count).toBeGreaterThanOrEqual(2);
  });
});

describe('Metrics of usage and background tasks', () => {
  it('count events by result, pending ones, and task runs', async () => {
    const { app } = running;
    const event = { ...usageEvent(1), billingDimension: 'sandbox_compute_runtime_gbs' };
    const mutation =
      'mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { __typename } }';
    await graphql(app, key, mutation, { events: [event, event, { ...event, usage: '2' }] });
    expect(await series('wcp_usage_events_total')).toEqual({
      '{outcome="accepted"}': 1,
      '{outcome="duplicate"}': 1,
      '{outcome="conflict"}': 1,
    });
    await runBackgroundTasks(app.services, app.config);
    expect(await series('wcp_usage_events_waiting')).toEqual({ '': 1 });
    await runBackgroundTasks(app.services, app.config);
    expect(await series('wcp_usage_events_waiting')).toEqual({ '': 0 });
    const failing = { name: 'failing', everyMs: 1, run: () => Promise.reject(new Error('as it is meant to')) };
    await runBackgroundTasks(app.services, app.config, [failing]);
    const task = (name: string) => `{task="${name}"}`;
    expect(await series('wcp_background_task_runs_total')).toMatchObject({
      [task('roll up usage')]: 2,
      [task('failing')]: 1,
    });
    expect(await series('wcp_background_task_failures_total')).toMatchObject({
      [task('roll up usage')]: 0,
      [task('failing')]: 1,
    });
    expect((await series('wcp_background_task_seconds_total'))[task('roll up usage')]).toBeGreaterThan(0);
    const lastSuccess = await series('wcp_background_task_last_success_timestamp_seconds');
    expect(lastSuccess[task('roll up usage')]).toBeGreaterThan(Date.now() / 1_000 - 60);
    expect(lastSuccess).not.toHaveProperty(task('failing'));
  });
});

/** The Prometheus queries of each monitoring file, with their grouping labels. */
const dashboardFile = z.object({ panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) })) });
const alertsFile = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
});

function expressionsOf(file: string, text: string): string[] {
  if (file === 'alerts.yaml') {
    return alertsFile.parse(parse(text)).groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
  }
  return dashboardFile.parse(JSON.parse(text)).panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

describe.each(['dashboard.json', 'alerts.yaml'])('docs/monitoring/%s', (file) => {
  it('uses only existing metrics', async () => {
    const text = readFileSync(new URL(`../../docs/monitoring/${file}`, import.meta.url), 'utf8');
    const expressions = expressionsOf(file, text);
    expect(expressions.every((each) => /[a-z]+_[a-z_]+/.test(each))).toBe(true);
    const asked = [...new Set(expressions.flatMap((each) => each.match(/\b(?:wcp|nodejs|process)_[a-z0-9_]+/g) ?? []))];
    const known = await running.app.services.metrics.registry.getMetricsAsArray();
    const names = known.flatMap(({ name }) => [name, `${name}_bucket`, `${name}_count`, `${name}_sum`]);
    expect(asked.length).toBeGreaterThan(3);
    expect(asked.filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe('docs/monitoring', () => {
  it('uses each of the service’s own metrics', async () => {
    const texts = ['dashboard.json', 'alerts.yaml'].map((file) =>
      readFileSync(new URL(`../../docs/monitoring/${file}`, import.meta.url), 'utf8'),
    );
    const known = await running.app.services.metrics.registry.getMetricsAsArray();
    const own = known.map(({ name }) => name).filter((name) => name.startsWith('wcp_'));
    expect(own.filter((name) => !texts.join().includes(name))).toEqual([]);
  });
});

describe('docs/operations.md', () => {
  it('explains each alert', () => {
    const rules = readFileSync(new URL('../../docs/monitoring/alerts.yaml', import.meta.url), 'utf8');
    const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name);
    expect(alerts.filter((name) => !text.includes(`| \`${name}\``))).toEqual([]);
  });
});
