// The SQL of a search across kinds. Each kind of each workspace is a list that is cut by name, so no statement reads or
// sorts more than a page of each, and the matches of the inverted index.
import { Prisma } from '../../database/client/client.js';
import type { ReadStatements } from '../../database/open.js';
import { readJson } from '../../database/read-json.js';
import { likeText } from '../../database/search-pattern.js';
import { boundedScan, indexScan, matchCount, orderedScan, rowsStatement } from '../../store/read/page-statement.js';
import type { ListQuery, PageSql } from '../../store/read/page-statement.js';
import type { Status } from '../../schema/resource.js';
import { sqlOrder } from '../../store/read/resource-order.js';
import type { Position, Slice } from '../../pagination/page.js';
import { isKindWith, resourceKinds } from '../../resource-kinds.js';
import type { KindWith } from '../../resource-kinds.js';

const byName = sqlOrder({ field: 'name', direction: 'asc' });

export interface SearchQuery {
  /** In the order of the table. */
  kinds: readonly KindWith<'isSearched'>[];
  workspaceIds: readonly string[];
  term: string;
}

export interface HitRow {
  kind: KindWith<'isSearched'>;
  workspaceId: string;
  id: string;
  name: string;
  displayName: string | null;
  status: Status | null;
  position: Position;
}

/** The rank of a match; lower ranks come first. */
type Rank = 0 | 1;

/** The position of a hit: its rank, its name, the index of its kind, and its id. */
interface Place {
  rank: Rank;
  kind: KindWith<'isSearched'>;
  name: string;
  id: string;
}

/** How many rows are scanned in order, in all lists together, before the index of searches is used. */
const scannedRowsMax = 20_000;

/** Hits behind a position in the direction of the slice, so many at most. */
export async function readHits(
  reads: ReadStatements,
  query: SearchQuery,
  slice: Slice,
  limit: number,
): Promise<HitRow[]> {
  if (query.kinds.length === 0 || query.workspaceIds.length === 0) return [];
  const from = slice.from === undefined ? undefined : placeOf(slice.from);
  const ranks: Rank[] = slice.direction === 'forward' ? [0, 1] : [1, 0];
  const hits: HitRow[] = [];
  for (const rank of from === undefined ? ranks : ranks.slice(ranks.indexOf(from.rank))) {
    if (hits.length >= limit) break;
    const ranked = { ...query, rank, direction: slice.direction, from: from?.rank === rank ? from : undefined };
    hits.push(...(await (rank === 0 ? readStarting : readElsewhere)(reads, ranked, limit - hits.length)));
  }
  return hits;
}

interface RankQuery extends SearchQuery {
  rank: Rank;
  direction: Slice['direction'];
  from: Place | undefined;
}

async function readStarting(reads: ReadStatements, query: RankQuery, limit: number): Promise<HitRow[]> {
  const { rows } = await readLists(reads, query, listsOf(query), orderedScan, limit);
  return rows;
}

/** Reads like lists do: a bounded scan first, then the search index for lists whose page is not full. */
async function readElsewhere(reads: ReadStatements, query: RankQuery, limit: number): Promise<HitRow[]> {
  const lists = listsOf(query);
  const count = lists.reduce((sum, { workspaceIds }) => sum + workspaceIds.length, 0);
  const rowsMax = Math.max(100, Math.floor(scannedRowsMax / count));
  const scanned = await readLists(reads, query, lists, (list) => boundedScan(list, rowsMax), limit, true);
  const short = lists.map(({ kind, workspaceIds }) => ({
    kind,
    workspaceIds: workspaceIds.filter(
      (id) => !scanned.full.some((list) => list.kind === kind && list.workspaceId === id),
    ),
  }));
  const remaining = short.filter(({ workspaceIds }) => workspaceIds.length > 0);
  const found = remaining.length === 0 ? [] : (await readLists(reads, query, remaining, indexScan, limit)).rows;
  return inOrder([...scanned.rows, ...found], query).slice(0, limit);
}

interface Lists {
  kind: KindWith<'isSearched'>;
  workspaceIds: readonly string[];
}

function listsOf({ kinds, workspaceIds }: SearchQuery): Lists[] {
  return kinds.map((kind) => ({ kind, workspaceIds }));
}

interface Answer {
  rows: Omit<HitRow, 'position'>[] | null;
  full: { kind: KindWith<'isSearched'>; workspaceId: string }[] | null;
}

/**
 * The first rows of several lists, and which lists have a full page.
 *
 * @param isOfFull whether to return only rows of lists with a full page. The others are read again, and a row of theirs
 *   that was deleted in between must not leave the result short.
 */
async function readLists(
  reads: ReadStatements,
  query: RankQuery,
  lists: Lists[],
  page: (query: ListQuery) => PageSql,
  limit: number,
  isOfFull = false,
): Promise<{ rows: HitRow[]; full: NonNullable<Answer['full']> }> {
  const order = query.direction === 'forward' ? Prisma.sql`ASC` : Prisma.sql`DESC`;
  const found = forEachList(lists, (kind) => page(listQuery(kind, query, limit)));
  const statement = Prisma.sql`
    WITH found AS MATERIALIZED (${found}),
    filled AS (SELECT "kind", "workspaceId" FROM found GROUP BY 1, 2 HAVING count(*) >= ${limit})
    SELECT json_build_object(
      'full', (SELECT json_agg(f) FROM filled AS f),
      'rows', (SELECT json_agg(r) FROM (
        SELECT "kind", "workspaceId", "id", "name", "displayName", "status" FROM found${isOfFull ? Prisma.sql` JOIN filled USING ("kind", "workspaceId")` : Prisma.empty}
        ORDER BY "name" ${order}, "place" ${order}, "id" ${order} LIMIT ${limit}) AS r))::text`;
  const { rows, full } = await readJson<Answer>(reads, statement);
  const placed = (rows ?? []).map((row) => ({ ...row, position: positionOf({ ...row, rank: query.rank }) }));
  return { rows: placed, full: full ?? [] };
}

