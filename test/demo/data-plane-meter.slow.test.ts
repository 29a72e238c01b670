// The measurements of the simulated data plane over HTTP: once, and without gaps after any interruption.
import { fork } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openMeter } from '../../src/demo/data-plane-meter.js';
import type { DemoAssignment } from '../../src/demo/data-plane-steps.js';
import { createKey, createTenant, frozenNow, graphql, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { anExecutor } from '../lifecycle/executor.js';
import { mutate } from '../resources/mutations.js';

const running = useApp();
const folder = mkdtempSync(join(tmpdir(), 'demo-meter-'));
let tenant: Tenant;
let keys: Record<string, string>;
let now = frozenNow.getTime();
let files = 0;

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main'] });
  const { key } = await createKey(running.app, { ...tenant, scope: 'usage:write' });
  keys = { [tenant.accountId]: key };
});

afterEach(() => {
  now = frozenNow.getTime();
});

const newFile = () => join(folder, `${++files}.json`);
const meterOn = (file: string, origin = running.app.origin) => openMeter({ origin, keys, file, now: () => now });

let assignments = 0;

/** A claimed assignment of a separate resource. */
function anAssignment(name: string, more: Partial<DemoAssignment> = {}): DemoAssignment {
  const resourceId = `00000000-0000-4000-8000-${String(++assignments).padStart(12, '0')}`;
  return {
    id: `agent-${resourceId}`,
    fence: 1,
    kind: 'AGENT',
    action: 'DEPLOY',
    version: 1,
    resourceId,
    accountId: tenant.accountId,
    workspaceName: 'main',
    desired: { metadata: { name }, spec: { runtime: { memory: 2048, minScale: 3 } } },
    ...more,
  };
}

/** The recorded usage of a resource in a dimension, in the order of time: start and amount. */
async function recorded(resourceName: string, billingDimension: string): Promise<{ at: string; usage: number }[]> {
  const { db } = running.app.services;
  const [series] = await db.usageSeries.findMany({ where: { resourceName, billingDimension } });
  if (series === undefined) return [];
  const events = await db.usageEvent.findMany({ where: { accountId: tenant.accountId, seriesId: series.seriesId } });
  // The identity of an event ends with when it began.
  return events
    .map(({ id, usage }) => ({ at: id.slice(id.lastIndexOf(' ') + 1), usage: Number(usage) / 1e6 }))
    .toSorted((one, other) => one.at.localeCompare(other.at));
}

const runtime = 'agent_compute_runtime_gbs';
const sum = (events: { usage: number }[]) => events.reduce((total, { usage }) => total + usage, 0);

