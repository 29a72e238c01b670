import type { Authorized, AuthorizedWorkspace } from '../../auth/authorize.js';
import type { Once } from '../../auth/once.js';
import { Prisma } from '../../database/client/client.js';
import { Whole } from '../read/found.js';
import { columnList } from '../read/page-statement.js';
import type { PartRow } from '../read/list-definition.js';
import type { ResourceKind } from '../read/resource-kind.js';
import { eventsMax } from '../read/resource-row.js';
import type { EventRow } from '../read/resource-row.js';

/** Which row is held, and what is asked together with that. */
export interface Holding {
  /** SQL that holds for the row `r`, and for no other one of the workspace. */
  condition: Prisma.Sql;
  /** SQL about the row `r`, true or false. */
  question?: Prisma.Sql;
  /** Takes its key before anything else. */
  once?: Once | undefined;
  /** SQL of JSON about the row `h`. Of functions that are volatile alone it sees what whoever held the row before has left. */
  behind?: Prisma.Sql;
  /** SQL that inserts the row as `r` where nobody has it: what stands before its RETURNING. */
  making?: Prisma.Sql;
}

export interface Held<Row extends object, Behind = null> {
  resource: Whole<Row>;
  /** What else was asked of it. */
  answer: boolean;
  behind: Behind;
}

/**
 * Reads one row of a workspace whole, and holds it until the transaction ends: nobody else changes it meanwhile.
 *
 * @throws what once.isClaimed() throws.
 */
export async function heldRow<Row extends object, Behind = null>(
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
  return { resource: new Whole<Row>(ctx, kind, workspace, { ...row, events }), answer: row.answer, behind };
}

/** What is held, and the right to the workspace that it is in. */
export interface HeldWithin<Row extends object, Behind> extends Held<Row, Behind> {
  within: AuthorizedWorkspace;
}

/** The same of a row in one of several workspaces, in the transaction of `within`. @throws what once.isClaimed() throws. */
export async function heldInOneOf<Row extends object, Behind = null>(
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
  const resource = new Whole<Row>(found.ctx, kind, found.workspace, { ...row, events });
  return { within: found.joining(within), resource, answer: row.answer, behind };
}

/** Where rows are held: SQL of a condition on the row `r`, and of the account of a row `h`. */
interface HeldPlace {
  place: Prisma.Sql;
  account: Prisma.Sql;
}

interface HeldJson<Row extends object, Behind> {
  claim: string;
  row: (Row & PartRow<Row> & { answer: boolean; workspaceId: string }) | null;
  events: EventRow[] | null;
  behind: Behind;
}

async function hold<Row extends object, Behind>(
  { db }: Authorized,
  kind: ResourceKind<Row>,
  { condition, question = Prisma.sql`false`, once, behind = Prisma.sql`NULL::json`, making }: Holding,
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
  // Whoever waited for the row sees it as it was left, but nothing else of what came since, so that its events are read
  // behind that, by a function that sees them.
  const statement = Prisma.sql`
    WITH "claim" AS MATERIALIZED (SELECT ${once?.claim() ?? Prisma.sql`''`} AS "found"),
    "held" AS MATERIALIZED (
      SELECT ${columns} FROM ${Prisma.raw(`"${kind.table}"`)} AS r WHERE ${place} AND ${condition} AND ${isKeyOurs}
      FOR UPDATE OF r) ${made ?? Prisma.empty},
    "one" AS MATERIALIZED (SELECT * FROM "held" ${made === undefined ? Prisma.empty : orMade})
    SELECT json_build_object('claim', "found", 'row', (SELECT row_to_json(h) FROM "one" AS h),
      'events', (SELECT newest_events(${account}, h."id", ${eventsMax}::int) FROM "one" AS h),
      'behind', (SELECT ${behind} FROM "one" AS h))::text FROM "claim"`;
  const json: HeldJson<Row, Behind> = JSON.parse(await db.$text(statement));
  once?.isClaimed(json.claim);
  return json;
}

const orMade = Prisma.sql`UNION ALL SELECT * FROM "made"`;

/** A condition of what is held after a key is taken: nobody else has the key. */
export const isKeyOurs = Prisma.sql`(SELECT "found" FROM "claim") <> 'busy'`;

/**
 * Holds one row until the transaction ends; the key of the request is taken before.
 *
 * @param held SQL that selects the row for an update, on the condition isKeyOurs.
 * @returns null when there is none. @throws what the request's Once throws.
 */
export async function heldUnderKey<Row>(
  { db, ctx: { once } }: Pick<Authorized, 'db'> & { ctx: Pick<Authorized['ctx'], 'once'> },
  held: Prisma.Sql,
): Promise<Row | null> {
  const text = await db.$text(Prisma.sql`
    WITH "claim" AS MATERIALIZED (SELECT ${once?.claim() ?? Prisma.sql`''`} AS "found"),
    "held" AS MATERIALIZED (${held})
    SELECT json_build_object('claim', "found", 'row', (SELECT row_to_json(h) FROM "held" AS h))::text FROM "claim"`);
  const { claim, row }: { claim: string; row: Row | null } = JSON.parse(text);
  once?.isClaimed(claim);
  return row;
}
