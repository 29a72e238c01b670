// The last reports of executors on resources.
import { Prisma } from '../database/client/client.js';
import { readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import type { TaskState } from './execution-states.js';
import { aliveCondition } from './silent-executor.js';
import { taskKind } from './work-kinds.js';

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
  return readJson<Record<string, ObservedStatus>>(db, Prisma.sql`SELECT ${observedSql(ids)}::text`);
}

function observedSql(ids: readonly string[]): Prisma.Sql {
  return Prisma.sql`(
    SELECT coalesce(json_object_agg(a."resource_id", json_build_object(
      'observedAt', x."last_seen_at", 'instances', a."instances", 'restarts', a."restarts", 'restartAt', a."restart_at",
      'unknownSince', CASE WHEN a."phase" = 'DEPLOYED' AND NOT coalesce(${aliveCondition}, false)
        THEN coalesce(least(x."last_seen_at", x."revoked_at"), a."updated_at") END)), '{}')
    FROM "assignment" AS a LEFT JOIN "executor" AS x ON x."id" = a."executor_id"
    WHERE a."resource_id" = ANY(${[...new Set(ids)]}::uuid[]) AND a."task" = '' AND a."fence" > 0)`;
}

/** A URL for each task with one, or '' for the resource itself. */
export type LogsUrls = [task: string, url: string][];

/** The URLs of logs that executors reported, in the order of the ids. */
export async function readLogsUrls(db: Statements, ids: readonly string[]): Promise<LogsUrls[]> {
  const found = await readJson<Record<string, LogsUrls>>(db, Prisma.sql`SELECT ${logsUrlsSql(ids)}::text`);
  return ids.map((id) => found[id] ?? []);
}

function logsUrlsSql(ids: readonly string[]): Prisma.Sql {
  return byResourceSql(ids, Prisma.sql`a."logs_url"`);
}

/** The state of each task. */
export type TaskStates = [task: string, state: TaskState][];

/** The states of the tasks of executions, in the order of the ids. */
export async function readTaskStates(db: Statements, ids: readonly string[]): Promise<TaskStates[]> {
  const found = await readJson<Record<string, TaskStates>>(db, Prisma.sql`SELECT ${taskStatesSql(ids)}::text`);
  return ids.map((id) => found[id] ?? []);
}

function taskStatesSql(ids: readonly string[]): Prisma.Sql {
  return byResourceSql(ids, Prisma.sql`CASE WHEN a."kind" = ${taskKind} THEN a."phase" END`);
}

/** SQL of a text of assignments by the id of the resource, each with the task. Assignments without the text are left out. */
function byResourceSql(ids: readonly string[], text: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(
    SELECT coalesce(json_object_agg(t."resource_id", t."texts"), '{}') FROM (
      SELECT a."resource_id", json_agg(json_build_array(a."task", ${text})) AS "texts" FROM "assignment" AS a
      WHERE a."resource_id" = ANY(${[...new Set(ids)]}::uuid[]) AND ${text} IS NOT NULL GROUP BY 1) AS t)`;
}

/** The reports on a resource. */
export interface Reported {
  observed: ObservedStatus | null;
  logsUrls: LogsUrls;
  /** For an execution. */
  taskStates: TaskStates;
}

/**
 * Reads the reports on a resource in the transaction of a change.
 *
 * @param change SQL of CTEs that change the resource in the same statement. The reports are those before.
 */
export async function readReported(db: Statements, id: string, change = Prisma.empty): Promise<Reported> {
  const found = await readJson<[Record<string, ObservedStatus>, Record<string, LogsUrls>, Record<string, TaskStates>]>(
    db,
    Prisma.sql`
      ${change} SELECT json_build_array(${observedSql([id])}, ${logsUrlsSql([id])}, ${taskStatesSql([id])})::text`,
  );
  const [observed, logsUrls, states] = found;
  return { observed: observed[id] ?? null, logsUrls: logsUrls[id] ?? [], taskStates: states[id] ?? [] };
}
