// Whatever callers, executors and clocks do with executions in whatever order: their statistics are those of their tasks,
// no more tasks run than their parallelism allows, and all of them end. PROPERTY_RUNS says how many sequences are tried.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeGlobalId } from '../../src/api/graphql/global-id.js';
import { tendExecutions } from '../../src/lifecycle/tend-executions.js';
import { attemptsMax } from '../../src/lifecycle/work-kinds.js';
import { readDifferences } from '../../src/quotas/usage-recount.js';
import { createKey, createTenant, useApp } from '../harness.js';
import { addRegions, mutate } from '../resources/mutations.js';
import { anExecutor, endLeases } from './executor.js';
import type { TestExecutor } from './executor.js';

const running = useApp();
const runs = Number(process.env['PROPERTY_RUNS'] ?? 25);
const seed = Number(process.env['PROPERTY_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

const db = () => running.app.services.db;
const globalId = (id: string) => encodeGlobalId('JobExecution', id);
const tend = () => tendExecutions(db(), running.app.clock.now);

const which = fc.nat({ max: 200 });
const maxRetries = fc.constantFrom(undefined, 1, 2);
const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('run'),
      parallelism: fc.constantFrom(undefined, 1, 2),
      tasks: fc.array(fc.record({ maxRetries }), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('move'), region: fc.constantFrom('eu-open', 'eu-egress') }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('claim'), which, first: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constant('report'),
      which,
      state: fc.constantFrom('RUNNING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', undefined),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constantFrom('release', 'cancel', 'delete', 'expire', 'exhaust', 'overrun', 'timeOut', 'tend', 'wait'),
      which,
    }),
  },
);

interface Claim {
  id: string;
  fence: number;
  executor: TestExecutor;
}

/** Executions with the phases of their tasks, read without the code under test. */
async function executionsNow(accountId: string) {
  const executions = await db().jobExecution.findMany({ where: { workspace: { accountId } }, orderBy: { id: 'asc' } });
  const tasks = await db().assignment.findMany({ where: { accountId }, orderBy: { ordinal: 'asc' } });
  return executions.map((execution) => ({
    execution,
    phases: tasks.filter(({ resourceId }) => resourceId === execution.id).map(({ phase }) => phase),
  }));
}

/** What is wrong with the executions at any time. */
async function faults(accountId: string): Promise<string[]> {
  const found: string[] = [];
  for (const { execution, phases } of await executionsNow(accountId)) {
    const count = (phase: string) => phases.filter((each) => each === phase).length;
    const { parallelism = phases.length }: { parallelism?: number } = Object(execution.spec);
    const { retried: _, ...stats }: Record<string, number> = Object(execution.stats);
    const counted = {
      total: phases.length,
      running: count('RUNNING'),
      success: count('SUCCEEDED'),
      failure: count('FAILED'),
      cancelled: count('CANCELLED'),
    };
    if (JSON.stringify(stats) !== JSON.stringify(counted))
      found.push(`${JSON.stringify(stats)} of ${phases.join(' ')}`);
    if (count('RUNNING') + count('QUEUED') > parallelism) found.push(`${parallelism} at once of ${phases.join(' ')}`);
  }
  return found;
}

