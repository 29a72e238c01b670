// What a resource counts is written twice: in TypeScript, for changes, and in SQL, for the recount. Both agree.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { executionStates, isExecutionOver } from '../../src/lifecycle/execution-states.js';
import type { ExecutionState } from '../../src/lifecycle/execution-states.js';
import { concurrentStates, growthOf } from '../../src/quotas/growth.js';
import { readDifferences } from '../../src/quotas/usage-recount.js';
import { insertRows, newRow } from '../../src/demo/rows/insert-rows.js';
import { createTenant, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';

const running = useApp();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main'] });
});

const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined });
const region = optional(fc.constantFrom('eu', 'us'));
const scale = optional(fc.nat(2_000_000_000));
const runtime = optional(
  fc.record({ memory: optional(fc.integer({ min: 1, max: 2_000_000_000 })), minScale: scale, maxScale: scale }),
);
const workload = fc.record({ enabled: optional(fc.boolean()), region, runtime, parallelism: scale });

let names = 0;

const columnsOf = (spec: object) => ({
  name: `r${names++}`,
  spec,
  search: '',
  protected: false,
  created_at: '2026-11-20T12:00:00Z',
  updated_at: '2026-11-20T12:00:00Z',
});

describe('The growth of new resources', () => {
  it.each(['agent', 'sandbox', 'job'] as const)(
    '%s: is what the recount counts',
    { timeout: 120_000 },
    async (table) => {
      const { db } = running.app.services;
      const workspaceId = tenant.workspaces['main'] ?? '';
      await fc.assert(
        fc.asyncProperty(fc.array(workload, { minLength: 1, maxLength: 5 }), async (specs) => {
          const rows = specs.map((spec) =>
            newRow(workspaceId, { id: crypto.randomUUID(), events: [] }, columnsOf(spec)),
          );
          await db.$begin((tx) => insertRows(tx, table, rows));
          expect(await readDifferences(db, tenant.accountId)).toEqual([]);
        }),
        { numRuns: 40 },
      );
    },
  );

  it('previews: is what the recount counts, with a region of their own and without', async () => {
    const { db } = running.app.services;
    const workspaceId = tenant.workspaces['main'] ?? '';
    for (const ofSandbox of ['eu', undefined]) {
      const sandbox = newRow(workspaceId, { id: crypto.randomUUID(), events: [] }, columnsOf({ region: ofSandbox }));
      const previews = ['us', undefined].map((own) =>
        newRow(
          workspaceId,
          { id: crypto.randomUUID(), events: [] },
          { ...columnsOf({ region: own }), sandbox_id: sandbox.row.id },
        ),
      );
      await db.$begin((tx) => insertRows(tx, 'sandbox', [sandbox]));
      await db.$begin((tx) => insertRows(tx, 'sandbox_preview', previews));
    }
    expect(await readDifferences(db, tenant.accountId)).toEqual([]);
  });
});

it('counts the executions that have not ended as concurrent', () => {
  const isState = (name: string): name is ExecutionState => Object.hasOwn(executionStates, name);
  const open = Object.keys(executionStates).filter((name) => isState(name) && !isExecutionOver(name));
  expect([...concurrentStates].toSorted()).toEqual(open.toSorted());
});

it('is nothing for a change that quotas do not count', () => {
  const row = { workspaceId: 'w', spec: { region: 'eu', runtime: { memory: 1 } }, status: 'DEPLOYED' };
  const changed = { ...row, spec: { ...row.spec, name: 'x' }, status: 'FAILED' };
  expect(growthOf('AGENT', row, changed)).toEqual([]);
});
