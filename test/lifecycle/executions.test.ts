// Executions of jobs, whose tasks executors run one by one.
import { encodeGlobalId } from '../../src/api/graphql/global-id.js';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { tendExecutions } from '../../src/lifecycle/tend-executions.js';
import { attemptsMax } from '../../src/lifecycle/work-kinds.js';
import { createKey, createTenant, graphql, useApp } from '../harness.js';
import type { Answer, Tenant } from '../harness.js';
import { addRegions, historyOf, mutate } from '../resources/mutations.js';
import { anExecutor, endLeases } from './executor.js';
import type { TestExecutor } from './executor.js';

const running = useApp();
let tenant: Tenant;
let key: string;
let one: TestExecutor;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(app, tenant));
  await addRegions(app);
  const metadata = { name: 'import' };
  const runtime = {
    memory: 512,
    envs: [
      { name: 'TOKEN', value: 'of the job', secret: true },
      { name: 'MODE', value: 'slow' },
    ],
  };
  const spec = { region: 'eu-open', runtime };
  await mutate(app, key, 'createJob', '__typename', { ...inMain, metadata, spec });
  one = await anExecutor(app, 'one', { kinds: ['JOB_EXECUTION'], regions: ['eu-open'] });
});

afterEach(async () => {
  await db().jobExecution.deleteMany();
});

const db = () => running.app.services.db;
const inMain = { workspace: 'main' };
const tend = () => tendExecutions(db(), running.app.clock.now);

async function runJob(more: object = {}): Promise<string> {
  const input = { ...inMain, name: 'import', ...more };
  const { jobExecution } = await mutate(running.app, key, 'runJob', 'jobExecution { metadata { id } }', input);
  return jobExecution.metadata.id;
}

const cancel = (executionId: string) =>
  mutate(running.app, key, 'cancelJobExecution', 'jobExecution { status }', {
    id: encodeGlobalId('JobExecution', executionId),
  });

async function executionNow(id: string): Promise<Answer['body']> {
  return db().jobExecution.findUniqueOrThrow({ where: { id } });
}

const tasks = (count: number, spec: object = {}) => Array.from({ length: count }, () => spec);
const statusesOf = async (id: string) =>
  (await historyOf(running.app, tenant))
    .filter(({ resourceId, verb }) => resourceId === id && verb === 'status')
    .map(({ status }) => status);

/** Has everything be due that waits for its time. */
const noWaiting = () =>
  db().$executeRaw`UPDATE "assignment" SET "due_at" = now() - interval '1 second' WHERE "due_at" > now()`;