it('executions are counted right, run in their turn, and end', async () => {
  const { app } = running;
  await addRegions(app);
  const kinds = ['JOB_EXECUTION'];
  const one = await anExecutor(app, 'one', { kinds });
  const two = await anExecutor(app, 'two', { kinds, regions: ['eu-open'] });
  let runsSoFar = 0;
  const sequence = fc.array(step, { minLength: 10, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(sequence, async (steps) => {
      await db().assignment.deleteMany();
      const mark = `t${runsSoFar++}`;
      const tenant = await createTenant(app, { account: mark, workspaces: [`${mark}-main`] });
      const { accountId } = tenant;
      const { key } = await createKey(app, tenant);
      const inMain = { workspace: `${mark}-main` };
      const change = async (mutation: string, input: object) => {
        const result = await mutate(app, key, mutation, '__typename', input);
        expect(result.problems).toBeUndefined();
      };
      await change('createJob', { ...inMain, metadata: { name: 'import' }, spec: { region: 'eu-open' } });
      const claims: Claim[] = [];
      const succeeded = new Set<string>();
      const claim = async (executor: TestExecutor, first: number) => {
        const { assignments } = await executor.claim({ first });
        const taken: Claim[] = assignments.map((each: Omit<Claim, 'executor'>) => ({ ...each, executor }));
        claims.push(...taken);
        return taken;
      };
      const report = async ({ executor, ...held }: Claim, state: string | undefined) => {
        const answer = await executor.report(held, { state });
        if (answer.state === 'SUCCEEDED') succeeded.add(held.id.slice(-36));
        return answer;
      };
      const executionAt = async (index: number) => {
        const ids = (await executionsNow(accountId)).map(({ execution }) => execution.id);
        return ids[index % Math.max(1, ids.length)] ?? accountId;
      };
      const late = async (index: number, columns: string) => {
        const open = await db().assignment.findMany({
          where: { accountId, dueAt: { not: null } },
          orderBy: { id: 'asc' },
        });
        const task = open[index % Math.max(1, open.length)];
        if (task === undefined) return;
        await db().$executeRawUnsafe(`UPDATE "assignment" SET ${columns} WHERE "id" = '${task.id}'`);
        await tend();
      };
      for (const taken of steps) {
        const at =
          'which' in taken ? claims[claims.length - 1 - (taken.which % Math.max(1, claims.length))] : undefined;
        if (taken.does === 'run') {
          const { parallelism, tasks } = taken;
          await change('runJob', { ...inMain, name: 'import', parallelism, tasks });
        } else if (taken.does === 'move')
          await change('updateJob', { ...inMain, name: 'import', spec: { region: taken.region } });
        else if (taken.does === 'claim') await claim(taken.which % 2 === 0 ? one : two, taken.first);
        else if (taken.does === 'report' && at !== undefined) await report(at, taken.state);
        else if (taken.does === 'release' && at !== undefined) await at.executor.release(at);
        else if (taken.does === 'cancel')
          await change('cancelJobExecution', { id: globalId(await executionAt(taken.which)) });
        else if (taken.does === 'delete')
          await change('deleteJobExecution', { id: globalId(await executionAt(taken.which)) });
        else if (taken.does === 'expire') await endLeases(app);
        else if (taken.does === 'exhaust')
          await late(
            taken.which,
            `"attempt" = ${attemptsMax}, "lease_until" = NULL, "due_at" = now() - interval '1 second'`,
          );
        else if (taken.does === 'overrun') await late(taken.which, `"runs_until" = now() - interval '1 second'`);
        else if (taken.does === 'timeOut') {
          const id = await executionAt(taken.which);
          await db().jobExecution.updateMany({
            where: { id, completedAt: null },
            data: { deadlineAt: new Date(0) },
          });
          await tend();
        } else if (taken.does === 'tend') await tend();
        else if (taken.does === 'wait')
          await db()
            .$executeRaw`UPDATE "assignment" SET "due_at" = now() - interval '1 second' WHERE "due_at" > now() AND "lease_until" IS NULL`;
        expect(await faults(accountId)).toEqual([]);
      }
      for (;;) {
        await db()
          .$executeRaw`UPDATE "assignment" SET "due_at" = now() - interval '1 second', "lease_until" = NULL, "attempt" = 0 WHERE "due_at" IS NOT NULL`;
        await tend();
        const left = (await Promise.all([one, two].map((each) => claim(each, 100)))).flat();
        if (left.length === 0) break;
        for (const each of left) if ((await report(each, 'SUCCEEDED')).stop === true) await report(each, 'CANCELLED');
      }
      expect(await faults(accountId)).toEqual([]);
      const ended = await executionsNow(accountId);
      const open = ended.filter(({ execution }) => execution.completedAt === null);
      expect(open).toEqual([]);
      for (const { execution, phases } of ended) {
        expect(phases.filter((phase) => !['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(phase))).toEqual([]);
        expect(execution.status === 'succeeded').toBe(phases.every((phase) => phase === 'SUCCEEDED'));
      }
      const kept = await db().assignment.findMany({ where: { id: { in: [...succeeded] } } });
      expect(kept.filter(({ phase }) => phase !== 'SUCCEEDED')).toEqual([]);
      expect(await readDifferences(db(), accountId)).toEqual([]);
    }),
    { numRuns: runs, seed, endOnFailure: true },
  );
}, 600_000);