describe('The meter of the demo', () => {
  it('records the usage of an agent from deployment to termination, hour by hour', async () => {
    const meter = meterOn(newFile());
    const assignment = anAssignment('hours');
    meter.note(assignment, 'DEPLOYED', now);
    now += 90_000;
    await meter.send();
    now = frozenNow.getTime() + 2 * 3_600_000 + 10_000;
    running.app.clock.now = new Date(now);
    meter.note({ ...assignment, action: 'DELETE' }, 'TERMINATED', now);
    now += 60_000;
    await meter.send();
    running.app.clock.now = frozenNow;
    expect(await recorded('hours', runtime)).toEqual([
      { at: '2026-11-20T12:00:00.000Z', usage: 6 * 90 },
      { at: '2026-11-20T12:01:30.000Z', usage: 6 * (3_600 - 90) },
      { at: '2026-11-20T13:00:00.000Z', usage: 6 * 3_600 },
      { at: '2026-11-20T14:00:00.000Z', usage: 60 },
    ]);
    expect(sum(await recorded('hours', 'agent_image_storage_gbs'))).toBeGreaterThan(0);
  });

  it('follows a new version when it is deployed, and records only storage for disabled agents', async () => {
    const meter = meterOn(newFile());
    const assignment = anAssignment('changing');
    meter.note(assignment, 'DEPLOYED', now);
    now += 10_000;
    const { metadata } = assignment.desired;
    const larger = { ...assignment, desired: { metadata, spec: { runtime: { memory: 4096, minScale: 3 } } } };
    for (const state of ['BUILDING', 'FAILED', 'DEPLOYED']) meter.note(larger, state, now);
    now += 10_000;
    meter.note({ ...larger, action: 'DEACTIVATE' }, 'DEACTIVATED', now);
    now += 10_000;
    await meter.send();
    expect((await recorded('changing', runtime)).map(({ usage }) => usage)).toEqual([60, 120]);
    expect(await recorded('changing', 'agent_image_storage_gbs')).toHaveLength(3);
  });

  it('records each run of a task once, under its job', async () => {
    const meter = meterOn(newFile());
    const run = { kind: 'JOB_EXECUTION', action: 'RUN', id: 'job_execution-1' } as const;
    const job = { id: '00000000-0000-4000-8000-00000000abcd', name: 'nightly' };
    const task = anAssignment('nightly', { ...run, desired: { metadata: job, spec: { runtime: { memory: 1024 } } } });
    const since = now;
    meter.note(task, 'RUNNING', since);
    now += 4_000;
    meter.note(task, 'FAILED', since);
    meter.note({ ...task, fence: 2 }, 'SUCCEEDED', now - 1_000);
    await meter.send();
    const events = await recorded('nightly', 'job_compute_runtime_gbs');
    expect(events.map(({ usage }) => usage)).toEqual([4, 1]);
    const series = await running.app.services.db.usageSeries.findMany({ where: { resourceName: 'nightly' } });
    expect(series.map(({ resourceUuid }) => resourceUuid)).toEqual([job.id]);
  });

  it('counts repeated events once, and continues without a gap after it was killed', async () => {
    const file = newFile();
    const first = meterOn(file);
    first.note(anAssignment('killed'), 'DEPLOYED', now);
    now += 5_000;
    const unreachable = meterOn(file, 'http://127.0.0.1:9');
    await unreachable.send();
    // As it was before it knew that anything had arrived.
    copyFileSync(file, `${file}.before`);
    await meterOn(file).send();
    copyFileSync(`${file}.before`, file);
    now += 7_000;
    await meterOn(file).send();
    const events = await recorded('killed', runtime);
    expect(events.map(({ usage }) => usage)).toEqual([30, 42]);
  });

  it('records nothing while the clock is set back or without a key for the account, and starts anew without its file', async () => {
    const file = newFile();
    const meter = meterOn(file);
    meter.note(anAssignment('clock'), 'DEPLOYED', now);
    meter.note(anAssignment('stranger', { accountId: '00000000-0000-4000-8000-00000000ffff' }), 'DEPLOYED', now);
    now -= 60_000;
    await meter.send();
    now += 62_000;
    await meter.send();
    expect((await recorded('clock', runtime)).map(({ usage }) => usage)).toEqual([12]);
    expect(readFileSync(file, 'utf8')).not.toContain('stranger');
    writeFileSync(file, '{"running":');
    await meterOn(file).send();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ running: {}, outbox: [] });
  });

  it('has keys that can only record usage', async () => {
    const [key = ''] = Object.values(keys);
    const { app } = running;
    const answer = await graphql(app, key, '{ agents(workspace: "main") { totalCount } }');
    expect(answer.body.errors[0].extensions.code).toBe('forbidden');
    expect(await mutate(app, key, 'createAgent', '__typename', { metadata: { name: 'no' } })).toMatchObject({
      code: 'forbidden',
    });
    expect((await rest(app, '/agents', { key })).status).toBe(403);
  });

  it('loses no second when its program is killed, and includes agents deployed meanwhile', async () => {
    const { app } = running;
    app.clock.now = new Date();
    const { key } = await createKey(app, tenant);
    const executor = await anExecutor(app, 'demo');
    const env = {
      GATEWAY: app.origin,
      EXECUTOR_KEY: executor.key,
      METER_KEYS: JSON.stringify(keys),
      METER_FILE: newFile(),
      METER_EVERY_MS: '40',
    };
    const program = fileURLToPath(new URL('../../dist/demo/data-plane.js', import.meta.url));
    const start = () => fork(program, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    // Now and then one cannot be built.
    const names = ['box-1', 'box-2', 'box-3', 'box-4'];
    for (const name of names) await mutate(app, key, 'createSandbox', '__typename', { metadata: { name } });
    const all = async () => {
      app.clock.now = new Date();
      const found = await Promise.all(names.map((name) => recorded(name, 'sandbox_compute_runtime_gbs')));
      return found.filter((events) => events.length > 0);
    };
    const longest = async () => Math.max(0, ...(await all()).map((events) => events.length));
    let child = start();
    await expect.poll(longest).toBeGreaterThan(3);
    child.kill('SIGKILL');
    const before = await longest();
    child = start();
    await expect.poll(longest).toBeGreaterThan(before + 3);
    child.kill('SIGKILL');
    for (const events of await all()) {
      for (const [index, { at, usage }] of events.slice(0, -1).entries()) {
        // Two gigabytes: so many milliseconds later the next one begins.
        const end = Date.parse(at) + (usage / 2) * 1_000;
        expect(Math.abs(Date.parse(events[index + 1]?.at ?? '') - end)).toBeLessThan(1);
      }
    }
    app.clock.now = frozenNow;
  });
});
