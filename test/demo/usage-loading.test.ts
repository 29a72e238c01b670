// Loading the demo's usage: through the same door as anybody's, broken off and gone on with.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { demoOwner } from '../../src/demo/company.js';
import { loadDemo } from '../../src/demo/load.js';
import { idOf } from '../../src/demo/random.js';
import { demoUsage, loadDemoUsage } from '../../src/demo/usage.js';
import { foldAllUsage } from '../../src/usage/usage-fold.js';
import { createKey, frozenNow, rest, useApp } from '../harness.js';

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
});