/** SQL of all these lists together. */
function forEachList(lists: Lists[], page: (kind: KindWith<'isSearched'>) => PageSql): Prisma.Sql {
  const parent = { workspaceId: Prisma.sql`w."id"`, id: Prisma.sql`w."id"`, isOnly: false };
  const each = lists.map(
    ({ kind, workspaceIds }) => Prisma.sql`
      SELECT page.* FROM unnest(${[...workspaceIds]}::uuid[]) AS w("id") CROSS JOIN LATERAL (${page(kind)(parent)}) AS page`,
  );
  return Prisma.join(each, ' UNION ALL ');
}

function listQuery(kind: KindWith<'isSearched'>, query: RankQuery, limit: number): ListQuery {
  const { table, hasStatus } = resourceKinds[kind];
  const starts = Prisma.sql`r."name" LIKE ${`${likeText(query.term)}%`}`;
  return {
    table: Prisma.raw(`"${table}"`),
    condition: query.rank === 0 ? starts : Prisma.sql`NOT ${starts}`,
    order: byName,
    slice: { size: limit, direction: query.direction, from: startIn(kind, query) },
    limit,
    columns: {
      kind: Prisma.sql`${kind}::text`,
      place: Prisma.sql`${query.kinds.indexOf(kind)}::int`,
      workspaceId: Prisma.sql`r."workspace_id"`,
      name: Prisma.sql`r."name"`,
      displayName: Prisma.sql`r."display_name"`,
      status: hasStatus ? Prisma.sql`r."status"::text` : Prisma.sql`NULL::text`,
    },
    search: query.rank === 0 ? undefined : query.term,
    hasSearchIndex: true,
    hasIndexedValues: false,
  };
}

/** Before and behind every id. */
const firstId = '00000000-0000-0000-0000-000000000000';
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The start of a kind's rows after a position of any kind. Equal names are ordered by kind, then by id. */
function startIn(kind: KindWith<'isSearched'>, { kinds, from }: RankQuery): Position | undefined {
  if (from === undefined) return undefined;
  const { name: key, id } = from;
  const difference = kinds.indexOf(kind) - kinds.indexOf(from.kind);
  return { key, id: difference === 0 ? id : difference > 0 ? firstId : lastId };
}

function inOrder(rows: HitRow[], { kinds, direction }: RankQuery): HitRow[] {
  const sign = direction === 'forward' ? 1 : -1;
  const compare = (one: string | number, other: string | number) => (one === other ? 0 : one < other ? -sign : sign);
  return rows.toSorted(
    (one, other) =>
      compare(one.name, other.name) ||
      compare(kinds.indexOf(one.kind), kinds.indexOf(other.kind)) ||
      compare(one.id, other.id),
  );
}

function positionOf({ rank, kind, name, id }: Place): Position {
  return { key: `${rank} ${kind} ${name}`, id };
}

function placeOf({ key, id }: Position): Place {
  const [rank, kind = '', name = ''] = key.split(' ');
  return { rank: rank === '0' ? 0 : 1, kind: isKindWith('isSearched', kind) ? kind : 'AGENT', name, id };
}

/** How many a text finds. */
export async function countHits(reads: ReadStatements, query: SearchQuery): Promise<number> {
  if (query.kinds.length === 0 || query.workspaceIds.length === 0) return 0;
  const slice: Slice = { size: 0, direction: 'forward' };
  const counted = (kind: KindWith<'isSearched'>) =>
    matchCount({
      table: Prisma.raw(`"${resourceKinds[kind].table}"`),
      order: byName,
      slice,
      limit: 0,
      columns: {},
      search: query.term,
      hasIndexedValues: false,
      hasSearchIndex: true,
    });
  return totalOf(reads, forEachList(listsOf(query), counted));
}

/** The number of candidates. */
export async function countSearched(reads: ReadStatements, query: SearchQuery): Promise<number> {
  const ids = [...query.workspaceIds];
  const counts = query.kinds.map((kind) => {
    const { table, isCounted } = resourceKinds[kind];
    return isCounted
      ? Prisma.sql`SELECT sum("total") AS "total" FROM "resource_count" WHERE "resource" = ${table} AND "workspace_id" = ANY(${ids}::uuid[])`
      : Prisma.sql`SELECT count(*) AS "total" FROM ${Prisma.raw(`"${table}"`)} WHERE "workspace_id" = ANY(${ids}::uuid[])`;
  });
  return counts.length === 0 ? 0 : totalOf(reads, Prisma.join(counts, ' UNION ALL '));
}

async function totalOf(reads: ReadStatements, counts: Prisma.Sql): Promise<number> {
  const sum = Prisma.sql`SELECT coalesce(sum("total"), 0) AS "total" FROM (${counts}) AS c`;
  const [row] = await readJson<{ total: number }[]>(reads, rowsStatement(sum));
  return row?.total ?? 0;
}
