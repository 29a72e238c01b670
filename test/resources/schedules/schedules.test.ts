// Schedules: jobs with a schedule, and cron triggers of agents.
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runSchedules } from '../../../src/resources/schedules/run-schedules.js';
import { waitingMax } from '../../../src/lifecycle/assign.js';
import { tendInvocations } from '../../../src/lifecycle/invocation-steps.js';
import { attemptsMax } from '../../../src/lifecycle/work-kinds.js';
import { frameContext } from '../../../src/cli/operator/operator-context.js';
import { deleteExecutor, revokeExecutor } from '../../../src/resources/executors/executor-changes.js';
import type { AgentInput } from '../../../src/demo/rows/agent-input.js';
import { addAgents, createKey, createTenant, graphql, useApp } from '../../harness.js';
import type { Answer, Tenant } from '../../harness.js';
import { anExecutor, endLeases } from '../../lifecycle/executor.js';
import type { TestExecutor } from '../../lifecycle/executor.js';
import { addRegions, historyOf, mutate, problemsOf } from '../mutations.js';
import { beginAt, makeClock, moveTo, simulatedClock } from './simulated-clock.js';

const running = useApp();
const noon = new Date('2026-11-20T12:00:00.000Z');
const inMain = { workspace: 'main' };
let tenant: Tenant;
let key: string;

const db = () => running.app.services.db;

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(running.app, tenant));
  await addRegions(running.app);
  await makeClock(db());
});

beforeEach(() => moveTo(db(), noon));

afterEach(async () => {
  for (const { name } of await db().executor.findMany()) {
    await revokeExecutor(await frameContext(running.app.services), { name });
    await deleteExecutor(await frameContext(running.app.services), { name });
  }
  await db().job.deleteMany();
  await db().agent.deleteMany();
  await db().assignment.deleteMany();
});

const at = (time: string) => new Date(`2026-11-${time}.000Z`);

/** Advances the clock to a time, and runs the schedules. */
async function runAt(time: string): Promise<void> {
  await moveTo(db(), at(time));
  await runSchedules(running.app.services, simulatedClock);
}

const createJob = (name: string, spec: object, more: object = {}) =>
  mutate(running.app, key, 'createJob', 'job { version }', { ...inMain, metadata: { name }, spec, ...more });
const updateJob = (name: string, spec: object) =>
  mutate(running.app, key, 'updateJob', 'job { version }', { ...inMain, name, spec });

/** The scheduled times of the created executions. */
async function timesMade(): Promise<(string | undefined)[]> {
  const rows = await db().jobExecution.findMany({ orderBy: { scheduledAt: 'asc' } });
  return rows.map(({ scheduledAt }) => scheduledAt?.toISOString().slice(8, 16));
}

/** The records of the times at which a resource was skipped. */
async function skipped(resource: string) {
  const history = await historyOf(running.app, tenant);
  return history.filter(({ verb, name }) => verb === 'denied' && name === resource);
}

/** Has so many executions of the only job wait that were scheduled earlier, and that no executor has. */
const waitInVain = (count: number) => db().$executeRaw`
  INSERT INTO "job_execution" ("id", "workspace_id", "job_id", "status", "spec", "stats", "tasks", "scheduled_at")
  SELECT gen_random_uuid(), j."workspace_id", j."id", 'queued', '{}', '{}',
    '[{ "metadata": { "name": "task-0" }, "spec": {}, "conditions": [] }]', '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 minute'
  FROM "job" AS j, generate_series(1, ${count}) AS n`;

