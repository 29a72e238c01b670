// Claims: who takes what is due, under which number, and for how long. The database's clock alone says when.
import type { AuthorizedExecutor } from '../auth/authorize.js';
import type { ExecutorReach } from '../auth/caller.js';
import { Prisma } from '../database/client/client.js';
import { deploymentWork } from './deployment-states.js';
import type { Claimed } from './assignment.js';
import { everyRegion } from './work-kinds.js';

/** What of an assignment `a` is read. */
export const claimedColumns = Prisma.sql`
  a."id", a."kind", a."resource_id" AS "resourceId", a."account_id" AS "accountId", a."workspace_id" AS "workspaceId",
  a."workspace", a."name", a."region", a."wanted", a."attempt", a."fence", a."lease_until" AS "leaseUntil",
  a."carried_out" AS "carriedOut", a."gone", a."task", a."ordinal"`;

/** Things of one kind in one region; in all of them where none is named. */
interface Lane {
  kind: string;
  region: string | null;
}

/** A claim that somebody believes to hold. */
export interface HeldClaim {
  id: string;
  fence: number;
}

/** What is found out before anything is claimed. */
export interface Look {
  /** Where something is due, the oldest first. */
  lanes: Lane[];
  /** Which of the claims that were asked about are lost. */
  lost: string[];
  /** Which of them are to be stopped. */
  stopping: string[];
}

/**
 * Looks where something is due, and whether claims are still held: one statement, which is all that waiting costs.
 */
export async function lookForWork({ db, executor }: AuthorizedExecutor, held: readonly HeldClaim[]): Promise<Look> {
  const lanes = lanesOf(executor);
  const due = Prisma.sql`
    SELECT l."kind", l."region", d."due_at"
    FROM unnest(${lanes.map(({ kind }) => kind)}::text[], ${lanes.map(({ region }) => region ?? '')}::text[]) AS l("kind", "region")
    CROSS JOIN LATERAL (SELECT oldest_due(l."kind", nullif(l."region", '')) AS "due_at") AS d
    WHERE d."due_at" IS NOT NULL ORDER BY d."due_at"`;
  const lost = Prisma.sql`
    SELECT h."id" FROM unnest(${held.map(({ id }) => id)}::uuid[], ${held.map(({ fence }) => String(fence))}::bigint[])
      AS h("id", "fence")
    WHERE NOT EXISTS (SELECT FROM "assignment" AS a WHERE a."id" = h."id" AND ${isHeldBy(executor, Prisma.sql`h."fence"`)})`;
  const stopping = Prisma.sql`
    SELECT a."id" FROM "assignment" AS a WHERE a."stop" AND a."id" = ANY(${held.map(({ id }) => id)}::uuid[])`;
  const text = await db.$text(Prisma.sql`
    SELECT json_build_object(
      'stopping', (SELECT coalesce(json_agg(w."id"), '[]') FROM (${stopping}) AS w),
      'lanes', (SELECT coalesce(json_agg(w), '[]') FROM (${due}) AS w),
      'lost', (SELECT coalesce(json_agg(w."id"), '[]') FROM (${lost}) AS w))::text`);
  const look: Look & { lanes: { kind: string; region: string }[] } = JSON.parse(text);
  const isEverywhere = executor.regions.includes(everyRegion);
  return { ...look, lanes: look.lanes.map(({ kind, region }) => ({ kind, region: isEverywhere ? null : region })) };
}

/**
 * Claims what is due, the oldest first. What another claims at the same moment is passed over. The number of a claim is
 * minted by the update that takes it. One that was revoked claims nothing more, though its key is known for a moment: what
 * it held is others' already.
 */
export async function claimDue(
  { db, executor }: AuthorizedExecutor,
  { kind, region }: Lane,
  { first, leaseSeconds }: { first: number; leaseSeconds: number },
): Promise<Claimed[]> {
  const begins = Object.entries(deploymentWork).map(([wanted, each]) => Prisma.sql`WHEN ${wanted} THEN ${each.begins}`);
  const text = await db.$text(Prisma.sql`
    WITH "due" AS MATERIALIZED (
      SELECT "id" FROM due_assignments(${kind}, ${region}::text, ${first}::int) AS "id"
      WHERE EXISTS (SELECT FROM "executor" AS e WHERE e."id" = ${executor.id}::uuid AND e."revoked_at" IS NULL)),
    "claimed" AS (
      UPDATE "assignment" AS a SET
        "executor_id" = ${executor.id}::uuid, "fence" = nextval('assignment_fence'), "attempt" = a."attempt" + 1,
        "lease_until" = now() + ${leaseSeconds} * interval '1 second',
        "due_at" = now() + ${leaseSeconds} * interval '1 second',
        "phase" = CASE a."wanted" ${Prisma.join(begins, ' ')} ELSE 'QUEUED' END, "updated_at" = now(),
        "runs_until" = now() + a."timeout_seconds" * interval '1 second'
      WHERE a."id" = ANY(ARRAY(SELECT "id" FROM "due")) RETURNING ${claimedColumns})
    SELECT coalesce(json_agg(c), '[]')::text FROM "claimed" AS c`);
  return JSON.parse(text);
}

/** SQL for whether an executor holds an assignment `a` under a number, now. */
export function isHeldBy({ id }: ExecutorReach, fence: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    a."executor_id" = ${id}::uuid AND a."fence" = ${fence} AND a."lease_until" > clock_timestamp()`;
}

/** Notes that an executor is there, and until when it waits. */
export async function noteSeen({ db, executor }: AuthorizedExecutor, waitSeconds: number): Promise<void> {
  await db.$executeRaw`
    UPDATE "executor" SET "last_seen_at" = now(),
      "waiting_until" = greatest("waiting_until", now() + ${waitSeconds} * interval '1 second')
    WHERE "id" = ${executor.id}::uuid`;
}

function lanesOf({ kinds, regions }: ExecutorReach): Lane[] {
  if (regions.includes(everyRegion)) return kinds.map((kind) => ({ kind, region: null }));
  return kinds.flatMap((kind) => regions.map((region) => ({ kind, region })));
}
