// Loading the demo's usage: through the same door as anybody's, broken off and gone on with.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { demoOwner, mainWorkspace } from '../../src/demo/company.js';
import { loadDemo } from '../../src/demo/load.js';
import { idOf } from '../../src/demo/random.js';
import { demoUsage, loadDemoUsage } from '../../src/demo/usage.js';
import { foldAllUsage } from '../../src/usage/fold-all-usage.js';
import { createKey, frozenNow, rest, useApp } from '../harness.js';
import { anExecutor } from '../lifecycle/executor.js';
import { mutate } from '../resources/mutations.js';

// A year of usage is loaded and folded, which takes long where a disk is slow.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 180_000 });

const gateway = useApp();
const later = new Date(frozenNow.getTime() + 3 * 86_400_000);
const accountId = idOf('meridian-freight');

beforeAll(async () => {
  const { services } = gateway.app;
  await loadDemo(services.db, services.seal, { end: frozenNow });
});

const counted = async () => gateway.app.services.db.usageEvent.count({ where: { accountId } });

/** In nano-dollars. */
function costOf(events: { cost: string }[]): bigint {
  return events.reduce((sum, { cost }) => {
    const [whole = '0', fraction = ''] = cost.split('.');
    return sum + BigInt(whole + fraction.padEnd(9, '0'));
  }, 0n);
}

describe('Loading the usage of the demo', () => {
  const whole = [...demoUsage('meridian-freight', frozenNow, frozenNow)].flat();

  it('stops when it is told to, with nothing but whole batches', async () => {
    const { db } = gateway.app.services;
    const stopping = new AbortController();
    const loading = loadDemoUsage(db, frozenNow, stopping.signal);
    while ((await counted()) < 5_000) await new Promise((resolve) => setTimeout(resolve, 5));
    stopping.abort();
    await loading;
    const left = await counted();
    expect(left).toBeLessThan(whole.length);
    const sums: number[] = [];
    for (const batch of demoUsage('meridian-freight', frozenNow, frozenNow))
      sums.push((sums.at(-1) ?? 0) + batch.length);
    expect(sums).toContain(left);
  });

  it('goes on where it stopped, and counts every event once', async () => {
    const { db } = gateway.app.services;
    await loadDemoUsage(db, frozenNow);
    expect(await counted()).toBe(whole.length);
    await loadDemoUsage(db, frozenNow);
    expect(await counted()).toBe(whole.length);
    await foldAllUsage(db, frozenNow);
    const { key } = await createKey(gateway.app, { accountId, principalId: idOf(demoOwner) });
    const window = 'startTime=2025-11-20T00:00:00Z&endTime=2026-11-20T12:00:00Z';
    const { body } = await rest(gateway.app, `/accounts/${accountId}/metrics?${window}&groupBy=workspace`, { key });
    expect(body.data).toHaveLength(4);
    expect(body.summary.totalCost).toBe(Number(costOf(whole)) / 1e9);
  });

  it('brings what has happened since, when it is started again later', async () => {
    const { db } = gateway.app.services;
    const since = [...demoUsage('meridian-freight', frozenNow, later, frozenNow)].flat();
    await loadDemoUsage(db, later);
    expect(since.length).toBeGreaterThan(0);
    expect(await counted()).toBe(whole.length + since.length);
  });

  it('leaves to the data plane what that has taken over, and ends with what is gone', async () => {
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
      await executor.report(assignment, { state: assignment.wanted === 'DELETE' ? 'TERMINATED' : 'DEPLOYED' });
    }
    const evenLater = new Date(later.getTime() + 2 * 86_400_000);
    await loadDemoUsage(db, evenLater);
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
