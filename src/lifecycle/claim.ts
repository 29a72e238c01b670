// Claims: which executor gets a due assignment, under which fencing number, and for how long. Only the database's clock
// counts.
import type { AuthorizedExecutor } from '../auth/authorize.js';
import type { ExecutorAccess } from '../auth/caller.js';
import { Prisma } from '../database/client/client.js';
import { readJson } from '../database/read-json.js';
import { deploymentWork } from './deployment-states.js';
import { assignmentId } from './assignment.js';
import type { Claimed } from './assignment.js';
import { everyRegion } from './work-kinds.js';
import type { AssignmentKind } from './work-kinds.js';

/** The columns that are read of an assignment `a`. */
export const claimedColumns = Prisma.sql`
  a."id", a."kind", a."resource_id" AS "resourceId", a."account_id" AS "accountId", a."workspace_id" AS "workspaceId",
  a."workspace", a."name", a."region", a."wanted", a."attempt", a."fence", a."lease_until" AS "leaseUntil",
  a."carried_out" AS "carriedOut", a."gone", a."task", a."ordinal"`;

/** Assignments of one kind in one region; in all regions if none is named. */
interface Lane {
  kind: string;
  region: string | null;
}

/** A claim that an executor believes to hold. */
export interface CurrentClaim {
  id: string;
  kind: AssignmentKind;
  fence: number;
}

/** The result of a look-up before a claim. */
export interface Look {
  /** The kinds and regions with due assignments; first the one whose oldest assignment has waited longest. */
  lanes: Lane[];
  /** The given claims that were lost, by the ids of `assignmentId()`. */
  lost: string[];
  /** The given claims that must be stopped, likewise. */
  stopping: string[];
}

/** Looks up due assignments, and whether claims still hold: one statement. A lost claim is not one to stop. */
export async function lookForWork(
  { db, executor }: AuthorizedExecutor,
  claims: readonly CurrentClaim[],
): Promise<Look> {
  const lanes = lanesOf(executor);
  const due = Prisma.sql`
    SELECT l."kind", l."region", d."due_at"
    FROM unnest(${lanes.map(({ kind }) => kind)}::text[], ${lanes.map(({ region }) => region ?? '')}::text[]) AS l("kind", "region")
    CROSS JOIN LATERAL (SELECT oldest_due(l."kind", nullif(l."region", '')) AS "due_at") AS d
    WHERE d."due_at" IS NOT NULL ORDER BY d."due_at"`;
  const held = Prisma.sql`
    unnest(${claims.map(({ id }) => id)}::uuid[], ${claims.map(({ kind }) => kind)}::text[],
      ${claims.map(({ fence }) => String(fence))}::bigint[]) AS h("id", "kind", "fence")
    LEFT JOIN "assignment" AS a
      ON a."id" = h."id" AND a."kind" = h."kind" AND ${leasedToSql(executor, Prisma.sql`h."fence"`)}`;
  const lost = Prisma.sql`SELECT h."id", h."kind" FROM ${held} WHERE a."id" IS NULL`;
  const stopping = Prisma.sql`SELECT h."id", h."kind" FROM ${held} WHERE a."stop"`;
  type Claims = Pick<CurrentClaim, 'id' | 'kind'>[];
  const look = await readJson<{ lanes: { kind: string; region: string }[]; lost: Claims; stopping: Claims }>(
    db,
    Prisma.sql`
      SELECT json_build_object(
        'stopping', (SELECT coalesce(json_agg(w), '[]') FROM (${stopping}) AS w),
        'lanes', (SELECT coalesce(json_agg(w), '[]') FROM (${due}) AS w),
        'lost', (SELECT coalesce(json_agg(w), '[]') FROM (${lost}) AS w))::text`,
  );
  const isEverywhere = executor.regions.includes(everyRegion);
  return {
    lanes: look.lanes.map(({ kind, region }) => ({ kind, region: isEverywhere ? null : region })),
    lost: look.lost.map(assignmentId),
    stopping: look.stopping.map(assignmentId),
  };
}

/**
 * Claims due assignments of one kind and region, oldest first, skipping rows that another executor is claiming. The update
 * that takes a claim also creates its fencing number. A task or an invocation that was running stays RUNNING, as its
 * execution counts it. A revoked executor claims nothing, even while its key is still cached: its assignments already belong
 * to others. A revocation at the same time waits for the claim, and then ends its leases.
 */
export async function claimDue(
  { db, executor }: AuthorizedExecutor,
  { kind, region }: Lane,
  { first, leaseSeconds }: { first: number; leaseSeconds: number },
): Promise<Claimed[]> {
  const begins = Object.entries(deploymentWork).map(([wanted, each]) => Prisma.sql`WHEN ${wanted} THEN ${each.begins}`);
  return readJson(
    db,
    Prisma.sql`
      WITH "active" AS MATERIALIZED (
        SELECT FROM "executor" AS e WHERE e."id" = ${executor.id}::uuid AND e."revoked_at" IS NULL FOR KEY SHARE),
      "due" AS MATERIALIZED (
        SELECT d."id", d."order" FROM due_assignments(${kind}, ${region}::text, ${first}::int) WITH ORDINALITY AS d("id", "order")
        WHERE EXISTS (SELECT FROM "active")),
      "claimed" AS (
        UPDATE "assignment" AS a SET
          "executor_id" = ${executor.id}::uuid, "fence" = nextval('assignment_fence'), "attempt" = a."attempt" + 1,
          "lease_until" = now() + ${leaseSeconds} * interval '1 second',
          "due_at" = now() + ${leaseSeconds} * interval '1 second',
          "phase" = CASE a."wanted" ${Prisma.join(begins, ' ')} ELSE a."phase" END, "updated_at" = now(),
          "runs_until" = now() + a."timeout_seconds" * interval '1 second'
        WHERE a."id" = ANY(ARRAY(SELECT "id" FROM "due")) RETURNING ${claimedColumns})
      SELECT coalesce(json_agg(c ORDER BY d."order"), '[]')::text FROM "claimed" AS c JOIN "due" AS d ON d."id" = c."id"`,
  );
}

/** SQL for whether an executor currently holds an assignment `a` under a fencing number. */
export function leasedToSql({ id }: ExecutorAccess, fence: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    a."executor_id" = ${id}::uuid AND a."fence" = ${fence} AND a."lease_until" > clock_timestamp()`;
}

/** Records that an executor was seen, and until when it waits. */
export async function noteSeen({ db, executor }: AuthorizedExecutor, waitSeconds: number): Promise<void> {
  await db.$executeRaw`
    UPDATE "executor" SET "last_seen_at" = now(),
      "waiting_until" = greatest("waiting_until", now() + ${waitSeconds} * interval '1 second')
    WHERE "id" = ${executor.id}::uuid`;
}

function lanesOf({ kinds, regions }: ExecutorAccess): Lane[] {
  if (regions.includes(everyRegion)) return kinds.map((kind) => ({ kind, region: null }));
  return kinds.flatMap((kind) => regions.map((region) => ({ kind, region })));
}
