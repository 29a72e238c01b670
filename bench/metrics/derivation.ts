// From the generated events to all that recordUsage and rollUpUsage leave behind, set-wise: millions of events in
// minutes. `proof.ts` compares it with what they themselves write.
import { endHour, eventId, source } from './generation.js';

export interface Step {
  name: string;
  sql: string;
}

/** In the order in which time would have written them, as if every hour had been rolled up when it ended. */
export const derivation: Step[] = [
  {
    name: 'series',
    sql: `
      INSERT INTO usage_series (account_id, series_id, workspace, resource_type, resource_name, resource_uuid, billing_dimension,
        first_day, last_day)
      OVERRIDING SYSTEM VALUE
      SELECT s.account_id, s.series_id, workspace, type, name, uuid, dimension, min(hour) / 24, max(hour) / 24
      FROM bench.series AS s JOIN bench.event USING (series_id)
      GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 2;
      SELECT setval(pg_get_serial_sequence('usage_series', 'series_id'), max(series_id)) FROM usage_series;
      ANALYZE usage_series;`,
  },
  {
    name: 'events',
    sql: `
      INSERT INTO usage_event (account_id, source, id, series_id, nano, usage, cost, hour)
      SELECT account_id, '${source}', ${eventId}, series_id, nano, usage, cost, hour
      FROM bench.event ORDER BY hour, account, series_id, k;`,
  },
  {
    name: 'segments',
    sql: `
      SELECT usage_segment_partition(m + 1970 * 12) FROM (SELECT DISTINCT month AS m FROM bench.calendar) AS months;
      INSERT INTO usage_segment (account_id, hour, rollup_id, series_ids, nanos, usages, costs)
      SELECT account_id, hour, hour - min(hour) OVER (PARTITION BY account_id) + 1, array_agg(series_id), array_agg(nano),
        array_agg(usage), array_agg(cost)
      FROM (SELECT * FROM bench.event ORDER BY hour, account_id, series_id, k) AS e
      GROUP BY hour, account_id ORDER BY hour, account_id;`,
  },
  {
    name: 'hourly points',
    sql: `
      CREATE UNLOGGED TABLE bench.bucketed AS
      SELECT account_id, 1::smallint AS level, series_id, hour AS bucket, count(*)::int AS events, sum(usage)::bigint AS usage,
        sum(cost)::bigint AS cost, hour AS starts
      FROM bench.event GROUP BY account_id, series_id, hour;`,
  },
  {
    name: 'days, weeks and months',
    sql: `
      INSERT INTO bench.bucketed
      SELECT account_id, v.level, series_id, v.bucket, sum(events), sum(usage), sum(cost), min(starts)
      FROM bench.bucketed AS b JOIN bench.calendar AS c ON c.hour = b.bucket,
        LATERAL (VALUES (2::smallint, day), (3::smallint, week), (4::smallint, month)) AS v(level, bucket)
      WHERE b.level = 1 GROUP BY account_id, v.level, series_id, v.bucket;`,
  },
  {
    name: 'points',
    sql: `
      INSERT INTO usage_point (account_id, series_id, usage, cost, bucket, events, level)
      SELECT account_id, series_id, usage, cost, bucket, events, level FROM bench.bucketed
      ORDER BY starts, account_id, level, bucket, series_id;`,
  },
  {
    name: 'cells',
    sql: `
      INSERT INTO usage_cell (account_id, usage, cost, events, bucket, level, workspace, resource_type, billing_dimension)
      SELECT account_id, usage, cost, events, bucket, level, workspace, type, dimension
      FROM (
        SELECT level, bucket, combination, sum(usage) AS usage, sum(cost) AS cost, sum(events) AS events, min(starts) AS starts
        FROM bench.bucketed JOIN (SELECT series_id, combination FROM bench.series) AS s USING (series_id)
        GROUP BY combination, level, bucket) AS b
      JOIN (SELECT DISTINCT combination, account_id, workspace, type, dimension FROM bench.series) AS s USING (combination)
      ORDER BY starts;`,
  },
  {
    name: 'accounts',
    sql: `
      INSERT INTO usage_account (account_id, rollup_id, data_through_hour, data_through_nano, cell_cost_max, cell_usage_max)
      SELECT account_id, rollup_id, hour, nano, cost, usage
      FROM (SELECT DISTINCT ON (account_id) account_id, hour, nano FROM bench.event WHERE hour >= ${endHour} - 24 * 60
        ORDER BY account_id, hour DESC, nano DESC) AS latest
      JOIN (SELECT account_id, max(rollup_id) AS rollup_id FROM usage_segment GROUP BY 1) AS segment USING (account_id)
      JOIN (SELECT account_id, max(cost) AS cost, max(usage) AS usage FROM usage_cell GROUP BY 1) AS cell USING (account_id);`,
  },
  {
    name: 'the same hourly points as one plain table, by time',
    sql: `
      CREATE TABLE bench.hourly_point AS
      SELECT account_id, time, series_id, usage, cost, hour
      FROM bench.bucketed JOIN bench.calendar ON hour = bucket WHERE level = 1 ORDER BY account_id, bucket;
      CREATE INDEX ON bench.hourly_point (account_id, time);`,
  },
];
