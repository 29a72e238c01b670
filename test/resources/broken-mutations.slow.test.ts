// A connection that breaks during a change leaves all of it or nothing, at any statement, and a retry with the same
// Idempotency-Key applies it once: for every mutation of the schema.
import { beforeAll, describe, expect, it } from 'vitest';
import { Prisma } from '../../src/database/client/client.js';
import { schema } from '../../src/api/graphql/server/schema.js';
import { typePrefix } from '../auth/generic-cases.js';
import {
  cases,
  endingCaller,
  inputOf,
  isOfCaller,
  ofExecutors,
  prepareCases,
  settingsOfCases,
} from '../auth/mutation-cases.js';
import type { Case, CaseGround } from '../auth/mutation-cases.js';
import { breakableConnection } from '../database/broken-connection.js';
import { createKey, graphql, useApp } from '../harness.js';
import type { Answer } from '../harness.js';
import { anExecutor, endLeases } from '../lifecycle/executor.js';
import type { TestExecutor } from '../lifecycle/executor.js';
import { mutate } from './mutations.js';

const connection = breakableConnection((sql) => isOfCaller(sql) || sql.includes('whole_state'));
const running = useApp(settingsOfCases, {
  inFront: connection.inFront,
  inFrontOfTransactions: connection.inFrontOfTransactions,
});
let ground: CaseGround;

/** Tables without changes of resources: counts that agree with the rows, and names and numbers of usage. */
const passing = ['quota_usage', 'resource_count', 'usage_account', 'usage_correction_head', 'usage_series'];
const state = Prisma.sql`SELECT whole_state()`;

beforeAll(async () => {
  ground = await prepareCases(running.app);
  // The names of usage are inserted the first time only.
  const { recordUsage } = cases;
  if (recordUsage === undefined) throw new Error('there is no recordUsage');
  const { key } = await createKey(running.app, ground.tenant);
  await mutate(running.app, key, 'recordUsage', '__typename', await inputOf(recordUsage, 'first'));
  const { db } = running.app.services;
  const tables: { name: string }[] = await db.$queryRaw`
    SELECT relname::text AS "name" FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
      AND relnamespace = 'public'::regnamespace AND relname <> ALL (${passing}) ORDER BY 1`;
  // The physical position and transaction of a row: no two versions have both.
  const rows = tables.map(({ name }) => {
    const row = ['api_key', 'executor'].includes(name)
      ? `id::text || coalesce(revoked_at::text, '')`
      : 'ctid::text || xmin::text';
    return `SELECT '${name}', count(*), md5(coalesce(string_agg(${row}, ',' ORDER BY ${row}), '')) FROM "${name}"`;
  });
  await db.$executeRawUnsafe(`CREATE FUNCTION whole_state() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN (
    SELECT json_object_agg(t.name, json_build_array(t.count, t.rows))
    FROM (${rows.join(' UNION ALL ')}) AS t(name, count, rows)); END $$`);
});

type State = Record<string, [rows: number, content: string]>;

async function readState(): Promise<State> {
  return JSON.parse(await running.app.services.db.$text(state));
}

function rowsMore(before: State, after: State): Record<string, number> {
  const more = Object.entries(after).map(([table, [rows]]): [string, number] => [
    table,
    rows - (before[table]?.[0] ?? 0),
  ]);
  return Object.fromEntries(more.filter(([, rows]) => rows !== 0));
}

/** More than any change has. */
const momentsMax = 60;

const broken = 'broken, 503';

/** The number of records if it is not one: including cascaded rows; none for deliveries and usage. */
const records: Record<string, number> = {
  acceptImageShare: 2,
  acceptInvitation: 2,
  // In the log of the platform's account, and in that of the account.
  createServiceAccount: 2,
  createUser: 2,
  deleteAccount: 2,
  deleteImageTag: 2,
  deleteJob: 2,
  deleteSandbox: 2,
  recordUsage: 0,
  redeliverWebhookDelivery: 0,
  redeliverWebhookDeliveries: 0,
  registerImageTag: 2,
  rotateApiKey: 2,
  testWebhook: 0,
};

/** An input of a mutation that nothing was sent for, and a key that may send it. */
async function inputAndKey(mutation: string, tried: Case, way: string): Promise<[input: object, key: string]> {
  const input = await inputOf(tried, `${mutation.toLowerCase()}-${way}`);
  const { tenant, memberId } = ground;
  const { key } = await createKey(
    running.app,
    tried.needs === undefined ? { ...tenant, principalId: memberId } : tenant,
  );
  return [input, key];
}

/** Rows that a mutation adds to each table without an Idempotency-Key, and with a connection that holds. */
async function rowsOf(mutation: string, tried: Case): Promise<Record<string, number>> {
  const [input, key] = await inputAndKey(mutation, tried, 'whole');
  const before = await readState();
  await graphql(running.app, key, documentOf(mutation), { input });
  return rowsMore(before, await readState());
}

/** Breaks the connection at successive statements, until the change succeeds. */
async function brokenEverywhere(mutation: string, tried: Case) {
  const [input, key] = await inputAndKey(mutation, tried, 'broken');
  return brokenUntilMade(key, mutation, input, `broken ${mutation}`);
}

const documentOf = (mutation: string) => `mutation ($input: ${typePrefix(mutation)}Input!) {
  result: ${mutation}(input: $input) { __typename ... on Error { code message } } }`;

