// Usage that looks like a platform's: most resources live for hours, some for years, and there are more of them every
// month. It is made set-wise in SQL, and chance is a hash, so two loads make the same events to the last nano-unit.
import { billingDimensions } from '../../src/metering/dimensions.js';
import { idOf } from '../../src/demo/random.js';
import { isSmoke } from '../smoke-mode.js';

export interface MetricsSize {
  /** Accounts beside the one that is asked about. */
  others: number;
  eventsPerPoint: number;
  /** Resources of the account that is asked about (default: 12,000). */
  resources?: number;
}

export interface BenchAccount {
  id: string;
  name: string;
  workspaces: string[];
  resources: number;
  /** How many hours back its usage goes. */
  hours: number;
}

export const metricsOwner = 'owner@metrics.example.com';

const hourMs = 3_600_000;
/** Without this hour: it is the end. */
export const endHour = Date.UTC(2026, 10, 1) / hourMs;
const firstHour = Date.UTC(2023, 10, 1) / hourMs;

export const source = 'meter-eu-1';

/** The account that is asked about, those whose usage must not make it slower, and a small one to prove the load by. */
export function accountsOf({ others, resources: mainResources = 12_000 }: MetricsSize): BenchAccount[] {
  const hours = endHour - firstHour;
  const account = (name: string, workspaces: number, count: number, hours: number): BenchAccount => ({
    id: idOf(name),
    name,
    workspaces: Array.from({ length: workspaces }, (_, n) => `${name}-${n + 1}`),
    resources: count,
    hours,
  });
  return [
    account('bench-main', 8, mainResources, hours),
    account('bench-sample', 3, isSmoke ? 12 : 60, 24 * (isSmoke ? 15 : 75)),
    ...Array.from({ length: others }, (_, n) => account(`bench-other-${n + 1}`, 4, mainResources / 12, hours)),
  ];
}

/** Everything below is dropped again, but for the hourly points. */
export const scaffold = `
  CREATE SCHEMA bench;
  -- PostgreSQL's hash for partitions: the same on every machine and in every version.
  CREATE FUNCTION bench.chance(n bigint, salt bigint) RETURNS double precision IMMUTABLE LANGUAGE sql AS $$
    SELECT (hashint8extended(n, salt) & 16777215) / 16777216.0::float8 $$;
  CREATE TABLE bench.calendar AS
    SELECT hour, hour / 24 AS day, (hour / 24 + 3) / 7 AS week,
      ((extract(year FROM t) - 1970) * 12 + extract(month FROM t) - 1)::int AS month, t AS time
    FROM generate_series(${firstHour}, ${endHour - 1}) AS hour,
      LATERAL (SELECT timestamp '1970-01-01' + hour * interval '1 hour' AS t) AS calendar;
  CREATE TABLE bench.account (n int, id uuid, name text, workspaces text[], resources int, first_hour int);
  CREATE TABLE bench.dimension (type text, dimension text, share float8, density int);
  INSERT INTO bench.dimension VALUES ${dimensions()};`;

/** How many of the resources of its type have it, and in how many hours out of a hundred. */
function dimensions(): string {
  const rows = Object.entries(billingDimensions).map(([name, { resourceType }]) => {
    const share = name.includes('image') ? 0.33 : name.includes('snapshot') ? 0.12 : name.includes('async') ? 0.3 : 1;
    const density = name.includes('compute') ? 60 : name.includes('async') ? 40 : 100;
    return `('${resourceType}', '${name}', ${share}, ${density})`;
  });
  return rows.join(', ');
}

export const resources = `
  CREATE TABLE bench.resource AS
  SELECT a.n AS account, g, a.id AS account_id, type, a.workspaces[1 + floor(chance_2 * chance_2 * cardinality(a.workspaces))::int] AS workspace,
    replace(type, '_', '-') || '-' || number AS name,
    CASE WHEN type = 'custom_domain' THEN '' ELSE md5(a.id::text || g)::uuid::text END AS uuid,
    lived.first_hour, least(lived.first_hour + hours, ${endHour}) AS end_hour
  FROM bench.account AS a, generate_series(1, a.resources) AS number,
    LATERAL (SELECT a.n * 100000::bigint + number AS g) AS numbered,
    LATERAL (SELECT bench.chance(g, 1) AS chance_1, bench.chance(g, 2) AS chance_2, bench.chance(g, 3) AS chance_3,
      bench.chance(g, 4) AS chance_4, bench.chance(g, 5) AS chance_5) AS chances,
    LATERAL (SELECT CASE WHEN chance_1 < 0.42 THEN 'sandbox' WHEN chance_1 < 0.66 THEN 'agent' WHEN chance_1 < 0.84 THEN 'job'
      WHEN chance_1 < 0.9 THEN 'mcp_server' WHEN chance_1 < 0.98 THEN 'volume' ELSE 'custom_domain' END AS type) AS typed,
    -- Six of a hundred live on, a third for weeks, the rest for hours or days; the younger, the more.
    LATERAL (SELECT ${endHour} - a.first_hour AS span) AS spanned,
    LATERAL (SELECT CASE WHEN chance_3 < 0.06 THEN a.first_hour + floor(span * chance_4 * 0.8)::int
        ELSE a.first_hour + floor((span - 2) * (1 - chance_4 ^ 4))::int END AS first_hour,
      CASE WHEN chance_3 < 0.06 THEN span WHEN chance_3 < 0.4 THEN 150 + floor(1350 * chance_5)::int
        ELSE 2 + floor(150 * chance_5)::int END AS hours) AS lived;

  -- Ids as they are given: to what is seen first, first.
  CREATE TABLE bench.series AS
  SELECT row_number() OVER (ORDER BY first_hour, g, dimension) AS series_id, r.account, r.account_id, r.workspace, r.type, r.name, r.uuid,
    d.dimension, d.density, r.first_hour, r.end_hour,
    dense_rank() OVER (ORDER BY r.account, r.workspace, r.type, d.dimension) AS combination
  FROM bench.resource AS r JOIN bench.dimension AS d USING (type)
  WHERE share = 1 OR bench.chance(g, 6 + length(dimension)) < share;`;

/** Of the account that is asked about, as many events an hour as are wanted, each with amounts of its own. */
export const events = (eventsPerPoint: number): string => `
  CREATE UNLOGGED TABLE bench.event AS
  SELECT account, account_id, series_id, hour, k,
    ((seed * 37 + k * 1799) % 3600) * 1000000000 + seed % 1000 * 1000 AS nano,
    (1 + seed % 200) * 1000000 + seed % 999983 AS usage,
    (100 + seed % 1000) * 1000 + k * 7 AS cost
  FROM bench.series AS s, generate_series(s.first_hour, s.end_hour - 1) AS hour,
    LATERAL (SELECT ((series_id * 7919 + hour::bigint * 104729) % 2147483647 * 48271) % 2147483647 AS seed) AS seeded,
    generate_series(1, CASE account WHEN 0 THEN ${eventsPerPoint} ELSE 1 END) AS k
  WHERE seed / 1000 % 100 < density;
  ANALYZE bench.event;`;

export const eventId = `lpad(to_hex(hour), 6, '0') || '-' || lpad(to_hex(series_id), 8, '0') || '-' || k`;
