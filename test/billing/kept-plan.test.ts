// PostgreSQL plans the sums of an account's cells once per connection, and not for each query.
import { beforeAll, expect, it } from 'vitest';
import { Reads } from '../../src/database/reads.js';
import { sumsStatement } from '../../src/billing/metrics-statements.js';
import { readSums } from '../../src/billing/read-sums.js';
import { splitWindow } from '../../src/metering/window.js';
import type { Resolution } from '../../src/metering/window.js';
import type { GroupDimension } from '../../src/metering/dimensions.js';
import { rollUpUsage } from '../../src/metering/usage-rollup.js';
import { recordUsage } from '../../src/metering/usage.js';
import { executeInTurns } from '../database/kept-plans.js';
import { isCluster } from '../database-kind.js';
import { frozenNow, useApp } from '../harness.js';
import { northwind, usageEvent } from '../metering/usage-samples.js';

const running = useApp({}, { ownDatabase: true });
let accountId: string;
const end = Date.UTC(2026, 10, 19) / 3_600_000;

beforeAll(async () => {
  const { db } = running.app.services;
  const owner = await northwind(running.app);
  ({ accountId } = owner);
  for (let from = 0; from < 3_000; from += 1_000) {
    const events = Array.from({ length: 1_000 }, (_, n) => usageEvent(from + n));
    await recordUsage(owner.ctx, events);
  }
  await rollUpUsage(db, running.app.services.usageMemory, accountId, frozenNow);
  await db.$executeRaw`ANALYZE "usage_cell", "usage_account", "usage_batch"`;
});

// The coordinator of a cluster plans each execution, because it has to choose the worker.
it
  .skipIf(isCluster)
  .each([
    { groupBy: [] },
    { groupBy: ['workspace'] },
    { groupBy: ['billing_dimension'] },
    { groupBy: ['workspace', 'resource_type', 'billing_dimension'] },
  ] satisfies { groupBy: GroupDimension[] }[])(
  'The plan of sums by $groupBy is cached, for hours and for a month',
  async ({ groupBy }) => {
    const { db } = running.app.services;
    const scopeOf = (hours: number, resolution: Resolution) => ({
      accountId,
      filters: {},
      workspaces: undefined,
      asOf: undefined,
      ...splitWindow({ start: { hour: end - hours, nano: 0 }, end: { hour: end, nano: 0 } }, resolution),
    });
    const scopes = [scopeOf(6, 'hourly'), scopeOf(24 * 30, 'daily')];
    const grouping = { groupBy, enriched: [] };
    const page = { order: 'key', direction: 'forward', limit: 100, after: undefined } as const;
    const statements = scopes.map((scope) => sumsStatement(scope, grouping, page));
    const { kept, possible, answers } = await executeInTurns(db, statements);
    expect(kept).toBe(possible);
    for (const [place, scope] of scopes.entries()) {
      const sums = await readSums(
        { db, reads: new Reads(db), usageMemory: running.app.services.usageMemory },
        scope,
        grouping,
        page,
        () => frozenNow,
      );
      expect(answers[place]).toEqual(sums);
      expect(sums.total[0]).not.toBe('0');
    }
  },
);