async function brokenUntilMade(key: string, mutation: string, input: object, idempotencyKey?: string) {
  const { app } = running;
  const headers: Record<string, string> = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  const send = (): Promise<Answer> => graphql(app, key, documentOf(mutation), { input }, headers);
  const before = await readState();
  const without = new Set<string>();
  for (let moments = 0; moments < momentsMax; moments++) {
    connection.breakAfter(moments);
    const { status } = await send();
    const outcome = `${connection.mend() ? 'broken' : 'whole'}, ${status}`;
    const after = await readState();
    if (JSON.stringify(after) !== JSON.stringify(before)) {
      return {
        without: [...without],
        outcome,
        more: rowsMore(before, after),
        after,
        send,
        typename: `${typePrefix(mutation)}Payload`,
      };
    }
    without.add(outcome);
  }
  throw new Error(`${mutation} changes nothing: ${[...without].join('; ')}`);
}

describe('A mutation whose connection breaks', () => {
  it('is any of the schema', () => {
    const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {});
    expect([...Object.keys(cases), ...endingCaller, ...ofExecutors].toSorted()).toEqual(mutations.toSorted());
  });

  it.each(Object.entries(cases))(
    'by %s is applied completely or not at all, and once after a retry',
    async (mutation, tried) => {
      const rows = await rowsOf(mutation, tried);
      expect(rows['change'] ?? 0).toBe(records[mutation] ?? 1);
      const { without, outcome, more, after, send, typename } = await brokenEverywhere(mutation, tried);
      // The last point is after the commit: everything is stored, without a response.
      expect([...without, outcome]).toEqual([broken, broken]);
      // An event of usage is known by its own id.
      expect(more).toEqual({ ...rows, ...(mutation === 'recordUsage' ? {} : { idempotency_key: 1 }) });
      const again = await send();
      expect(again.body.data.result).toMatchObject({ __typename: typename });
      expect(await readState()).toEqual(after);
    },
  );
});

// Executors have no Idempotency-Key: the fence number identifies a claim, and a lost claim ends with its lease.
describe('A mutation of an executor whose connection breaks', () => {
  let executor: TestExecutor;
  const isBroken = { without: [broken], outcome: broken };

  /** An assignment of a new agent, which is due. */
  async function createDue(name: string): Promise<void> {
    const { key } = await createKey(running.app, ground.tenant);
    const made = await mutate(running.app, key, 'createAgent', 'agent { status }', {
      workspace: 'main',
      metadata: { name },
    });
    expect(made.agent.status).toBe('UPLOADING');
  }

  async function claimOne(): Promise<{ id: string; fence: number; attempt: number; resourceId: string }> {
    const { assignments } = await executor.claim();
    expect(assignments).toHaveLength(1);
    return assignments[0];
  }

  beforeAll(async () => {
    executor = await anExecutor(running.app, 'breaking', { kinds: ['AGENT'] });
  });

  it('is any that is for executors', () => {
    expect([
      'executorClaimAssignments',
      'executorReportAssignment',
      'executorReleaseAssignment',
      'executorReportStatus',
    ]).toEqual(ofExecutors);
  });

  it('by executorClaimAssignments claims all or nothing, and unreceived claims are claimed again', async () => {
    await createDue('to-claim');
    await createDue('to-claim-too');
    const claimed = await brokenUntilMade(executor.key, 'executorClaimAssignments', { first: 10 });
    expect(claimed).toMatchObject({ ...isBroken, more: {} });
    expect(await running.app.services.db.assignment.count({ where: { attempt: 1, executorId: executor.id } })).toBe(2);
    expect((await executor.claim()).assignments).toEqual([]);
    await endLeases(running.app);
    const { assignments } = await executor.claim();
    expect(assignments).toMatchObject([{ attempt: 2 }, { attempt: 2 }]);
    for (const each of assignments) await executor.report(each, { state: 'DEPLOYED' });
  });

  it('by executorReportAssignment is applied completely or not at all, and once after a retry', async () => {
    await createDue('to-report');
    const { id, fence } = await claimOne();
    const reported = await brokenUntilMade(executor.key, 'executorReportAssignment', { id, fence, state: 'DEPLOYED' });
    expect(reported).toMatchObject({ ...isBroken, more: { change: 1 } });
    const again = await reported.send();
    expect(again.body.data.result).toEqual({ __typename: reported.typename });
    expect(await readState()).toEqual(reported.after);
  });

  it('by executorReleaseAssignment is applied completely or not at all, and its claim is lost after a retry', async () => {
    await createDue('to-release');
    const { id, fence } = await claimOne();
    const released = await brokenUntilMade(executor.key, 'executorReleaseAssignment', { id, fence });
    expect(released).toMatchObject({ ...isBroken, more: {} });
    const again = await released.send();
    expect(again.body.data.result).toMatchObject({ __typename: 'ConflictError', code: 'lease_lost' });
    expect(await readState()).toEqual(released.after);
    const claim = await claimOne();
    expect(claim).toMatchObject({ id, attempt: 1 });
    await executor.report(claim, { state: 'DEPLOYED' });
  });

  it('by executorReportStatus is applied completely or not at all, and once after a retry', async () => {
    await createDue('to-observe');
    const { resourceId, ...claim } = await claimOne();
    await executor.report(claim, { state: 'DEPLOYED' });
    const input = { kind: 'AGENT', resourceId, generation: claim.fence, status: 'FAILED', message: 'It ended.' };
    const observed = await brokenUntilMade(executor.key, 'executorReportStatus', input);
    expect(observed).toMatchObject({ ...isBroken, more: { change: 1 } });
    const again = await observed.send();
    expect(again.body.data.result).toEqual({ __typename: observed.typename });
    // A repeated report notes its time.
    expect({ ...(await readState()), assignment: undefined }).toEqual({ ...observed.after, assignment: undefined });
  });
});
