// Loading the demo's usage through the public API, with interruptions.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { demoOwner, mainWorkspace } from '../../src/demo/company.js';
import { loadDemo } from '../../src/demo/load.js';
import { idOf } from '../../src/demo/random.js';
import { demoUsage, loadDemoUsage, loadNewestDemoUsage } from '../../src/demo/usage.js';
import { allAccountsContext } from '../../src/cli/operator/operator-context.js';
import { recordUsage } from '../../src/metering/usage.js';
import { rollUpAllUsage } from '../../src/metering/roll-up-all-usage.js';
import { createKey, frozenNow, rest, useApp } from '../harness.js';
import { anExecutor } from '../lifecycle/executor.js';
import { mutate } from '../resources/mutations.js';

// A year of usage is loaded and rolled up, which takes long on a slow disk.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 180_000 });

const gateway = useApp();
const later = new Date(frozenNow.getTime() + 3 * 86_400_000);
const accountId = idOf('meridian-freight');

beforeAll(async () => {
  const { services } = gateway.app;
  await loadDemo(services.db, services.encryption, { end: frozenNow });
});

const counted = async () => gateway.app.services.db.usageEvent.count({ where: { accountId } });

/** In nano-dollars. */
function costOf(events: { cost: string }[]): bigint {
  return events.reduce((sum, { cost }) => {
    const [whole = '0', fraction = ''] = cost.split('.');
    return sum + BigInt(whole + fraction.padEnd(9, '0'));
  }, 0n);
}

/** The cost of the account's usage from a day up to the present (USD). */
async function answered(from: string): Promise<number> {
  const { key } = await createKey(gateway.app, { accountId, principalId: idOf(demoOwner) });
  const window = `startTime=${from}T00:00:00Z&endTime=2026-11-20T12:00:00Z`;
  const { body } = await rest(gateway.app, `/accounts/${accountId}/metrics?${window}&groupBy=workspace`, { key });
  return body.summary.totalCost;
}

describe('Loading the usage of the demo', () => {
  const whole = [...demoUsage('meridian-freight', frozenNow, frozenNow)].flat();
  const monthAgo = '2026-10-20';
  const newest = whole.filter(({ time }) => time >= monthAgo);

  it('starts with the complete newest month, before any request, without earlier usage', async () => {
    await loadNewestDemoUsage(gateway.app.services, frozenNow);
    expect(await counted()).toBe(newest.length);
    expect(await answered(monthAgo)).toBe(Number(costOf(newest)) / 1e9);
  });

  it('continues with the previous year, and stops on request after a complete batch', async () => {
    const stopping = new AbortController();
    const loading = loadDemoUsage(gateway.app.services, frozenNow, stopping.signal);
    while ((await counted()) < newest.length + 5_000) await new Promise((resolve) => setTimeout(resolve, 5));
    stopping.abort();
    await loading;
    const left = await counted();
    expect(left).toBeLessThan(whole.length);
    const before = demoUsage('meridian-freight', frozenNow, frozenNow, { until: new Date(monthAgo) });
    const sums = [newest.length];
    for (const batch of before) sums.push((sums.at(-1) ?? 0) + batch.length);
    expect(sums).toContain(left);
    expect(await answered(monthAgo)).toBe(Number(costOf(newest)) / 1e9);
  });

  it('continues after it stopped, and counts every event once', async () => {
    const { db } = gateway.app.services;
    await loadDemoUsage(gateway.app.services, frozenNow);
    expect(await counted()).toBe(whole.length);
    await loadDemoUsage(gateway.app.services, frozenNow);
    expect(await counted()).toBe(whole.length);
    await rollUpAllUsage(db, gateway.app.services.usageMemory, frozenNow);
    expect(await answered('2025-11-20')).toBe(Number(costOf(whole)) / 1e9);
  });

  it('adds new usage when it is started again later', async () => {
    const since = [...demoUsage('meridian-freight', frozenNow, later, { from: frozenNow })].flat();
    await loadDemoUsage(gateway.app.services, later);
    expect(since.length).toBeGreaterThan(0);
    expect(await counted()).toBe(whole.length + since.length);
  });

  it('keeps usage that was recorded before the newest month was loaded first', async () => {
    const { db } = gateway.app.services;
    // In the order of time, from a year ago up to somewhere.
    await db.$executeRaw`DELETE FROM "usage_event" WHERE "account_id" = ${accountId}::uuid`;
    const place = { from: new Date('2026-10-02T00:00:00Z'), until: new Date('2026-10-04T00:00:00Z') };
    for (const batch of demoUsage('meridian-freight', frozenNow, frozenNow, place)) {
      await recordUsage(await allAccountsContext(gateway.app.services), batch);
    }
    await loadDemoUsage(gateway.app.services, frozenNow);
    const from = [...demoUsage('meridian-freight', frozenNow, frozenNow, { from: place.from })].flat();
    expect(await counted()).toBe(from.length);
  });

  it('leaves later usage to the data plane, and ends with deleted resources', async () => {
    const { app } = gateway;
    const { db } = app.services;
    app.clock.now = later;
    const { key } = await createKey(app, { accountId, principalId: idOf(demoOwner) });
    const executor = await anExecutor(app, 'new-data-plane');
    const changed = { workspace: mainWorkspace, name: 'customs-classifier' };
    await mutate(app, key, 'updateAgent', '__typename', { ...changed, spec: { runtime: { memory: 8192 } } });
    const gone = { workspace: mainWorkspace, name: 'invoice-notebook' };
    await mutate(app, key, 'deleteSandbox', '__typename', gone);
    for (const assignment of (await executor.claim({ first: 10 })).assignments) {
      await executor.report(assignment, { state: assignment.action === 'DELETE' ? 'TERMINATED' : 'DEPLOYED' });
    }
    const evenLater = new Date(later.getTime() + 2 * 86_400_000);
    await loadDemoUsage(gateway.app.services, evenLater);
    const since = async (resourceName: string) => {
      const series = await db.usageSeries.findMany({ where: { resourceName, workspace: mainWorkspace } });
      const ids = series.map(({ seriesId }) => seriesId);
      const hour = Math.floor(later.getTime() / 3_600_000);
      return db.usageEvent.count({ where: { accountId, seriesId: { in: ids }, hour: { gte: hour } } });
    };
    expect(await since('invoice-planner')).toBeGreaterThan(0);
    expect([await since(changed.name), await since(gone.name)]).toEqual([0, 0]);
  });
});
