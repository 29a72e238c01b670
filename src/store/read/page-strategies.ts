// Reads pages of lists from the database: one statement, and a second or third if the first does not fill the page.
import type { ReadStatements } from '../../database/open.js';
import { readJson } from '../../database/read-json.js';
import type { Keyed, ListDefinition, ListParent, PageKey } from './list-definition.js';
import { listQuery } from './list-query.js';
import { boundedScan, indexScan, isNarrowed, orderedScan, pagesStatement } from './page-statement.js';
import type { ListQuery, PageSql } from './page-statement.js';
import { readPreparedPage } from './prepared-page.js';
import type { PreparedPages } from './prepared-page.js';
import type { Ranking } from './ranking.js';
import { matchesFrequentValues, timeBucketScan } from './time-bucket-scan.js';

/** How many rows the first scan of a searched or filtered list checks. */
const scannedRowsMax = 3_000;

interface Strategy {
  name: 'ordered scan' | 'time-bucket scan' | 'index scan';
  /** Whether the strategy reads the pages that are not full yet. */
  applies: (query: ListQuery, parents: readonly ListParent[], db: ReadStatements) => boolean | Promise<boolean>;
  sql: (query: ListQuery) => PageSql;
}

/**
 * The strategies, in the order in which they are tried. The ordered scan suits lists without search and filter, and
 * values that match within the first rows. The time-bucket scan suits frequent values that match none of the first
 * rows. The index scan suits rare values, because it sorts all matches.
 */
const strategies: readonly Strategy[] = [
  {
    name: 'ordered scan',
    applies: () => true,
    sql: (query) => (hasIndex(query) ? boundedScan(query, scannedRowsMax) : orderedScan(query)),
  },
  {
    name: 'time-bucket scan',
    applies: (query, parents, db) => hasIndex(query) && matchesFrequentValues(db, query, parents),
    sql: timeBucketScan,
  },
  { name: 'index scan', applies: hasIndex, sql: indexScan },
];

/** Whether indexes find the rows of a searched or filtered list. Computed ranks have to be sorted anyway. */
function hasIndex(query: ListQuery): boolean {
  return isNarrowed(query) && query.hasSearchIndex && query.ranking === undefined;
}

/**
 * The same page of each list, in the order of the keys, which differ only in their parents. Many lists need no more
 * statements than one. `Read` is the part of a row with the columns of the keys, or the complete row.
 */
export async function readPages<Row extends object, Read extends Partial<Row>>(
  db: ReadStatements,
  list: ListDefinition<Row> & { prepared: PreparedPages },
  keys: readonly PageKey[],
): Promise<(Read & Keyed)[][]> {
  const [key] = keys;
  if (key === undefined) return [];
  const isCommon = keys.length === 1 && !isNarrowed(key) && key.ranking === undefined && key.accessible === undefined;
  if (isCommon) return [await readPreparedPage<Row, Read>(db, list, key)];
  const query = listQuery(list, key);
  const pages = keys.map((): (Read & Keyed)[] => []);
  let missing = keys.map(({ parent }, index) => ({ parent, index }));
  for (const { applies, sql } of strategies) {
    const parents = missing.map(({ parent }) => parent);
    if (!(await applies(query, parents, db))) continue;
    const read = await pagesBy<Read>(db, parents, sql(query), query.ranking);
    for (const [position, { index }] of missing.entries()) pages[index] = read[position] ?? [];
    missing = missing.filter(({ index }) => (pages[index]?.length ?? 0) < key.limit);
    if (missing.length === 0) break;
  }
  return pages;
}

/** Pages of the lists of several parents, by one statement, in the order of the parents. */
export async function pagesBy<Read extends object>(
  db: ReadStatements,
  parents: readonly ListParent[],
  page: PageSql,
  ranking?: Ranking,
): Promise<(Read & Keyed)[][]> {
  if (parents.length === 0) return [];
  const statement = pagesStatement(parents, page, ranking);
  const rows = await readJson<(Read & Keyed & { ordinal?: number })[]>(db, statement);
  if (parents.length === 1) return [rows];
  const pages = parents.map((): (Read & Keyed)[] => []);
  for (const row of rows) pages[(row.ordinal ?? 0) - 1]?.push(row);
  return pages;
}
