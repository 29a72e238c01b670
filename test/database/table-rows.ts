// What a database has, to compare a restored one with its original.
import type { OpenDatabase } from '../../src/database/open.js';

interface TableRows {
  table: string;
  rows: string[];
}

/** The rows of each table, read without the code under test. */
export async function rowsOfTables({ db }: OpenDatabase): Promise<TableRows[]> {
  const tables = await db.$queryRaw<{ table: string }[]>`
    SELECT c.oid::regclass::text AS "table" FROM pg_class AS c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY 1`;
  const found: TableRows[] = [];
  for (const { table } of tables) {
    const rows = await db.$queryRawUnsafe<{ row: string }[]>(`SELECT r::text AS "row" FROM ${table} AS r ORDER BY 1`);
    found.push({ table, rows: rows.map(({ row }) => row) });
  }
  return found;
}

/** The same rows after a restore, which skips a billion numbers of changes. */
export function afterRestore(tables: readonly TableRows[]): TableRows[] {
  const skipped = (row: string) => row.replace(/\d+(?=\)$)/, (last) => String(Number(last) + 1_000_000_000));
  return tables.map(({ table, rows }) => ({ table, rows: table === 'change_head' ? rows.map(skipped) : rows }));
}

/** The last number of each sequence; 0 if there is none. */
export async function lastNumbers({ db }: OpenDatabase): Promise<{ name: string; last: number }[]> {
  return db.$queryRaw`
    SELECT sequencename::text AS "name", coalesce(last_value, 0)::float8 AS "last" FROM pg_sequences ORDER BY 1`;
}