describe('A job with a schedule', () => {
  it('has an execution at each scheduled time, and not before', async () => {
    await createJob('hourly', { schedule: '0 * * * *', parallelism: 2, timeout: 60 });
    await beginAt(db(), noon);
    for (const time of ['20T12:00:00', '20T12:59:59', '20T13:00:00', '20T13:00:01', '20T13:59:00']) await runAt(time);
    expect(await timesMade()).toEqual(['20T13:00']);
    await runAt('20T14:00:00');
    expect(await timesMade()).toEqual(['20T13:00', '20T14:00']);
    const query = `{ job(name: "hourly", workspace: "main") {
      spec { schedule timeZone }
      executions(orderBy: { field: CREATED_AT, direction: ASC }) { nodes { scheduledAt status spec { parallelism timeout } tasks { metadata { name } } } } } }`;
    const { body } = await graphql(running.app, key, query);
    expect(body.data.job.spec).toEqual({ schedule: '0 * * * *', timeZone: null });
    expect(body.data.job.executions.nodes[0]).toMatchObject({
      status: 'QUEUED',
      spec: { parallelism: 2, timeout: 60 },
      tasks: [{ metadata: { name: 'task-0' } }],
    });
    const history = await historyOf(running.app, tenant);
    expect(history.at(-1)).toMatchObject({
      kind: 'JOB_EXECUTION',
      verb: 'created',
      actorKind: 'system',
      message: 'Created by the schedule of the job, scheduled for 2026-11-20T14:00:00.000Z',
      after: { metadata: { job: 'hourly', workspace: 'main' }, status: 'queued' },
    });
  });

  it('has one execution for all missed times: for the last of them', async () => {
    await createJob('often', { schedule: '*/10 * * * *' });
    await beginAt(db(), noon);
    await runAt('23T08:05:00');
    await runAt('23T08:09:59');
    expect(await timesMade()).toEqual(['23T08:00']);
    await runAt('23T08:10:00');
    expect(await timesMade()).toEqual(['23T08:00', '23T08:10']);
  });

  it('follows the clocks of its time zone', async () => {
    await createJob('morning', { schedule: '0 9 * * *', timeZone: 'America/New_York' });
    await beginAt(db(), noon);
    await runAt('20T13:59:59');
    expect(await timesMade()).toEqual([]);
    await runAt('20T14:00:00');
    expect(await timesMade()).toEqual(['20T14:00']);
  });

  it('has no execution while it is disabled, nor later for that time', async () => {
    await createJob('hourly', { schedule: '0 * * * *' });
    await beginAt(db(), noon);
    await updateJob('hourly', { enabled: false });
    await runAt('20T14:30:00');
    expect([await timesMade(), await db().schedule.count()]).toEqual([[], 0]);
    await updateJob('hourly', { enabled: true });
    await beginAt(db(), at('20T14:30:00'));
    await runAt('20T14:59:00');
    await runAt('20T15:00:00');
    expect(await timesMade()).toEqual(['20T15:00']);
  });

  it('follows an updated schedule, and none after it is removed', async () => {
    await createJob('changing', { schedule: '0 13 * * *' });
    await beginAt(db(), noon);
    await updateJob('changing', { schedule: '0 15 * * *' });
    await beginAt(db(), noon);
    await runAt('20T14:00:00');
    expect(await timesMade()).toEqual([]);
    await updateJob('changing', { parallelism: 3 });
    await runAt('20T15:00:00');
    expect(await timesMade()).toEqual(['20T15:00']);
    await updateJob('changing', { schedule: null });
    await runAt('22T15:00:00');
    expect(await timesMade()).toEqual(['20T15:00']);
  });

  it('that is new or updated applies from then onwards', async () => {
    expect(await db().schedule.count()).toBe(0);
    await createJob('new', { schedule: '* * * * *' });
    const [schedule] = await db().schedule.findMany();
    const sinceMs = Date.now() - (schedule?.afterAt.getTime() ?? 0);
    expect(Math.abs(sinceMs)).toBeLessThan(600_000);
    expect(schedule?.dueAt).not.toBeNull();
  });

  it('is deleted with its schedule', async () => {
    await createJob('gone', { schedule: '* * * * *' });
    await beginAt(db(), noon);
    await mutate(running.app, key, 'deleteJob', '__typename', { ...inMain, name: 'gone' });
    await runAt('20T13:00:00');
    expect([await db().jobExecution.count(), await db().schedule.count()]).toEqual([0, 0]);
  });

  it('whose deletion failed has no execution until it is deployed again', async () => {
    const one = await anExecutor(running.app, 'one', { kinds: ['JOB'] });
    await createJob('stuck', { schedule: '0 * * * *' });
    await one.report((await one.claim()).assignments[0], { state: 'DEPLOYED' });
    await beginAt(db(), noon);
    await mutate(running.app, key, 'deleteJob', '__typename', { ...inMain, name: 'stuck' });
    const [removal] = (await one.claim()).assignments;
    expect(await one.report(removal, { state: 'FAILED' })).toMatchObject({ state: 'FAILED' });
    await mutate(running.app, key, 'updateJob', '__typename', {
      ...inMain,
      name: 'stuck',
      metadata: { displayName: 'Stuck' },
    });
    await runAt('20T13:00:00');
    expect([await timesMade(), await db().schedule.count()]).toEqual([[], 0]);
    await mutate(running.app, key, 'redeployJob', '__typename', { ...inMain, name: 'stuck' });
    await beginAt(db(), at('20T13:00:00'));
    await runAt('20T14:00:00');
    expect(await timesMade()).toEqual(['20T14:00']);
  });

  it('has one execution for a time, also if an update that began before it counts from then', async () => {
    await createJob('hourly', { schedule: '0 * * * *' });
    await beginAt(db(), noon);
    await runAt('20T13:00:00');
    await beginAt(db(), at('20T12:59:59'));
    await runAt('20T13:00:01');
    expect(await timesMade()).toEqual(['20T13:00']);
    await runAt('20T14:00:00');
    expect(await timesMade()).toEqual(['20T13:00', '20T14:00']);
  });

  it('that is broken stops no other one, and is reported', async () => {
    await createJob('broken', { schedule: '0 * * * *' });
    await createJob('hourly', { schedule: '0 * * * *' });
    await beginAt(db(), noon);
    const { id } = await db().job.findFirstOrThrow({ where: { name: 'broken' } });
    await db().$executeRaw`UPDATE "schedule" SET "time_zone" = 'Mars/Olympus' WHERE "resource_id" = ${id}::uuid`;
    await expect(runAt('20T13:00:00')).rejects.toMatchObject({
      message: '1 schedules cannot be run',
      errors: [{ message: expect.stringContaining(id), cause: { message: expect.stringContaining('Mars/Olympus') } }],
    });
    expect(await timesMade()).toEqual(['20T13:00']);
  });

  it('that never occurs is read once', async () => {
    await createJob('never', { schedule: '0 0 30 2 *' });
    await beginAt(db(), noon);
    await runAt('20T13:00:00');
    expect(await db().schedule.findMany()).toMatchObject([{ dueAt: null }]);
    expect(await timesMade()).toEqual([]);
  });

  it('has tasks for executors, if there are any', async () => {
    const one = await anExecutor(running.app, 'one', { kinds: ['JOB_EXECUTION'] });
    await createJob('hourly', { schedule: '0 * * * *' });
    await beginAt(db(), noon);
    await runAt('20T13:00:00');
    const [claim] = (await one.claim()).assignments;
    expect(claim).toMatchObject({ kind: 'JOB_EXECUTION', action: 'RUN', desired: { metadata: { name: 'hourly' } } });
    expect(await one.report(claim, { state: 'SUCCEEDED' })).toMatchObject({ state: 'SUCCEEDED' });
    expect(await db().jobExecution.findMany()).toMatchObject([{ status: 'succeeded' }]);
  });

  it('creates a limited number of executions that never start, and records the times that it skips', async () => {
    await createJob('crowded', { schedule: '* * * * *' });
    await beginAt(db(), noon);
    await waitInVain(waitingMax - 1);
    for (const time of ['20T12:01:00', '20T12:02:00', '20T12:03:00']) await runAt(time);
    expect(await db().jobExecution.count()).toBe(waitingMax);
    const reason = 'was not created. 1,000 executions of its schedules wait, and none has begun.';
    expect(await skipped('crowded')).toMatchObject([
      { kind: 'JOB', message: `The execution scheduled for 2026-11-20T12:02:00.000Z ${reason}` },
      { kind: 'JOB', message: `The execution scheduled for 2026-11-20T12:03:00.000Z ${reason}` },
    ]);
    await db().jobExecution.updateMany({ data: { status: 'succeeded' } });
    await runAt('20T12:04:00');
    expect((await timesMade()).slice(-2)).toEqual(['20T12:01', '20T12:04']);
  });

  it('runs again once an executor is registered, whatever waits from before', async () => {
    await createJob('idle', { schedule: '* * * * *' });
    await beginAt(db(), noon);
    await waitInVain(waitingMax);
    await runAt('20T12:01:00');
    expect(await db().jobExecution.count()).toBe(waitingMax);
    const one = await anExecutor(running.app, 'one', { kinds: ['JOB_EXECUTION'] });
    await runAt('20T12:02:00');
    expect((await timesMade()).at(-1)).toBe('20T12:02');
    const { assignments } = await one.claim();
    expect(assignments).toHaveLength(1);
    expect(await one.report(assignments[0], { state: 'SUCCEEDED' })).toMatchObject({ state: 'SUCCEEDED' });
  });

  it('runs again after its job moved to a region with an executor, and what waited begins there', async () => {
    await anExecutor(running.app, 'away', { kinds: ['JOB_EXECUTION'], regions: ['eu-open'] });
    const here = await anExecutor(running.app, 'here', { kinds: ['JOB_EXECUTION'], regions: ['eu-egress'] });
    await createJob('idle', { region: 'eu-open', schedule: '* * * * *' });
    await beginAt(db(), noon);
    await waitInVain(waitingMax);
    await db().$executeRaw`
      INSERT INTO "assignment" ("kind", "resource_id", "task", "account_id", "workspace_id", "workspace", "region", "wanted",
        "phase", "due_at")
      SELECT 'JOB_EXECUTION', "id", 'task-0', ${tenant.accountId}::uuid, "workspace_id", 'main', 'eu-open', 'run', 'QUEUED',
        now() FROM "job_execution"`;
    await runAt('20T12:01:00');
    expect(await db().jobExecution.count()).toBe(waitingMax);
    await updateJob('idle', { region: 'eu-egress' });
    expect((await here.claim()).assignments).toHaveLength(10);
    await runAt('20T12:02:00');
    expect((await timesMade()).at(-1)).toBe('20T12:02');
  });

  it('requires a valid schedule and time zone', async () => {
    const wrong = await createJob('wrong', { schedule: '@daily', timeZone: 'Mars/Olympus' });
    expect(problemsOf(wrong)).toEqual(['spec.schedule invalid_format', 'spec.timeZone invalid_value']);
    expect(problemsOf(await createJob('zone', { timeZone: 'Europe/Berlin' }))).toEqual(['spec.timeZone not_available']);
    expect(problemsOf(await createJob('offset', { schedule: '* * * * *', timeZone: '+02:00' }))).toEqual([
      'spec.timeZone invalid_value',
    ]);
  });
});

