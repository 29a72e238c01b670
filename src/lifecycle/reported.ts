// The last reports of executors on resources.
import { Prisma } from '../database/client/client.js';
import { readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { aliveCondition } from './silent-executor.js';

/** The observed status of a resource. Times are as PostgreSQL writes them into JSON. */
export interface ObservedStatus {
  /** The last request of the executor that deployed the resource. */
  observedAt: string | null;
  /** Since when the platform does not know whether a deployed resource runs; null if it knows. */
  unknownSince: string | null;
  instances: number | null;
  restarts: number;
  restartAt: string | null;
}

/**
 * The observed statuses of resources, by id; none for a resource that no executor has deployed. Each request of an executor
 * counts for all that it deployed, as a heartbeat of a Kubernetes node does for its pods.
 */
export function readObserved(db: Statements, ids: readonly string[]): Promise<Record<string, ObservedStatus>> {
  return readJson<Record<string, ObservedStatus>>(
    db,
    Prisma.sql`
      SELECT coalesce(json_object_agg(a."resource_id", json_build_object(
        'observedAt', x."last_seen_at", 'instances', a."instances", 'restarts', a."restarts", 'restartAt', a."restart_at",
        'unknownSince', CASE WHEN a."phase" = 'DEPLOYED' AND NOT coalesce(${aliveCondition}, false)
          THEN coalesce(least(x."last_seen_at", x."revoked_at"), a."updated_at") END)), '{}')::text
      FROM "assignment" AS a LEFT JOIN "executor" AS x ON x."id" = a."executor_id"
      WHERE a."resource_id" = ANY(${[...new Set(ids)]}::uuid[]) AND a."task" = '' AND a."fence" > 0`,
  );
}

/** The URLs of logs that executors reported, with the task, which is empty for the resource itself. */
export function readLogsUrls(
  db: Statements,
  ids: readonly string[],
): Promise<[id: string, task: string, url: string][]> {
  return readJson<[id: string, task: string, url: string][]>(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(json_build_array(a."resource_id", a."task", a."logs_url")), '[]')::text
      FROM "assignment" AS a WHERE a."resource_id" = ANY(${[...new Set(ids)]}::uuid[]) AND a."logs_url" IS NOT NULL`,
  );
}

/** The reports on a resource. */
export interface Reported {
  observed: ObservedStatus | null;
  logsUrl: string | undefined;
}

/** Reads the reports on a resource in the transaction of a change. */
export async function readReported(db: Statements, id: string): Promise<Reported> {
  const observed = await readObserved(db, [id]);
  const logsUrls = await readLogsUrls(db, [id]);
  return { observed: observed[id] ?? null, logsUrl: logsUrls.find(([, task]) => task === '')?.[2] };
}
