import type { AuthorizedWorkspace } from '../access/authorize.js';
import { Prisma } from '../database/client/client.js';
import { Whole } from './found.js';
import { columnList, rowsStatement } from './page-statement.js';
import type { PartRow, ResourceKind } from './resource-kind.js';

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

/** The same, and what else is asked of it. @param question SQL about the row `r`, true or false. */
export async function heldRowAnd<Row extends object>(
  within: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  condition: Prisma.Sql,
  question: Prisma.Sql,
): Promise<Held<Row> | undefined> {
  const columns = { id: Prisma.sql`r."id"`, key: Prisma.sql`r."created_at"`, ...kind.columns };
  const held = Prisma.sql`
    SELECT ${columnList(columns)}, ${question} AS "answer" FROM ${Prisma.raw(`"${kind.table}"`)} AS r
    WHERE r."workspace_id" = ${within.workspace.id}::uuid AND ${condition}
    FOR UPDATE OF r`;
  const [row]: (Row & PartRow<Row> & { answer: boolean })[] = JSON.parse(await within.db.$text(rowsStatement(held)));
  if (row === undefined) return undefined;
  return { resource: new Whole<Row>(within.ctx, kind, within.workspace, row), answer: row.answer };
}