describe('A cron trigger of an agent', () => {
  const configuration = { schedule: '30 * * * *', tasks: [{ prompt: 'report' }], retry: 1 };
  const trigger = { id: 'report', type: 'CRON', configuration };
  const runtime = { envs: [{ name: 'TOKEN', value: 'a secret', secret: true }] };
  const createAgent = (name: string, spec: object) =>
    mutate(running.app, key, 'createAgent', 'agent { version }', { ...inMain, metadata: { name }, spec });
  const updateAgent = (name: string, spec: object) =>
    mutate(running.app, key, 'updateAgent', 'agent { version }', { ...inMain, name, spec });

  /** An agent whose trigger was due once, and the executor that claims it. */
  async function invoked(more: object = {}): Promise<{ one: TestExecutor; claim: Answer['body'] }> {
    const one = await anExecutor(running.app, 'one', { kinds: ['AGENT_INVOCATION'], regions: ['eu-open'] });
    await createAgent('bot', { region: 'eu-open', runtime, triggers: [{ ...trigger, ...more }] });
    await beginAt(db(), noon);
    await runAt('20T12:30:00');
    const [claim] = (await one.claim()).assignments;
    return { one, claim };
  }

  const eventsOf = async () =>
    (await historyOf(running.app, tenant))
      .filter(({ kind }) => kind === 'AGENT_INVOCATION')
      .map(({ name, verb, status, actorKind }) => [name, verb, status, actorKind].join(' '));

  it('is run by an executor, and recorded in the change log', async () => {
    const before = (await eventsOf()).length;
    const { one, claim } = await invoked();
    expect(claim).toMatchObject({
      kind: 'AGENT_INVOCATION',
      action: 'RUN',
      region: 'eu-open',
      version: 1,
      desired: {
        metadata: { name: 'bot', workspace: 'main' },
        spec: { runtime },
        invocation: { trigger: 'report', scheduledAt: '2026-11-20T12:30:00.000Z', tasks: [{ prompt: 'report' }] },
      },
    });
    expect(await one.report(claim, { state: 'RUNNING' })).toMatchObject({
      state: 'RUNNING',
      leaseUntil: expect.any(String),
    });
    expect(await one.report(claim, { state: 'DEPLOYED' })).toMatchObject({ code: 'invalid_input' });
    expect(await one.report(claim, { state: 'SUCCEEDED' })).toMatchObject({ state: 'SUCCEEDED', leaseUntil: null });
    expect(await one.report(claim, { state: 'SUCCEEDED' })).toMatchObject({ state: 'SUCCEEDED' });
    expect(await one.report(claim, { state: 'FAILED' })).toMatchObject({ code: 'lease_lost' });
    expect((await eventsOf()).slice(before)).toEqual(['bot created QUEUED system', 'bot status SUCCEEDED executor']);
    expect((await historyOf(running.app, tenant)).at(-2)).toMatchObject({
      message: 'Requested by the trigger report, scheduled for 2026-11-20T12:30:00.000Z',
      after: { agent: 'bot', trigger: 'report', scheduledAt: '2026-11-20T12:30:00.000Z', status: 'QUEUED' },
    });
    expect((await one.claim()).assignments).toEqual([]);
  });

  it('is retried as configured, after a delay', async () => {
    const { one, claim } = await invoked();
    const failed = { state: 'FAILED', message: 'exit code 1' };
    const answer = await one.report(claim, failed);
    expect(answer).toMatchObject({ state: 'QUEUED', leaseUntil: null });
    expect(await one.report(claim, failed)).toEqual(answer);
    expect(await one.report(claim, { state: 'RUNNING' })).toMatchObject({ code: 'lease_lost' });
    expect((await one.claim()).assignments).toEqual([]);
    await db()
      .$executeRaw`UPDATE "assignment" SET "due_at" = now() - interval '1 second' WHERE "kind" = 'AGENT_INVOCATION'`;
    const [again] = (await one.claim()).assignments;
    expect(await one.report(claim, { state: 'SUCCEEDED' })).toMatchObject({ code: 'lease_lost' });
    expect(await one.report(again, { state: 'FAILED', message: 'exit code 2' })).toMatchObject({ state: 'FAILED' });
    expect((await historyOf(running.app, tenant)).at(-1)).toMatchObject({ status: 'FAILED', message: 'exit code 2' });
  });

  it('fails after its timeout, or if no executor completes it', async () => {
    const { one, claim } = await invoked({ configuration: { schedule: '30 * * * *' } });
    await db().$executeRaw`UPDATE "assignment" SET "runs_until" = now() - interval '1 second'`;
    await tendInvocations(db(), noon);
    expect(await one.report(claim)).toMatchObject({ code: 'lease_lost' });
    expect((await historyOf(running.app, tenant)).at(-1)?.message).toContain('Exceeded the timeout');
    await runAt('20T13:30:00');
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      expect((await one.claim()).assignments).toMatchObject([{ attempt }]);
      await endLeases(running.app);
    }
    await tendInvocations(db(), noon);
    expect((await one.claim()).assignments).toEqual([]);
    expect((await historyOf(running.app, tenant)).at(-1)?.message).toContain('Failed after');
  });

  it('is ignored without an executor, and if disabled', async () => {
    await anExecutor(running.app, 'elsewhere', { kinds: ['AGENT_INVOCATION'], regions: ['eu-egress'] });
    await anExecutor(running.app, 'of-agents', { kinds: ['AGENT'] });
    await createAgent('bot', { region: 'eu-open', triggers: [trigger] });
    await anExecutor(running.app, 'of-all', { kinds: ['AGENT_INVOCATION'] });
    await createAgent('off', { enabled: false, triggers: [trigger] });
    await createAgent('mute', { triggers: [{ ...trigger, enabled: false }, { type: 'HTTP' }] });
    await revokeExecutor(await frameContext(running.app.services), { name: 'of-all' });
    await beginAt(db(), noon);
    const before = await eventsOf();
    await runAt('20T12:30:00');
    expect(await eventsOf()).toEqual(before);
    expect(await db().schedule.findMany()).toMatchObject([{ trigger: 'report' }]);
  });

  it('takes hardly any resources without executors, for any number of schedules', async () => {
    const { app } = running;
    const timesOf = { createdAt: noon.toISOString(), updatedAt: noon.toISOString() };
    const agents = Array.from({ length: 250 }, (_, n): AgentInput => {
      const region = n === 100 ? 'eu-open' : n === 101 ? undefined : 'eu-egress';
      return {
        metadata: { name: `bot-${n}`, ...timesOf },
        status: 'DEPLOYED',
        spec: { triggers: [{ ...trigger, type: 'cron' }], ...(region && { region }) },
      };
    });
    await addAgents(app, tenant.workspaces['main'] ?? '', agents);
    const one = await anExecutor(app, 'one', { kinds: ['AGENT_INVOCATION'], regions: ['eu-open'] });
    await beginAt(db(), noon);
    await moveTo(db(), at('20T12:30:00'));
    app.statements.length = 0;
    await runSchedules(app.services, simulatedClock);
    expect(app.statements.length).toBeLessThan(20);
    const { assignments } = await one.claim();
    expect(assignments.map(({ desired }: Answer['body']) => desired.metadata.name)).toEqual(['bot-100']);
    const dueAt = new Date('2026-11-20T13:30:00.000Z');
    expect(await db().schedule.count({ where: { dueAt, afterAt: at('20T12:30:00') } })).toBe(agents.length);
  });

  it('is one of several with their own times, which follow the agent’s spec', async () => {
    const one = await anExecutor(running.app, 'one', { kinds: ['AGENT_INVOCATION'] });
    const other = { id: 'other', type: 'CRON', configuration: { schedule: '0 * * * *' } };
    await createAgent('bot', { triggers: [trigger, other] });
    await beginAt(db(), noon);
    await runAt('20T12:30:00');
    await runAt('20T13:00:00');
    const { assignments } = await one.claim();
    expect(assignments.map(({ desired }: Answer['body']) => desired.invocation.trigger)).toEqual(['report', 'other']);
    await updateAgent('bot', { triggers: [other] });
    await runAt('20T13:30:00');
    expect((await one.claim()).assignments).toEqual([]);
    await mutate(running.app, key, 'deleteAgent', '__typename', { ...inMain, name: 'bot' });
    expect(await one.report(assignments[0], { state: 'RUNNING' })).toMatchObject({ code: 'lease_lost' });
    await runAt('20T14:00:00');
    expect([await db().schedule.count(), await db().assignment.count()]).toEqual([0, 0]);
  });

  it('creates a limited number of runs that are never claimed, and records the times that it skips', async () => {
    await anExecutor(running.app, 'one', { kinds: ['AGENT_INVOCATION'], regions: ['eu-open'] });
    const triggers = [{ ...trigger, configuration: { schedule: '* * * * *' } }];
    await createAgent('bot', { region: 'eu-open', triggers });
    await beginAt(db(), noon);
    await runAt('20T12:01:00');
    await db().$executeRaw`
      INSERT INTO "assignment" ("kind", "resource_id", "task", "account_id", "workspace_id", "workspace", "region", "wanted", "phase")
      SELECT "kind", "resource_id", 'earlier ' || n, "account_id", "workspace_id", "workspace", "region", "wanted", "phase"
      FROM "assignment", generate_series(1, ${waitingMax - 2}) AS n`;
    for (const time of ['20T12:02:00', '20T12:03:00', '20T12:04:00']) await runAt(time);
    expect(await db().assignment.count()).toBe(waitingMax);
    const reason = 'was not created. 1,000 invocations of its schedules wait, and none has begun.';
    expect(await skipped('bot')).toMatchObject([
      { kind: 'AGENT', message: `The invocation scheduled for 2026-11-20T12:03:00.000Z ${reason}` },
      { kind: 'AGENT', message: `The invocation scheduled for 2026-11-20T12:04:00.000Z ${reason}` },
    ]);
    const here = await anExecutor(running.app, 'here', { kinds: ['AGENT_INVOCATION'], regions: ['eu-egress'] });
    expect(await updateAgent('bot', { region: 'eu-egress' })).toMatchObject({ __typename: 'UpdateAgentPayload' });
    expect(await db().assignment.count({ where: { region: 'eu-egress' } }), 'moved along').toBe(waitingMax);
    const [claim] = (await here.claim()).assignments;
    await here.report(claim, { state: 'RUNNING' });
    await runAt('20T12:05:00');
    expect(await db().assignment.count()).toBe(waitingMax + 1);
  });
});

describe('A limit on executions', () => {
  it('skips a scheduled execution, records why, and lets the next one run', async () => {
    await createJob('hourly', { schedule: '0 * * * *' });
    await beginAt(db(), noon);
    const { accountId } = tenant;
    const subject = `account ${accountId}`;
    const data = { subject, accountId, limits: { CONCURRENT_EXECUTIONS: 0 }, updatedAt: noon };
    const { id } = await db().quota.create({ data });
    await runAt('20T13:00:30');
    await runAt('20T13:01:30');
    expect(await timesMade()).toEqual([]);
    const denied = await skipped('hourly');
    expect(denied).toMatchObject([{ kind: 'JOB', name: 'hourly', actorKind: 'system' }]);
    expect(denied[0]?.message).toContain('at most 0 concurrent executions');
    await db().quota.delete({ where: { id } });
    await runAt('20T14:00:30');
    expect(await timesMade()).toEqual(['20T14:00']);
  });
});
