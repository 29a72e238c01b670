// The table of what was measured, and what it was measured on.
import { withClient } from './databases.js';
import type { MetricsDatabase } from './data.js';
import { longWindow } from './queries.js';
import type { BenchQuery } from './queries.js';

/** Medians in milliseconds. */
export interface Measured {
  query: BenchQuery;
  groups: number;
  buckets: number;
  bytes: number;
  ours: number;
  p90: number;
  /** Of those that began a turn alone. */
  first: { ours: number; duckDb: number };
  /** Among twice the data. */
  twice: number;
  peers: Map<string, number>;
}

const duckDbMax = 1;
const plainMin = 10;

export function tableOf(rows: Measured[]): string {
  const lines = rows.map((row) => {
    const { query, groups, buckets, bytes, ours, p90, first, twice, peers } = row;
    const [duckDb, clickHouse, plain] = ['DuckDB', 'ClickHouse', 'plain GROUP BY'].map(
      (name) => peers.get(name) ?? NaN,
    );
    const { toDuckDb, ofPlain } = ratiosOf(row);
    const marked = (text: string, isMissed: boolean) => (isMissed ? `**${text}**` : text);
    const cells = [
      query.name,
      `${groups} × ${buckets}`,
      Math.ceil(bytes / 1024),
      ms(ours),
      ms(p90),
      ms(duckDb),
      ms(clickHouse),
      ms(plain),
      marked(toDuckDb.toFixed(2), toDuckDb > duckDbMax),
      marked(ofPlain.toFixed(ofPlain < 20 ? 1 : 0), isLong(query) && ofPlain < plainMin),
      ms(first.ours),
      ms(first.duckDb),
      marked((first.ours / first.duckDb).toFixed(2), first.ours / first.duckDb > duckDbMax),
      (twice / ours).toFixed(2),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| query | groups × buckets | KiB | ours ms | p90 | DuckDB ms | ClickHouse ms | plain ms | ours to DuckDB (bar 1) | plain to ours (bar 10 from 30 d) | ours, first of a turn | DuckDB, first of a turn | ours to DuckDB | among twice the data |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...lines,
  ].join('\n');
}

function ratiosOf({ ours, peers }: Measured): { toDuckDb: number; ofPlain: number } {
  return { toDuckDb: ours / (peers.get('DuckDB') ?? NaN), ofPlain: (peers.get('plain GROUP BY') ?? NaN) / ours };
}

function isLong({ from, to }: BenchQuery): boolean {
  return to - from >= longWindow;
}

function ms(time: number | undefined): string {
  return time === undefined ? '' : time.toFixed(time < 100 ? 1 : 0);
}

/** Which bars are missed, in a sentence. */
export function verdictOf(rows: Measured[]): string {
  const slower = rows.filter((row) => ratiosOf(row).toDuckDb > duckDbMax);
  const closer = rows.filter((row) => isLong(row.query) && ratiosOf(row).ofPlain < plainMin);
  const named = (missed: Measured[]) => missed.map(({ query }) => query.name).join('; ');
  const growth = rows.map(({ ours, twice }) => twice / ours).toSorted((one, other) => one - other);
  const middle = growth[growth.length >> 1] ?? NaN;
  return [
    slower.length === 0 ? 'Every query is at least as fast as DuckDB.' : `Slower than DuckDB: ${named(slower)}.`,
    closer.length === 0
      ? 'From 30 days on, a plain GROUP BY takes at least ten times as long.'
      : `Less than ten times as fast as a plain GROUP BY: ${named(closer)}.`,
    `Among twice the data a query takes ${middle.toFixed(2)} times as long (median of all), ${(growth.at(-1) ?? NaN).toFixed(2)} at most.`,
  ].join(' ');
}

export async function describeDataset(once: MetricsDatabase, twice: MetricsDatabase): Promise<string> {
  const [one, other] = [await countsOf(once), await countsOf(twice)];
  const count = (value: string) => Number(value).toLocaleString('en');
  return (
    `One account with ${count(one.resources)} resources, ${count(one.series)} series and ${count(one.points)} hourly points over three ` +
    `years, among ${count(one.others)} points of others; the database among twice the data holds ${count(other.events)} events in place of ` +
    `${count(one.events)} of the account, and ${count(other.others)} points of others.`
  );
}

interface Counts {
  resources: string;
  series: string;
  points: string;
  others: string;
  events: string;
}

function countsOf({ url, accountId }: MetricsDatabase): Promise<Counts> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<Counts>(
      `SELECT (SELECT count(DISTINCT (workspace, resource_type, resource_name)) FROM usage_series WHERE account_id = $1) AS resources,
        (SELECT count(*) FROM usage_series WHERE account_id = $1) AS series,
        (SELECT count(*) FROM bench.hourly_point WHERE account_id = $1) AS points,
        (SELECT count(*) FROM bench.hourly_point WHERE account_id <> $1) AS others,
        (SELECT sum(events) FROM usage_cell WHERE account_id = $1 AND level = 4) AS events`,
      [accountId],
    );
    const [counts] = rows;
    if (counts === undefined) throw new Error('nothing was counted');
    return counts;
  });
}

/** What the tables of the dataset hold on disk, each with its indexes, by million events of all accounts. */
export async function storageOf({ url }: MetricsDatabase): Promise<string> {
  const sizes = await withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string; events: string; rows: string; heap: string; indexes: string }>(`
      WITH size AS (
        SELECT coalesce(inhparent::regclass, c.oid::regclass)::text AS name, sum(pg_table_size(c.oid)) AS heap,
          sum(pg_indexes_size(c.oid)) AS indexes, sum(reltuples)::bigint AS rows
        FROM pg_class AS c LEFT JOIN pg_inherits ON inhrelid = c.oid
        WHERE relkind = 'r' AND relname ~ '^usage_(event|segment|point|cell|series)' GROUP BY 1)
      SELECT *, (SELECT sum(events) FROM usage_cell WHERE level = 4) AS events FROM size ORDER BY heap + indexes DESC`);
    return rows;
  });
  const lines = sizes.map(({ name, events, rows, heap, indexes }) => {
    const perMillion = (bytes: number) => ((bytes / Number(events)) * 1e6) / 2 ** 20;
    const cells = [Number(heap), Number(indexes), Number(heap) + Number(indexes)].map((bytes) =>
      perMillion(bytes).toFixed(1),
    );
    return `| ${name} | ${Number(rows).toLocaleString('en')} | ${cells.join(' | ')} |`;
  });
  return [
    '| table | rows | MiB of rows by million events | of indexes | together |',
    '| --- | ---: | ---: | ---: | ---: |',
    ...lines,
  ].join('\n');
}
