// Mutations as a caller sends them, and shared parts of the tests of several kinds.
import { expect } from 'vitest';
import { isEmbedded } from '../database-kind.js';
import { createKey, graphql } from '../harness.js';
import type { Answer, Tenant, TestApp } from '../harness.js';

const errors = `
  ... on InvalidInputError { problems { path code message limit actual } }
  ... on Error { code message }
  ... on ConflictError {
    currentVersion updatedBy updatedAt changedFields usedBy { kind name } usedByCount contents { kind count } limit actual
  }`;

/**
 * The payload of one mutation, or its error as data.
 *
 * @param fields the selection of the payload: `volume { version }`.
 */
export async function mutate(
  app: TestApp,
  key: string,
  mutation: string,
  fields: string,
  input: object,
): Promise<Answer['body']> {
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
  const query = `mutation ($input: ${type}Input!) {
    result: ${mutation}(input: $input) { __typename ${errors} ... on ${type}Payload { ${fields} } } }`;
  const { body } = await graphql(app, key, query, { input });
  expect(body.errors).toBeUndefined();
  return body.data.result;
}

/** The paths and codes of everything that is wrong with an input. */
export function problemsOf(result: Answer['body']): string[] {
  return (result.problems ?? []).map(({ path, code }: { path: string[]; code: string }) => `${path.join('.')} ${code}`);
}

/** A region for everybody, one with egress, and one for others. */
export async function addRegions({ services: { db } }: TestApp): Promise<void> {
  await db.continent.upsert({ where: { name: 'EU' }, update: {}, create: { name: 'EU', displayName: 'Europe' } });
  await db.country.upsert({ where: { name: 'DE' }, update: {}, create: { name: 'DE', displayName: 'Germany' } });
  for (const [name, isRestricted, egressAvailable] of [
    ['eu-open', false, false],
    ['eu-egress', false, true],
    ['eu-closed', true, true],
  ] as const) {
    const create = { name, continentName: 'EU', countryName: 'DE', isRestricted, egressAvailable };
    await db.region.upsert({ where: { name }, update: {}, create });
  }
}

type Role = 'admin' | 'member' | 'viewer';

/** A key of a user with these roles in the account and in one workspace. */
export async function keyOfSomebody(
  app: TestApp,
  { accountId, workspaces }: Tenant,
  { account, workspace, role }: { account: Role; workspace?: string; role?: Role },
): Promise<string> {
  const { db } = app.services;
  const { id: principalId } = await db.principal.create({
    data: { kind: 'user', name: `${crypto.randomUUID()}@example.com` },
  });
  await db.accountMember.create({ data: { accountId, principalId, role: account } });
  if (workspace !== undefined && role !== undefined) {
    await db.workspaceMember.create({ data: { workspaceId: workspaces[workspace] ?? '', principalId, role } });
  }
  return (await createKey(app, { accountId, principalId })).key;
}

/** The change log of an account, oldest first; with numbers as JSON represents them. */
export async function historyOf({ services: { db } }: TestApp, { accountId }: Tenant) {
  const rows = await db.change.findMany({ where: { accountId }, orderBy: { sequence: 'asc' } });
  return rows.map((row) => ({ ...row, sequence: Number(row.sequence) }));
}

/** The number of statements of an action, without authentication. */
export async function statementsDuring(app: TestApp, act: () => Promise<unknown>): Promise<number> {
  app.statements.length = 0;
  await act();
  return app.statements.filter((sql) => !sql.includes('api_key')).length;
}

/**
 * Starts changes in an account one after the other, each when the previous one waits: all have made their changes
 * before they are recorded, and nothing can be recorded until the last one has started. In an embedded database, each starts
 * when the previous one has ended: its transactions never overlap.
 */
export async function startedInTurn<Result>(
  app: TestApp,
  accountId: string,
  changes: (() => Promise<Result>)[],
): Promise<Result[]> {
  if (isEmbedded) {
    const results: Result[] = [];
    for (const change of changes) results.push(await change());
    return results;
  }
  const started: Promise<Result>[] = [];
  await app.services.db.$begin(async (tx) => {
    await tx.$executeRaw`
      INSERT INTO "change_head" AS h ("account_id", "last") VALUES (${accountId}::uuid, 0)
      ON CONFLICT ("account_id") DO UPDATE SET "last" = h."last"`;
    for (const [index, change] of changes.entries()) {
      started.push(change());
      await untilWaiting(app, await tx.$prisma(), index + 1);
    }
  });
  return Promise.all(started);
}

/**
 * Returns when so many sessions wait for a lock. An embedded database has one session, which the transaction has: the others
 * wait for that.
 */
export async function untilWaiting(
  { database }: TestApp,
  tx: { $queryRaw: TestApp['services']['db']['$queryRaw'] },
  count: number,
): Promise<void> {
  if (isEmbedded) {
    const waiting = () => database.shares().reduce((sum, share) => sum + share.waiting, 0);
    return expect.poll(waiting, { interval: 1 }).toBeGreaterThanOrEqual(count);
  }
  for (let attempt = 0; attempt < 500; attempt++) {
    // A transaction sees the sessions as they were when it first looked, unless it forgets them.
    await tx.$queryRaw`SELECT pg_stat_clear_snapshot()::text`;
    const [row] = await tx.$queryRaw<{ waiting: bigint }[]>`
      SELECT count(*) AS "waiting" FROM pg_stat_activity
      WHERE "datname" = current_database() AND "backend_type" = 'client backend' AND "wait_event_type" = 'Lock'`;
    if (row !== undefined && row.waiting >= count) return;
  }
  throw new Error('nobody waits');
}