describe('An execution', () => {
  it('that has not begun runs in the region to which its job moves', async () => {
    const { app } = running;
    const move = async (region: string) => {
      const moved = await mutate(app, key, 'updateJob', '__typename', { ...inMain, name: 'import', spec: { region } });
      expect(moved).toMatchObject({ __typename: 'UpdateJobPayload' });
    };
    const begun = await runJob({ parallelism: 1, tasks: tasks(2) });
    const [first] = (await one.claim()).assignments;
    await runJob({ parallelism: 1, tasks: tasks(2) });
    const there = await anExecutor(app, 'there', { kinds: ['JOB_EXECUTION'], regions: ['eu-egress'] });
    await move('eu-egress');
    const { assignments } = await there.claim();
    expect(assignments).toMatchObject([{ region: 'eu-egress', desired: { spec: { region: 'eu-egress' } } }]);
    await there.report(assignments[0], { state: 'SUCCEEDED' });
    expect((await there.claim()).assignments).toHaveLength(1);
    await one.report(first, { state: 'SUCCEEDED' });
    expect((await one.claim()).assignments).toMatchObject([{ region: 'eu-open' }]);
    expect((await executionNow(begun)).status).toBe('pending');
    await move('eu-open');
  });

  it('moves from queued to succeeded with its tasks, which determine its statistics and times', async () => {
    const id = await runJob({ tasks: tasks(2) });
    expect(await executionNow(id)).toMatchObject({ status: 'queued', startedAt: null });
    const { assignments } = await one.claim();
    expect(assignments.map(({ kind, action }: Answer['body']) => [kind, action])).toEqual(
      Array.from({ length: 2 }, () => ['JOB_EXECUTION', 'RUN']),
    );
    expect((await executionNow(id)).status).toBe('pending');
    const [first, second] = assignments;
    expect(await one.report(first, { state: 'RUNNING' })).toMatchObject({ state: 'RUNNING', stop: false });
    expect(await executionNow(id)).toMatchObject({ status: 'running', stats: { total: 2, running: 1 } });
    const conditions = [{ type: 'Completed', state: 'True', reason: 'Exited', message: 'exit code 0' }];
    await one.report(first, { state: 'SUCCEEDED', conditions });
    expect(await one.report(first, { state: 'SUCCEEDED', conditions })).toMatchObject({ state: 'SUCCEEDED' });
    const statuses =
      '{ job(workspace: "main", name: "import") { executions(first: 1) { nodes { tasks { status } } } } }';
    const { body } = await graphql(running.app, key, statuses);
    expect(body.data.job.executions.nodes[0].tasks).toEqual([{ status: 'SUCCEEDED' }, { status: 'QUEUED' }]);
    await one.report(second, { state: 'SUCCEEDED' });
    const over = await executionNow(id);
    expect(over).toMatchObject({
      status: 'succeeded',
      stats: { total: 2, running: 0, success: 2, failure: 0 },
      deadlineAt: null,
    });
    expect([over.startedAt, over.completedAt]).toEqual([expect.any(Date), expect.any(Date)]);
    expect(over.tasks[0]).toMatchObject({
      conditions,
      metadata: { startedAt: expect.any(String), completedAt: expect.any(String) },
    });
    expect(await statusesOf(id)).toEqual(['PENDING', 'RUNNING', 'SUCCEEDED']);
  });

  it('gives a task its input: the job with the overrides of this execution', async () => {
    const id = await runJob({
      envOverride: { TOKEN: 'of this run', MORE: 'x' },
      memoryOverride: 2048,
      tasks: [{ name: 'only', timeout: '2m' }],
    });
    const [claim] = (await one.claim()).assignments;
    const { metadata, spec, task } = claim.desired;
    const job = await db().job.findFirstOrThrow({ where: { name: 'import' } });
    expect(metadata).toEqual({ id: job.id, name: 'import', execution: id, workspace: 'main' });
    expect(task).toMatchObject({ name: 'only', ordinal: 1, spec: { timeout: '2m' } });
    const values = Object.fromEntries(spec.runtime.envs.map(({ name, value }: Answer['body']) => [name, value]));
    expect([spec.runtime.memory, values]).toEqual([2048, { MODE: 'slow', TOKEN: 'of this run', MORE: 'x' }]);
  });

  it('runs up to its parallelism at once, and starts the next task when one is over', async () => {
    await runJob({ parallelism: 2, tasks: tasks(4) });
    const [first] = (await one.claim()).assignments;
    expect((await one.claim()).assignments).toEqual([]);
    await one.report(first, { state: 'FAILED' });
    expect((await one.claim()).assignments).toMatchObject([{ desired: { task: { ordinal: 3 } } }]);
  });

  it('retries a failed task after a delay, and fails after the last attempt', async () => {
    const id = await runJob({ tasks: tasks(1, { maxRetries: 1 }) });
    const [first] = (await one.claim()).assignments;
    expect(await one.report(first, { state: 'FAILED', message: 'exit code 1' })).toMatchObject({ state: 'QUEUED' });
    expect((await one.claim()).assignments).toEqual([]);
    await noWaiting();
    const [second] = (await one.claim()).assignments;
    expect(await one.report(first, { state: 'SUCCEEDED' })).toMatchObject({ code: 'lease_lost' });
    expect(await one.report(second, { state: 'FAILED', message: 'exit code 2' })).toMatchObject({ state: 'FAILED' });
    expect(await executionNow(id)).toMatchObject({ status: 'failed', stats: { total: 1, failure: 1, retried: 1 } });
    expect((await historyOf(running.app, tenant)).at(-1)?.message).toBe('exit code 2');
  });

  it('answers a repeated report of a retried failure like the first, until the task is claimed again', async () => {
    const id = await runJob({ tasks: tasks(1, { maxRetries: 2 }) });
    const [first] = (await one.claim()).assignments;
    const failed = { state: 'FAILED', message: 'exit code 1' };
    const answer = await one.report(first, failed);
    expect(answer).toMatchObject({ state: 'QUEUED', leaseUntil: null, stop: false });
    expect(await one.report(first, failed)).toEqual(answer);
    for (const other of [{}, { state: 'RUNNING' }, { state: 'SUCCEEDED' }])
      expect(await one.report(first, other)).toMatchObject({ code: 'lease_lost' });
    expect(await db().assignment.findFirstOrThrow({ where: { resourceId: id } })).toMatchObject({ retries: 1 });
    await noWaiting();
    const [second] = (await one.claim()).assignments;
    expect(await one.report(first, failed)).toMatchObject({ code: 'lease_lost' });
    await endLeases(running.app);
    expect(await one.report(second, failed)).toMatchObject({ code: 'lease_lost' });
  });

  it('is cancelled immediately before the start, with its tasks', async () => {
    const id = await runJob({ tasks: tasks(3) });
    expect((await cancel(id)).jobExecution.status).toBe('CANCELLED');
    expect((await one.claim()).assignments).toEqual([]);
  });

  it('returns the states of its tasks in a dry run as in the run', async () => {
    const input = { ...inMain, name: 'import', parallelism: 1, tasks: tasks(2) };
    const fields = 'jobExecution { status tasks { status } spec { tasks { status } } }';
    const run = async (more: object = {}) => mutate(running.app, key, 'runJob', fields, { ...input, ...more });
    const waiting = [{ status: 'QUEUED' }, { status: 'WAITING' }];
    for (const more of [{ validateOnly: true }, {}]) {
      const { jobExecution } = await run(more);
      expect(jobExecution).toEqual({ status: 'QUEUED', tasks: waiting, spec: { tasks: waiting } });
    }
  });

  it('returns the states of its tasks in a dry run of its cancellation, and when it is deleted', async () => {
    const fields = 'jobExecution { status tasks { status } }';
    const changed = (mutation: string, executionId: string, more: object = {}) =>
      mutate(running.app, key, mutation, fields, { id: encodeGlobalId('JobExecution', executionId), ...more });
    const cancelled = { status: 'CANCELLED', tasks: [{ status: 'CANCELLED' }, { status: 'CANCELLED' }] };
    const id = await runJob({ tasks: tasks(2) });
    for (const more of [{ validateOnly: true }, {}])
      expect((await changed('cancelJobExecution', id, more)).jobExecution).toEqual(cancelled);
    expect((await changed('deleteJobExecution', id)).jobExecution).toEqual(cancelled);
    const mixed = await runJob({ tasks: tasks(2) });
    const [first, second] = (await one.claim()).assignments;
    await one.report(first, { state: 'SUCCEEDED' });
    await one.report(second, { state: 'FAILED' });
    const failed = { status: 'FAILED', tasks: [{ status: 'SUCCEEDED' }, { status: 'FAILED' }] };
    expect((await changed('deleteJobExecution', mixed, { validateOnly: true })).jobExecution).toEqual(failed);
    const input = { id: encodeGlobalId('JobExecution', mixed) };
    const query = `mutation ($input: DeleteJobExecutionInput!) {
      deleteJobExecution(input: $input) { ... on DeleteJobExecutionPayload { ${fields} } } }`;
    for (let time = 1; time <= 2; time++) {
      const { body } = await graphql(running.app, key, query, { input }, { 'idempotency-key': 'delete once' });
      expect(body.data.deleteJobExecution.jobExecution).toEqual(failed);
    }
    for (const state of ['SUCCEEDED', 'FAILED']) {
      const done = await runJob();
      await one.report((await one.claim()).assignments[0], { state });
      const over = { status: state, tasks: [{ status: state }] };
      expect((await changed('deleteJobExecution', done)).jobExecution).toEqual(over);
    }
  });

  it('stops running tasks on cancellation: waiting executors are notified, and reporting ones get it in the response', async () => {
    const id = await runJob({ parallelism: 2, tasks: tasks(3) });
    const { assignments } = await one.claim();
    const [first, second] = assignments;
    for (const each of assignments) await one.report(each, { state: 'RUNNING' });
    const held = assignments.map(({ id: of, fence }: Answer['body']) => ({ id: of, fence }));
    const waiting = one.claim({ leases: held, waitSeconds: 30 });
    await expect.poll(() => running.app.services.workSubscribers.waiting()).toBe(1);
    expect((await cancel(id)).jobExecution.status).toBe('CANCELLING');
    const told = await waiting;
    expect(told.stopping.toSorted()).toEqual([first.id, second.id].toSorted());
    expect(told.assignments).toEqual([]);
    expect(await one.report(first)).toMatchObject({ stop: true });
    await one.report(first, { state: 'CANCELLED' });
    expect((await executionNow(id)).status).toBe('cancelling');
    // Without an executor a task ends within a moment; ended tasks stay as they are.
    await tend();
    await one.report(second, { state: 'SUCCEEDED' });
    expect(await executionNow(id)).toMatchObject({
      status: 'cancelled',
      stats: { total: 3, success: 1, cancelled: 2, running: 0 },
    });
  });

  it('is cancelled even if no executor responds any more', async () => {
    const id = await runJob({ tasks: tasks(1, { maxRetries: 3 }) });
    const [{ id: of, fence }] = (await one.claim()).assignments;
    await one.report({ id: of, fence }, { state: 'RUNNING' });
    await cancel(id);
    await tend();
    expect((await executionNow(id)).status).toBe('cancelling');
    expect(await one.claim({ leases: [{ id: of, fence }] })).toMatchObject({ lost: [], stopping: [of] });
    await endLeases(running.app);
    // Nothing is to be reported any more.
    expect(await one.claim({ leases: [{ id: of, fence }] })).toMatchObject({ lost: [of], stopping: [] });
    await tend();
    expect((await executionNow(id)).status).toBe('cancelled');
  });

  it('ends at its timeout without a report, and its executor loses the lease', async () => {
    const id = await runJob({ timeout: 60, parallelism: 1, tasks: tasks(2) });
    const [claim] = (await one.claim()).assignments;
    await one.report(claim, { state: 'RUNNING' });
    await tend();
    expect((await executionNow(id)).status).toBe('running');
    await db()
      .$executeRaw`UPDATE "job_execution" SET "deadline_at" = now() - interval '1 second' WHERE "id" = ${id}::uuid`;
    await tend();
    const over = await executionNow(id);
    expect(over).toMatchObject({ status: 'timeout', stats: { total: 2, running: 0, cancelled: 2 } });
    expect(over.tasks[0].conditions).toMatchObject([{ reason: 'Timeout' }]);
    expect(await one.report(claim, { state: 'SUCCEEDED' })).toMatchObject({ code: 'lease_lost' });
    expect((await one.claim()).assignments).toEqual([]);
  });

  it('fails a task at its timeout, which counts as an attempt', async () => {
    const id = await runJob({ tasks: tasks(1, { maxRetries: 1, timeout: '30s' }) });
    for (const status of ['running', 'failed']) {
      await noWaiting();
      const [claim] = (await one.claim()).assignments;
      await one.report(claim, { state: 'RUNNING' });
      await db()
        .$executeRaw`UPDATE "assignment" SET "runs_until" = now() - interval '1 second' WHERE "runs_until" IS NOT NULL`;
      await tend();
      expect(await one.report(claim)).toMatchObject({ code: 'lease_lost' });
      expect((await executionNow(id)).status).toBe(status);
    }
    const { conditions } = (await executionNow(id)).tasks[0];
    expect(conditions.map(({ reason }: Answer['body']) => reason)).toEqual(['Timeout', 'Timeout']);
  });

  it('fails a task that was claimed repeatedly and never reported on', async () => {
    const id = await runJob({ tasks: tasks(1) });
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      expect((await one.claim()).assignments).toMatchObject([{ attempt }]);
      await endLeases(running.app);
    }
    expect((await one.claim()).assignments).toEqual([]);
    await tend();
    expect(await executionNow(id)).toMatchObject({ status: 'failed', stats: { failure: 1 } });
  });

  it.each(['SUCCEEDED', 'FAILED'])(
    'counts a task once that another claim takes over while it runs, and ends %s',
    async (state) => {
      const id = await runJob({ tasks: tasks(1) });
      const statsNow = async () => (await executionNow(id)).stats;
      await one.report((await one.claim()).assignments[0], { state: 'RUNNING' });
      await endLeases(running.app);
      const [again] = (await one.claim()).assignments;
      expect(await one.report(again, { state: 'RUNNING' })).toMatchObject({ state: 'RUNNING' });
      expect(await statsNow()).toMatchObject({ total: 1, running: 1 });
      await one.report(again, { state });
      expect(await statsNow()).toMatchObject({ running: 0, success: state === 'SUCCEEDED' ? 1 : 0 });
    },
  );

  it('counts a running task once whose executors all fell silent', async () => {
    const id = await runJob({ tasks: tasks(1) });
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const [claim] = (await one.claim()).assignments;
      if (attempt === 1) await one.report(claim, { state: 'RUNNING' });
      await endLeases(running.app);
    }
    await tend();
    expect(await executionNow(id)).toMatchObject({ status: 'failed', stats: { running: 0, failure: 1 } });
  });

  it('keeps the conditions and the logs of a report that does not change the state, once', async () => {
    const id = await runJob({ tasks: tasks(1) });
    const [claim] = (await one.claim()).assignments;
    const pulled = { type: 'Pulled', state: 'True' };
    const ready = { type: 'Ready', state: 'True' };
    await one.report(claim, { conditions: [pulled] });
    await one.report(claim, { state: 'RUNNING', conditions: [ready] });
    const logsUrl = 'https://logs.example.com/task';
    const again = { state: 'RUNNING', conditions: [ready, { type: 'Ready', state: 'False' }], logsUrl };
    for (const report of [again, again, {}]) {
      expect(await one.report(claim, report)).toMatchObject({ state: 'RUNNING', leaseUntil: expect.any(String) });
    }
    await one.report(claim, { conditions: [ready] });
    const { tasks: after, stats, status } = await executionNow(id);
    expect(after[0].conditions).toEqual([pulled, ready, { type: 'Ready', state: 'False' }, ready]);
    expect([status, stats]).toMatchObject(['running', { running: 1 }]);
    expect(await db().assignment.findFirst({ where: { resourceId: id } })).toMatchObject({ logsUrl });
    expect(await statusesOf(id)).toEqual(['PENDING', 'RUNNING']);
  });

  it('rejects an invalid report with the codes and limits of every input, and takes null as absent', async () => {
    const id = await runJob({ tasks: tasks(1) });
    const [claim] = (await one.claim()).assignments;
    const report = `mutation ($input: ExecutorReportAssignmentInput!) { executorReportAssignment(input: $input) {
      ... on InvalidInputError { problems { path code message limit actual } } } }`;
    const broken = {
      message: 'x'.repeat(1_025),
      logsUrl: 'javascript:alert(1)',
      instances: -1,
      conditions: [{ type: 'a\u0000' }],
    };
    const input = { id: claim.id, fence: claim.fence, state: 'RUNNING', ...broken };
    const { body } = await graphql(running.app, one.key, report, { input });
    expect(body.data.executorReportAssignment.problems).toEqual([
      expect.objectContaining({ path: ['message'], code: 'too_long', limit: 1_024, actual: 1_025 }),
      expect.objectContaining({ path: ['logsUrl'], code: 'invalid_format' }),
      expect.objectContaining({ path: ['instances'], code: 'too_small', limit: 0, actual: -1 }),
      expect.objectContaining({ path: ['conditions', '0', 'type'], code: 'invalid_format' }),
    ]);
    const conditions = [{ type: 'Pulled', state: null, reason: null }];
    expect(await one.report(claim, { state: 'RUNNING', conditions, logsUrl: null })).toMatchObject({
      state: 'RUNNING',
    });
    expect((await executionNow(id)).tasks[0].conditions).toEqual([{ type: 'Pulled' }]);
  });

  it('is deleted with its job, including its tasks', async () => {
    await mutate(running.app, key, 'createJob', '__typename', {
      ...inMain,
      metadata: { name: 'other' },
      spec: { region: 'eu-open' },
    });
    await mutate(running.app, key, 'runJob', '__typename', { ...inMain, name: 'other' });
    const [claim] = (await one.claim()).assignments;
    await mutate(running.app, key, 'deleteJob', '__typename', { ...inMain, name: 'other' });
    expect(await one.report(claim, { state: 'SUCCEEDED' })).toMatchObject({ code: 'lease_lost' });
  });

  it('accepts only task states, in their order', async () => {
    await runJob();
    const [claim] = (await one.claim()).assignments;
    expect((await one.report(claim, { state: 'DEPLOYED' })).problems).toMatchObject([{ path: ['state'] }]);
    expect(await one.report(claim, { state: 'WAITING' })).toMatchObject({ code: 'conflict' });
    const many = Array.from({ length: 11 }, () => ({ type: 'x' }));
    expect((await one.report(claim, { conditions: many })).problems).toMatchObject([{ path: ['conditions'] }]);
    await one.report(claim, { state: 'SUCCEEDED' });
    expect(await one.report(claim, { state: 'RUNNING' })).toMatchObject({ code: 'lease_lost' });
  });
});
