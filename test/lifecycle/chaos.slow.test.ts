// Executors that die, sleep past their leases and report late: everything is carried out, and nothing by two at once.
import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { correctAllQuotaUsage } from '../../src/quotas/usage-recount.js';
import { createKey, createTenant, useApp } from '../harness.js';
import type { Answer } from '../harness.js';
import { mutate } from '../resources/mutations.js';
import { anExecutor } from './executor.js';
import type { TestExecutor } from './executor.js';

const running = useApp();
const executors = Number(process.env['CHAOS_EXECUTORS'] ?? 4);
const assignments = Number(process.env['CHAOS_ASSIGNMENTS'] ?? 24);

interface Claim {
  id: string;
  fence: number;
}

const db = () => running.app.services.db;

/** The end of the lease of one claim, as if its executor had slept. */
const sleepPast = ({ id, fence }: Claim) =>
  db().$executeRaw`
    UPDATE "assignment" SET "lease_until" = now() - interval '1 second', "due_at" = now() - interval '1 second', "attempt" = 1
    WHERE "id" = ${id.slice(-36)}::uuid AND "fence" = ${fence} AND "lease_until" IS NOT NULL`;

it('completes all work without concurrent claims, whatever the executors do', async () => {
  const { app } = running;
  const { key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main'] }));
  const workers = await Promise.all(Array.from({ length: executors }, (_, index) => anExecutor(app, `e${index}`)));
  for (let index = 0; index < assignments; index++) {
    await mutate(app, key, 'createSandbox', '__typename', { metadata: { name: `s${index}` } });
  }
  /** The fence numbers of accepted reports, by assignment, in order. */
  const taken = new Map<string, number[]>();
  const late: (() => Promise<void>)[] = [];
  const note = ({ id, fence }: Claim, answer: Answer['body']) => {
    if (answer.code === undefined) taken.set(id, [...(taken.get(id) ?? []), fence]);
    return answer;
  };
  const work = async (worker: TestExecutor): Promise<void> => {
    for (;;) {
      const claims: Claim[] = (await worker.claim({ first: randomInt(1, 5) })).assignments;
      if (claims.length === 0 && (await db().assignment.count({ where: { dueAt: { not: null } } })) === 0) return;
      for (const claim of claims) {
        const fate = randomInt(10);
        if (fate === 0) await worker.release(claim);
        else if (fate < 4) {
          if (fate === 1) note(claim, await worker.report(claim, { state: 'BUILDING' }));
          await sleepPast(claim);
          // It continues after a pause, when another executor may have the assignment.
          late.push(async () => {
            note(claim, await worker.report(claim, { state: 'DEPLOYED' }));
          });
        } else {
          note(claim, await worker.report(claim, { state: 'DEPLOYING' }));
          note(claim, await worker.report(claim, { state: 'DEPLOYED' }));
        }
        if (late.length > 0 && randomInt(2) === 0) await late.shift()?.();
      }
    }
  };
  await Promise.all(workers.map(work));
  for (const each of late) await each();
  const sandboxes = await db().sandbox.findMany();
  expect(sandboxes).toHaveLength(assignments);
  expect(sandboxes.filter(({ status }) => status !== 'DEPLOYED')).toEqual([]);
  // Once a claim was reported on, no older one ever was again.
  for (const fences of taken.values()) expect(fences).toEqual(fences.toSorted((one, other) => one - other));
  expect(taken.size).toBe(assignments);
  expect(await correctAllQuotaUsage(db(), new AbortController().signal)).toEqual([]);
});
