import type { Authorized, AuthorizedWorkspace } from '../access/authorize.js';
import type { Once } from '../access/once.js';
import { Prisma } from '../database/client/client.js';
import { Whole } from './found.js';
import { columnList } from './page-statement.js';
import type { PartRow } from './kind-definition.js';
import type { ResourceKind } from './resource-kind.js';
import { eventsMax } from './resource-row.js';
import type { EventRow } from './resource-row.js';

export interface Held<Row extends object> {
  resource: Whole<Row>;
  /** What else was asked of it. */
  answer: boolean;
}

/**
 * Reads one row of a workspace whole, and holds it until the transaction ends: nobody else changes it meanwhile.
 *
 * @param condition SQL that holds for the row `r`, and for no other one of the workspace.
 */
export async function heldRow<Row extends object>(
  within: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  condition: Prisma.Sql,
): Promise<Whole<Row> | undefined> {
  return (await heldRowAnd(within, kind, condition, Prisma.sql`false`))?.resource;
}

/**
 * The same, and what else is asked of it.
 *
 * @param question SQL about the row `r`, true or false. @param once takes its key before anything else.
 * @throws what once.isClaimed() throws.
 */
export async function heldRowAnd<Row extends object>(
  within: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  condition: Prisma.Sql,
  question: Prisma.Sql,
  once?: Once,
): Promise<Held<Row> | undefined> {
  const columns = {
    id: Prisma.sql`r."id"`,
    key: Prisma.sql`r."created_at"`,
    ...kind.columns,
    events: Prisma.sql`NULL`,
  };
  // Whoever waited for the row sees it as it was left, but nothing else of what came since, so that its events are read
  // behind that, by a function that sees them.
  const statement = Prisma.sql`
    WITH "claim" AS MATERIALIZED (SELECT ${once?.claim() ?? Prisma.sql`''`} AS "found"),
    "held" AS MATERIALIZED (
      SELECT ${columnList(columns)}, ${question} AS "answer" FROM ${Prisma.raw(`"${kind.table}"`)} AS r
      WHERE r."workspace_id" = ${within.workspace.id}::uuid AND ${condition}
        AND ${isKeyOurs}
      FOR UPDATE OF r)
    SELECT json_build_object('claim', "found", 'row', (SELECT row_to_json(h) FROM "held" AS h), 'events', (
      SELECT newest_events(${within.account.id}::uuid, h."id", ${eventsMax}::int) FROM "held" AS h))::text FROM "claim"`;
  const { claim, row, events }: HeldJson<Row> = JSON.parse(await within.db.$text(statement));
  once?.isClaimed(claim);
  if (row === null) return undefined;
  return { resource: new Whole<Row>(within.ctx, kind, within.workspace, { ...row, events }), answer: row.answer };
}

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

interface HeldJson<Row extends object> {
  claim: string;
  row: (Row & PartRow<Row> & { answer: boolean }) | null;
  events: EventRow[] | null;
}
