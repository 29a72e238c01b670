import type { Authorized, AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { readJson } from '../../database/read-json.js';
import type { Statements } from '../../database/transaction.js';
import { Resource } from '../read/resource.js';
import { columnList } from '../read/page-statement.js';
import type { PartRow } from '../read/list-definition.js';
import type { ResourceKind } from '../read/resource-kind.js';
import { eventsMax } from '../read/resource-row.js';
import type { EventRow } from '../read/resource-row.js';

/** The row to lock, and what to read with it. */
export interface RowLock {
  /** SQL condition that is true for one row `r` of the workspace. */
  condition: Prisma.Sql;
  /** SQL of a boolean about the row `r`. */
  question?: Prisma.Sql;
  /**
   * SQL of JSON about the row `h`, read after the lock is taken. Only volatile functions in it see what the previous
   * holder of the lock committed.
   */
  behind?: Prisma.Sql;
}

/** A row that is locked until the transaction ends. */
export interface LockedRow<Row extends object, Behind = null> {
  resource: Resource<Row>;
  /** The value of `question`. */
  answer: boolean;
  behind: Behind;
}

/**
 * Locks a row of a workspace until the transaction ends, and reads all of its columns. The workspace is locked first, as
 * its deletion does: the two cannot deadlock.
 */
export async function lockResourceRow<Row extends object, Behind = null>(
  within: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  rowLock: RowLock,
): Promise<LockedRow<Row, Behind> | undefined> {
  const { ctx, workspace, account } = within;
  const condition = Prisma.sql`w."id" = ${workspace.id}::uuid`;
  const { row, events, behind } = await lock<Row, Behind>(within, kind, rowLock, {
    condition,
    account: Prisma.sql`${account.id}::uuid`,
  });
  if (row === null) return undefined;
  return { resource: new Resource<Row>(ctx, kind, workspace, { ...row, events }), answer: row.answer, behind };
}

/** A locked row with the authorization for its workspace. */
export interface LockedRowWithin<Row extends object, Behind> extends LockedRow<Row, Behind> {
  within: AuthorizedWorkspace;
}

/** Locks a row in one of several workspaces, in the transaction of `within`. */
export async function lockInOneOf<Row extends object, Behind = null>(
  within: Authorized,
  workspaces: readonly AuthorizedWorkspace[],
  kind: ResourceKind<Row>,
  rowLock: RowLock,
): Promise<LockedRowWithin<Row, Behind> | undefined> {
  const ids = workspaces.map(({ workspace }) => workspace.id);
  const { row, events, behind } = await lock<Row, Behind>(within, kind, rowLock, {
    condition: Prisma.sql`w."id" = ANY(${ids}::uuid[])`,
    account: Prisma.sql`(SELECT w."account_id" FROM "workspace" AS w WHERE w."id" = h."workspaceId")`,
  });
  const found = workspaces.find(({ workspace }) => workspace.id === row?.workspaceId);
  if (row === null || found === undefined) return undefined;
  const resource = new Resource<Row>(found.ctx, kind, found.workspace, { ...row, events });
  return { within: found.joining(within), resource, answer: row.answer, behind };
}

/** The scope of the lock: an SQL condition on the workspace `w`, and SQL of the account of a row `h`. */
interface LockScope {
  condition: Prisma.Sql;
  account: Prisma.Sql;
}

interface LockedJson<Row extends object, Behind> {
  row: (Row & PartRow<Row> & { answer: boolean; workspaceId: string }) | null;
  events: EventRow[] | null;
  behind: Behind;
}

async function lock<Row extends object, Behind>(
  { db }: Authorized,
  kind: ResourceKind<Row>,
  { condition, question = Prisma.sql`false`, behind = Prisma.sql`NULL::json` }: RowLock,
  { condition: workspaceCondition, account }: LockScope,
): Promise<LockedJson<Row, Behind>> {
  const columns = columnList({
    id: Prisma.sql`r."id"`,
    key: Prisma.sql`r."created_at"`,
    workspaceId: Prisma.sql`r."workspace_id"`,
    ...kind.columns,
    events: Prisma.sql`NULL`,
    answer: question,
  });
  // After a wait for the lock, the statement sees the new version of the row but nothing else that was committed since.
  // Events are therefore read afterwards, by a volatile function, which sees them.
  const statement = Prisma.sql`
    WITH "locked" AS MATERIALIZED (
      SELECT ${columns} FROM "workspace" AS w JOIN ${Prisma.raw(`"${kind.table}"`)} AS r ON r."workspace_id" = w."id"
      WHERE ${workspaceCondition} AND ${condition} FOR KEY SHARE OF w FOR UPDATE OF r)
    SELECT json_build_object('row', (SELECT row_to_json(h) FROM "locked" AS h),
      'events', (SELECT newest_events(${account}, h."id", ${eventsMax}::int) FROM "locked" AS h),
      'behind', (SELECT ${behind} FROM "locked" AS h))::text`;
  return readJson(db, statement);
}

/**
 * Locks one row until the transaction ends.
 *
 * @param row SQL that selects the row FOR UPDATE.
 * @returns null if there is no such row.
 */
export async function lockRow<Row>(db: Statements, row: Prisma.Sql): Promise<Row | null> {
  return readJson(
    db,
    Prisma.sql`
      WITH "locked" AS MATERIALIZED (${row})
      SELECT coalesce((SELECT row_to_json(l) FROM "locked" AS l), 'null'::json)::text`,
  );
}
