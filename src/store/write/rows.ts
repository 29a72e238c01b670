// The statements that write one row of a resource kind.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import type { NewChange } from '../../changes/record-changes.js';
import { Prisma } from '../../database/client/client.js';
import type { Statements } from '../../database/transaction.js';
import { nameTakenFrom } from '../../database/name-taken.js';
import { readJson } from '../../database/read-json.js';
import { columnList } from '../read/page-statement.js';
import type { PartRow } from '../read/list-definition.js';
import { Resource } from '../read/resource.js';
import type { ResourceKind } from '../read/resource-kind.js';
import { readReported } from '../../lifecycle/reported.js';
import type { Reported } from '../../lifecycle/reported.js';
import { growthOf, sumOfGrowth } from '../../quotas/growth.js';
import type { Growth } from '../../quotas/growth.js';
import { changeOf, recordOf } from './change-record.js';
import { countedRow, regionIn } from './count-row.js';
import { requireUnprotected } from './require-unprotected.js';
import type { Dependents, Writable, WritableRow } from './writable.js';

/** A row by column name. */
export type ColumnValues = Readonly<Record<string, unknown>> & { readonly id: string };

type KindTable = Pick<ResourceKind<object>, 'table' | 'label'>;

/**
 * Inserts a row, with the next statement of the transaction.
 *
 * @param ctes SQL of further changes in the same statement, as of labels (label-history.ts).
 * @throws 409 `name_taken`
 */
export async function insertRow(
  db: Statements,
  { table, label }: KindTable,
  values: ColumnValues,
  ctes?: Prisma.Sql,
): Promise<void> {
  const name = Prisma.raw(`"${table}"`);
  const columns = Object.keys(values);
  const names = Prisma.raw(columns.map((column) => `"${column}"`).join(', '));
  const sources = Prisma.raw(columns.map((column) => `r."${column}"`).join(', '));
  await db.$defer(
    Prisma.sql`
      ${withCtes(ctes)} INSERT INTO ${name} (${names})
      SELECT ${sources} FROM json_populate_record(NULL::${name}, ${JSON.stringify(values)}::json) AS r`,
    (error) => nameTakenFrom(error, label, String(values['name']), 'metadata.name'),
  );
}

/**
 * Updates columns of a locked row, with the next statement of the transaction.
 *
 * @param ctes SQL of further changes in the same statement.
 */
export async function updateRow(
  db: Statements,
  { table }: KindTable,
  values: ColumnValues,
  ctes?: Prisma.Sql,
): Promise<void> {
  const name = Prisma.raw(`"${table}"`);
  const columns = Object.keys(values).filter((column) => column !== 'id');
  const assignments = Prisma.raw(columns.map((column) => `"${column}" = n."${column}"`).join(', '));
  await db.$defer(Prisma.sql`
    ${withCtes(ctes)} UPDATE ${name} AS r SET ${assignments}
    FROM json_populate_record(NULL::${name}, ${JSON.stringify(values)}::json) AS n WHERE r."id" = n."id"`);
}

function withCtes(ctes: Prisma.Sql | undefined): Prisma.Sql {
  return ctes === undefined ? Prisma.empty : Prisma.sql`WITH ${ctes}`;
}

/**
 * Deletes a locked row, with the next statement of the transaction.
 *
 * @param ctes SQL of further changes in the same statement.
 */
export async function deleteRow(db: Statements, kind: KindTable, id: string, ctes?: Prisma.Sql): Promise<void> {
  await db.$defer(Prisma.sql`${withCtes(ctes)} ${deletionSql(kind, id)}`);
}

/**
 * Deletes a locked row that executors report on.
 *
 * @returns the last reports: the triggers of the deletion end or delete the assignments that have them.
 */
export function deleteReportedRow(db: Statements, kind: KindTable, id: string, ctes?: Prisma.Sql): Promise<Reported> {
  const deletion = Prisma.sql`"deleted" AS (${deletionSql(kind, id)})`;
  return readReported(db, id, withCtes(ctes === undefined ? deletion : Prisma.sql`${ctes}, ${deletion}`));
}

/** How many dependents one statement deletes. */
const dependentsAtOnce = 10_000;

/**
 * Deletes the resources in a resource that is deleted with them. A cascading foreign key would leave no records, and
 * would also delete rows that another transaction deletes and records. Nothing can be added while their parent is
 * locked.
 *
 * @param parent the resource that they are in.
 * @param which SQL condition that selects the dependent rows `r`.
 * @throws 409 `protected` if one of them is protected.
 */
export async function deleteDependents<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  writable: Writable<Row>,
  parent: { row: { spec: unknown } },
  which: Prisma.Sql,
): Promise<Dependents> {
  const { ctx, db, workspace } = within;
  const { kind } = writable;
  const table = Prisma.raw(`"${kind.table}"`);
  const key = { id: Prisma.sql`r."id"`, key: Prisma.sql`r."created_at"` };
  const columns = columnList({ ...key, ...kind.columns, events: Prisma.sql`NULL` });
  const containerRegion = regionIn(parent.row.spec);
  const changes: NewChange[] = [];
  let growths: Growth[] = [];
  for (;;) {
    const rows = await readJson<(Row & PartRow<Row>)[]>(
      db,
      Prisma.sql`
        WITH "deleted" AS (
          DELETE FROM ${table} AS r USING (
            SELECT r."id" FROM ${table} AS r WHERE ${which}
            ORDER BY r."created_at", r."id" LIMIT ${dependentsAtOnce} FOR UPDATE) AS d
          WHERE r."id" = d."id" RETURNING ${columns})
        SELECT coalesce(json_agg(row_to_json(d) ORDER BY d."key", d."id"), '[]')::text FROM "deleted" AS d`,
    );
    for (const row of rows) {
      requireUnprotected(kind, row, ', which would be deleted too');
      const resource = new Resource<Row>(ctx, kind, workspace, row);
      changes.push(changeOf(within, kind, 'deleted', resource, { before: recordOf(writable, resource) }));
    }
    const deleted = rows.flatMap((row) => {
      const { containerId: _, ...counted } = countedRow(within, writable, row);
      return growthOf(kind.name, { ...counted, containerRegion }, undefined);
    });
    growths = sumOfGrowth([...growths, ...deleted]);
    if (rows.length < dependentsAtOnce) return { changes, growths };
  }
}

function deletionSql({ table }: KindTable, id: string): Prisma.Sql {
  return Prisma.sql`DELETE FROM ${Prisma.raw(`"${table}"`)} WHERE "id" = ${id}::uuid`;
}
