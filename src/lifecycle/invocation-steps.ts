// Invocations: runs of agents that cron triggers start. Each has its own assignment and the states of a task. The agent
// is locked before the invocation, as in every change of the agent, so that transactions cannot deadlock.
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { findJson, readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { tryEach } from '../database/try-each.js';
import { notifyWaiters, servedCondition, waitingMax } from './assign.js';
import { phaseColumns, retryColumns } from './execution-rows.js';
import type { Written } from './execution-rows.js';
import { backoffSeconds, isTaskOver } from './execution-states.js';
import type { TaskState } from './execution-states.js';
import { recordStatus } from './record-status.js';
import type { Reporter } from './record-status.js';
import { attemptsMax, invocationKind } from './work-kinds.js';

/** An invocation: the trigger that starts it, and its scheduled time. */
export interface Invocation {
  trigger: string;
  /** RFC 3339. */
  scheduledAt: string;
}

/** The name of an invocation, unique for its agent. */
export function invocationName({ trigger, scheduledAt }: Invocation): string {
  return `${scheduledAt} ${trigger}`;
}

export function invocationFromName(name: string): Invocation {
  const [scheduledAt = '', ...trigger] = name.split(' ');
  return { scheduledAt, trigger: trigger.join(' ') };
}

interface NewInvocation extends Invocation {
  resourceId: string;
  accountId: string;
  workspaceId: string;
  workspace: string;
  name: string;
  region: string | null;
  retries: number;
  timeoutSeconds: number | null;
}

/** The result of assigning an invocation. */
export interface AssignedInvocation {
  /** Null if no executor serves it, if it exists, or if too many wait. */
  id: string | null;
  /** Whether the limit on invocations that wait is reached. */
  isFull: boolean;
}

/** Assigns an invocation if an executor serves it and not too many wait. */
export async function assignInvocation(db: Statements, invocation: NewInvocation): Promise<AssignedInvocation> {
  const { resourceId, region } = invocation;
  return readJson(
    db,
    Prisma.sql`
      WITH "given" AS MATERIALIZED (
        SELECT count(*) >= ${waitingMax} AS "is_full" FROM "assignment" AS o
        WHERE o."resource_id" = ${resourceId}::uuid AND o."kind" = ${invocationKind} AND o."phase" = 'QUEUED'
        HAVING ${servedCondition(invocationKind, Prisma.sql`${region}::text`)}),
      "assigned" AS (
        INSERT INTO "assignment" AS a ("kind", "resource_id", "task", "account_id", "workspace_id", "workspace", "name",
          "region", "wanted", "phase", "retries_max", "timeout_seconds", "due_at")
        SELECT ${invocationKind}::text, ${resourceId}::uuid, ${invocationName(invocation)}, ${invocation.accountId}::uuid,
          ${invocation.workspaceId}::uuid, ${invocation.workspace}, ${invocation.name}, ${region}::text, 'run', 'QUEUED',
          ${invocation.retries}::int, ${invocation.timeoutSeconds}::int, now()
        FROM "given" WHERE NOT "is_full"
        ON CONFLICT ("resource_id", "task") DO NOTHING
        RETURNING a."id", ${notifyWaiters(Prisma.sql`a."kind"`, Prisma.sql`a."region"`)} AS "notified")
      SELECT json_build_object('id', (SELECT "id" FROM "assigned"),
        'isFull', coalesce((SELECT "is_full" FROM "given"), FALSE))::text`,
  );
}

/** Moves the invocations of an agent that have not begun to the region of the agent, whose row is written. */
export async function moveInvocations(db: Statements, agentId: string): Promise<void> {
  await db.$defer(Prisma.sql`
    UPDATE "assignment" AS a SET "region" = r."spec"->>'region', "updated_at" = now() FROM "agent" AS r
    WHERE r."id" = ${agentId}::uuid AND a."resource_id" = r."id" AND a."kind" = ${invocationKind} AND a."phase" = 'QUEUED'
      AND a."executor_id" IS NULL
    RETURNING ${notifyWaiters(Prisma.sql`a."kind"`, Prisma.sql`a."region"`)}`);
}

/** A locked invocation, with its agent. */
export interface LockedInvocation {
  id: string;
  accountId: string;
  workspaceId: string;
  name: string;
  task: string;
  phase: TaskState;
  retries: number;
  retriesMax: number;
}

export const invocationColumns = Prisma.sql`
  a."id", a."account_id" AS "accountId", a."workspace_id" AS "workspaceId", a."name", a."task", a."phase", a."retries",
  a."retries_max" AS "retriesMax"`;

/** Locks the agent of an invocation. @returns whether the agent exists. */
export async function holdAgent(db: Statements, id: string): Promise<boolean> {
  const found = await db.$text(Prisma.sql`
    SELECT g."id"::text FROM "agent" AS g
    WHERE g."id" = (SELECT a."resource_id" FROM "assignment" AS a WHERE a."id" = ${id}::uuid) FOR KEY SHARE`);
  return found !== '';
}

/** Writes the new state of a locked invocation. A failed invocation with attempts left is queued again. */
export async function takeInvocationStep(
  db: Statements,
  reporter: Reporter,
  locked: LockedInvocation,
  { to: wanted, message, leaseSeconds }: { to: TaskState; message: string; leaseSeconds?: number },
): Promise<Written> {
  const number = locked.retries + 1;
  const isRetried = wanted === 'FAILED' && number <= locked.retriesMax;
  const change = isRetried
    ? retryColumns({ number, afterSeconds: backoffSeconds(number) }, leaseSeconds)
    : phaseColumns(wanted, leaseSeconds);
  const leaseUntil = await db.$text(Prisma.sql`
    UPDATE "assignment" SET ${change}, "updated_at" = now() WHERE "id" = ${locked.id}::uuid
    RETURNING coalesce(to_json("lease_until")#>>'{}', '')`);
  if (isTaskOver(wanted) && !isRetried) await recordInvocation(db, reporter, locked, { status: wanted, message });
  return { to: isRetried ? 'QUEUED' : wanted, leaseUntil: leaseUntil === '' ? null : leaseUntil };
}

/** Records the new state of an invocation in the change log. It must be the last statement of a transaction. */
export async function recordInvocation(
  db: Statements,
  reporter: Reporter,
  { id, accountId, workspaceId, name, task }: Omit<LockedInvocation, 'phase' | 'retries' | 'retriesMax'>,
  { status, message, isNew = false }: { status: TaskState; message: string; isNew?: boolean },
): Promise<void> {
  await recordStatus(db, reporter, {
    accountId,
    workspaceId,
    kind: invocationKind,
    resourceId: id,
    name,
    version: 1,
    ...(isNew && { verb: 'created', fields: [] }),
    after: { agent: name, ...invocationFromName(task), status },
    event: { type: 'invocation', status, message },
  });
}

/** How many invocations are processed at a time, oldest first. */
const batch = 100;

const lateCondition = Prisma.sql`a."runs_until" <= now()`;
const givenUpCondition = Prisma.sql`(a."due_at" <= now() AND a."attempt" >= ${Prisma.raw(String(attemptsMax))})`;

/** Ends invocations that exceed their timeout, and those that used up their attempts. */
export async function tendInvocations(db: Database, now: Date): Promise<void> {
  const found = await readJson<string[]>(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(i."id"), '[]')::text FROM (
        (SELECT a."id" FROM "assignment" AS a WHERE a."kind" = ${invocationKind} AND ${lateCondition}
          ORDER BY a."runs_until" LIMIT ${batch})
        UNION (SELECT a."id" FROM "assignment" AS a WHERE a."kind" = ${invocationKind} AND ${givenUpCondition}
          ORDER BY a."due_at" LIMIT ${batch})) AS i`,
  );
  await tryEach(found, (id) => db.$begin((tx) => tend(tx, id, now)));
}

async function tend(db: Statements, id: string, now: Date): Promise<void> {
  const isThere = await holdAgent(db, id);
  const locked = await findJson<LockedInvocation & { isLate: boolean | null }>(
    db,
    Prisma.sql`
      SELECT row_to_json(h)::text FROM (
        SELECT ${invocationColumns}, ${lateCondition} AS "isLate" FROM "assignment" AS a
        WHERE a."id" = ${id}::uuid AND (${lateCondition} OR ${givenUpCondition}) FOR UPDATE) AS h`,
  );
  // Its state changed meanwhile.
  if (locked === undefined) return;
  if (!isThere) {
    await db.$executeRaw`DELETE FROM "assignment" WHERE "id" = ${id}::uuid`;
    return;
  }
  const message =
    locked.isLate === true
      ? 'Exceeded the timeout of its trigger'
      : `Failed after ${attemptsMax} attempts: each lease expired without a report`;
  // The executor has lost the lease.
  await takeInvocationStep(db, { now }, locked, { to: 'FAILED', message });
}
