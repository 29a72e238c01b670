// Those that the control plane is measured beside, each with the hourly points of all accounts by account and time:
// a plain table of PostgreSQL, DuckDB, and ClickHouse. The two columnar ones get every bucket of a point as a column
// of its own, and names as enumerations.
import { createWriteStream, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { Session } from 'chdb';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { startOf } from '../../src/metering/window.js';
import type { Resolution } from '../../src/metering/window.js';
import { withClient } from './databases.js';
import type { MetricsDatabase } from './data.js';
import { isSmoke } from '../smoke-mode.js';
import { bucketColumn, sqlOf } from './queries.js';
import type { BenchQuery, Dialect } from './queries.js';

export interface Peer {
  name: string;
  /** Makes one query ready; what comes back runs it and answers its rows as they are. */
  prepare: (query: BenchQuery) => Promise<() => Promise<Rows>>;
  close: () => Promise<void>;
}

/** Rows of group dimensions, bucket, cost and usage. */
export type Rows = readonly (readonly unknown[])[];

const folder = fileURLToPath(new URL(isSmoke ? '../.cache/smoke/' : '../.cache/', import.meta.url));
const rowsFile = `${folder}metrics-points.csv`;
const seriesFile = `${folder}metrics-series.csv`;

export async function openPlain(database: MetricsDatabase): Promise<Peer> {
  const client = new pg.Client({
    connectionString: database.url,
    options: '-c timezone=UTC -c work_mem=32MB',
  });
  await client.connect();
  const dialect: Dialect = {
    points: ({ from, to, resourceUuid }) => `
      bench.hourly_point JOIN usage_series USING (account_id, series_id) WHERE account_id = '${database.accountId}'
      AND time >= ${time(from)} AND time < ${time(to)}${uuidIs(resourceUuid)}`,
    bucket: (resolution) =>
      resolution === 'hourly'
        ? 'time'
        : `date_trunc('${resolution === 'daily' ? 'day' : bucketColumn(resolution)}', time)`,
    none: 'NULL::timestamp',
    sum: (column) => `sum(${column})`,
  };
  // As text, so that the driver does not spend the peer's time on dates.
  const types = { getTypeParser: () => (text: string) => text };
  return {
    name: 'plain GROUP BY',
    prepare: async (query) => {
      const name = query.name.slice(0, 60);
      const text = sqlOf(query, dialect);
      return async () => (await client.query<unknown[]>({ name, text, rowMode: 'array', types })).rows;
    },
    close: () => client.end(),
  };
}

function time(hour: number): string {
  return `timestamp '${new Date(hour * 3_600_000).toISOString().slice(0, 19)}'`;
}

function uuidIs(uuid: string | undefined): string {
  return uuid === undefined ? '' : ` AND resource_uuid = '${uuid}'`;
}

const columnar = (accountId: string): Dialect => ({
  points: ({ from, to, resourceUuid }) =>
    `hourly_point WHERE account = '${accountId}' AND hour >= ${from} AND hour < ${to}${uuidIs(resourceUuid)}`,
  bucket: bucketColumn,
  none: '-1',
  sum: (column) => `sum(${column})`,
});

export async function openDuckDb(database: MetricsDatabase): Promise<Peer> {
  const file = `${folder}metrics.duckdb`;
  if (!existsSync(file)) {
    await exportPoints(database);
    const filling = `${file}.filling`;
    rmSync(filling, { force: true });
    const instance = await DuckDBInstance.create(filling);
    const connection = await instance.connect();
    await connection.run(`
      CREATE TABLE series AS SELECT * FROM read_csv('${seriesFile}', header = true, all_varchar = true);
      CREATE TYPE account AS ENUM (SELECT DISTINCT account_id FROM series ORDER BY 1);
      CREATE TYPE workspace AS ENUM (SELECT DISTINCT workspace FROM series ORDER BY 1);
      CREATE TYPE resource_type AS ENUM (SELECT DISTINCT resource_type FROM series ORDER BY 1);
      CREATE TYPE billing_dimension AS ENUM (SELECT DISTINCT billing_dimension FROM series ORDER BY 1);
      CREATE TYPE resource_uuid AS ENUM (SELECT DISTINCT coalesce(resource_uuid, '') FROM series ORDER BY 1);
      CREATE TABLE hourly_point AS
      SELECT s.account_id::account AS account, hour, day, week, month, workspace::workspace AS workspace,
        resource_type::resource_type AS resource_type, billing_dimension::billing_dimension AS billing_dimension,
        coalesce(resource_uuid, '')::resource_uuid AS resource_uuid, usage, cost
      FROM read_csv('${rowsFile}', header = false, columns = {series_id: 'BIGINT', hour: 'INTEGER', day: 'INTEGER', week: 'INTEGER',
        month: 'INTEGER', usage: 'BIGINT', cost: 'BIGINT'}) AS p JOIN series AS s ON s.series_id::BIGINT = p.series_id
      ORDER BY account, hour;`);
    connection.closeSync();
    instance.closeSync();
    renameSync(filling, file);
  }
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  return {
    name: 'DuckDB',
    prepare: async (query) => {
      const statement = await connection.prepare(sqlOf(query, columnar(database.accountId)));
      return async () => (await statement.runAndReadAll()).getRows();
    },
    close: async () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

export async function openClickHouse(database: MetricsDatabase): Promise<Peer> {
  const path = `${folder}metrics.chdb`;
  const isThere = existsSync(path);
  if (!isThere) await exportPoints(database);
  const filling = isThere ? path : `${path}.filling`;
  if (!isThere) rmSync(filling, { recursive: true, force: true });
  const session = new Session(filling);
  if (!isThere) {
    session.query('CREATE DATABASE bench');
    session.query(`
      CREATE TABLE bench.hourly_point (account LowCardinality(String), hour UInt32, day UInt32, week UInt32, month UInt32,
        workspace LowCardinality(String), resource_type LowCardinality(String), billing_dimension LowCardinality(String),
        resource_uuid LowCardinality(String), usage Int64, cost Int64) ENGINE = MergeTree ORDER BY (account, hour)`);
    session.query(`
      INSERT INTO bench.hourly_point
      SELECT account_id, hour, day, week, month, workspace, resource_type, billing_dimension, resource_uuid, usage, cost
      FROM file('${rowsFile}', 'CSV', 'series_id UInt64, hour UInt32, day UInt32, week UInt32, month UInt32, usage Int64, cost Int64') AS p
      JOIN file('${seriesFile}', 'CSVWithNames', 'account_id String, series_id UInt64, workspace String, resource_type String,
        resource_name String, resource_uuid String, billing_dimension String') AS s USING (series_id)`);
    session.query('OPTIMIZE TABLE bench.hourly_point FINAL');
  }
  if (!isThere) {
    session.close();
    renameSync(filling, path);
    return openClickHouse(database);
  }
  const dialect = columnar(database.accountId);
  const points = (query: BenchQuery) => `bench.${dialect.points(query)}`;
  return {
    name: `ClickHouse`,
    prepare: async (query) => {
      const sql = sqlOf(query, { ...dialect, points });
      return async () =>
        session
          .query(sql, 'TSV')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => line.split('\t'));
    },
    close: async () => session.close(),
  };
}

export function versions(): string {
  const installed: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  );
  const named = (name: string) => `${name} ${installed.dependencies[name]}`;
  return `DuckDB of ${named('@duckdb/node-api')}, ClickHouse of ${named('chdb')}`;
}

/** The hourly points as text, with the buckets that each is in: the same for both. */
async function exportPoints({ url }: MetricsDatabase): Promise<void> {
  if (existsSync(rowsFile) && existsSync(seriesFile)) return;
  mkdirSync(folder, { recursive: true });
  await withClient(url, async (client) => {
    const save = async (file: string, sql: string) => {
      await pipeline(client.query(copyTo(sql)), createWriteStream(`${file}.filling`));
      renameSync(`${file}.filling`, file);
    };
    await save(
      seriesFile,
      `COPY (SELECT account_id, series_id, workspace, resource_type, resource_name, resource_uuid, billing_dimension FROM usage_series)
       TO STDOUT (FORMAT csv, HEADER)`,
    );
    await save(
      rowsFile,
      `COPY (SELECT series_id, hour, day, week, month, usage, cost FROM bench.hourly_point JOIN bench.calendar USING (hour))
       TO STDOUT (FORMAT csv)`,
    );
  });
}

/** The hour that a peer's bucket begins with. */
export function startHourOf(resolution: Resolution, bucket: unknown): number {
  const text = String(bucket);
  if (/^\d{4}-/.test(text)) return Date.parse(`${text.replace(' ', 'T')}Z`) / 3_600_000;
  return startOf(resolution, Number(text));
}
