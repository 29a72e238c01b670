import type { Authorized, AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import type { Statements } from '../../database/open.js';
import { Resource } from '../read/resource.js';
import { columnList } from '../read/page-statement.js';
import type { PartRow } from '../read/list-definition.js';
import type { ResourceKind } from '../read/resource-kind.js';
import { eventsMax } from '../read/resource-row.js';
import type { EventRow } from '../read/resource-row.js';

/** The row to lock, and what to read with it. */
export interface Holding {
  /** SQL condition that holds for one row `r` of the workspace. */
  condition: Prisma.Sql;
  /** SQL of a boolean about the row `r`. */
  question?: Prisma.Sql;
  /**
   * SQL of JSON about the row `h`, read after the lock is taken. Only volatile functions in it see what the previous
   * holder of the lock committed.
   */
  behind?: Prisma.Sql;
  /** The SQL, up to RETURNING, that inserts the row as `r` if it does not exist. */
  making?: Prisma.Sql;
}

export interface Held<Row extends object, Behind = null> {
  resource: Resource<Row>;
  /** The value of `question`. */
  answer: boolean;
  behind: Behind;
}

/** Reads all columns of one row of a workspace, and locks it until the transaction ends. */
export async function lockResourceRow<Row extends object, Behind = null>(
  within: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  holding: Holding,
): Promise<Held<Row, Behind> | undefined> {
  const { ctx, workspace, account } = within;
  const place = Prisma.sql`r."workspace_id" = ${workspace.id}::uuid`;
  const { row, events, behind } = await hold<Row, Behind>(within, kind, holding, {
    place,
    account: Prisma.sql`${account.id}::uuid`,
  });
  if (row === null) return undefined;
  return { resource: new Resource<Row>(ctx, kind, workspace, { ...row, events }), answer: row.answer, behind };
}

/** A locked row with the authorization for its workspace. */
export interface HeldWithin<Row extends object, Behind> extends Held<Row, Behind> {
  within: AuthorizedWorkspace;
}

/** Locks a row in one of several workspaces, in the transaction of `within`. */
export async function lockInOneOf<Row extends object, Behind = null>(
  within: Authorized,
  workspaces: readonly AuthorizedWorkspace[],
  kind: ResourceKind<Row>,
  holding: Holding,
): Promise<HeldWithin<Row, Behind> | undefined> {
  const ids = workspaces.map(({ workspace }) => workspace.id);
  const { row, events, behind } = await hold<Row, Behind>(within, kind, holding, {
    place: Prisma.sql`r."workspace_id" = ANY(${ids}::uuid[])`,
    account: Prisma.sql`(SELECT w."account_id" FROM "workspace" AS w WHERE w."id" = h."workspaceId")`,
  });
  const found = workspaces.find(({ workspace }) => workspace.id === row?.workspaceId);
  if (row === null || found === undefined) return undefined;
  const resource = new Resource<Row>(found.ctx, kind, found.workspace, { ...row, events });
  return { within: found.joining(within), resource, answer: row.answer, behind };
}

/** The scope of the lock: an SQL condition on the row `r`, and SQL of the account of a row `h`. */
interface HeldPlace {
  place: Prisma.Sql;
  account: Prisma.Sql;
}

interface HeldJson<Row extends object, Behind> {
  row: (Row & PartRow<Row> & { answer: boolean; workspaceId: string }) | null;
  events: EventRow[] | null;
  behind: Behind;
}

async function hold<Row extends object, Behind>(
  { db }: Authorized,
  kind: ResourceKind<Row>,
  { condition, question = Prisma.sql`false`, behind = Prisma.sql`NULL::json`, making }: Holding,
  { place, account }: HeldPlace,
): Promise<HeldJson<Row, Behind>> {
  const columns = columnList({
    id: Prisma.sql`r."id"`,
    key: Prisma.sql`r."created_at"`,
    workspaceId: Prisma.sql`r."workspace_id"`,
    ...kind.columns,
    events: Prisma.sql`NULL`,
    answer: question,
  });
  const made = making && Prisma.sql`, "made" AS (${making} RETURNING ${columns})`;
  // After a wait for the lock, the statement sees the new version of the row but nothing else that was committed since.
  // Events are therefore read afterwards, by a volatile function, which sees them.
  const statement = Prisma.sql`
    WITH "held" AS MATERIALIZED (
      SELECT ${columns} FROM ${Prisma.raw(`"${kind.table}"`)} AS r WHERE ${place} AND ${condition} FOR UPDATE OF r) ${made ?? Prisma.empty},
    "one" AS MATERIALIZED (SELECT * FROM "held" ${made === undefined ? Prisma.empty : orMade})
    SELECT json_build_object('row', (SELECT row_to_json(h) FROM "one" AS h),
      'events', (SELECT newest_events(${account}, h."id", ${eventsMax}::int) FROM "one" AS h),
      'behind', (SELECT ${behind} FROM "one" AS h))::text`;
  return JSON.parse(await db.$text(statement));
}

const orMade = Prisma.sql`UNION ALL SELECT * FROM "made"`;

/**
 * Locks one row until the transaction ends.
 *
 * @param row SQL that selects the row FOR UPDATE.
 * @returns null if there is no such row.
 */
export async function lockRow<Row>(db: Statements, row: Prisma.Sql): Promise<Row | null> {
  return JSON.parse(
    await db.$text(Prisma.sql`
      WITH "held" AS MATERIALIZED (${row})
      SELECT coalesce((SELECT row_to_json(h) FROM "held" AS h), 'null'::json)::text`),
  );
}
