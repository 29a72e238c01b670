// Proof that the load is what the product writes: the events of one small account are recorded and rolled up by the
// product itself in a database of its own, in another order, and all tables of the two are compared.
import type pg from 'pg';
import { decimalFromUnits, costDigits, usageDigits } from '../../src/metering/amounts.js';
import { textFromInstant } from '../../src/metering/instant.js';
import { rollUpUsage } from '../../src/metering/usage-rollup.js';
import { UsageMemory } from '../../src/metering/usage-memory.js';
import { usageWorkspaces } from '../../src/metering/usage-workspaces.js';
import { recordEvents } from '../../src/metering/usage.js';
import { createDatabase, dropDatabase } from '../databases.js';
import { createAccounts, withClient, withDatabase } from './databases.js';
import type { BenchAccount } from './generation.js';

const scratch = 'wcp_bench_metrics_proof';

/** Small enough that the sample is rolled up in many steps. */
const batchSize = 700;

const series = 'workspace, resource_type, resource_name, resource_uuid, billing_dimension';
const ofSeries = 'JOIN usage_series AS s USING (account_id, series_id)';

/** What has to be the same, but for the numbers that series and rollups are given. */
const contents: Record<string, string> = {
  series: `SELECT ${series}, first_day, last_day FROM usage_series AS x`,
  events: `SELECT source, id, nano, usage, cost, hour, ${series} FROM usage_event AS x ${ofSeries}`,
  points: `SELECT level, bucket, events, usage, cost, ${series} FROM usage_point AS x ${ofSeries}`,
  cells: `SELECT level, bucket, events, usage, cost, workspace, resource_type, billing_dimension FROM usage_cell AS x`,
  segments: `
    SELECT hour, e.nano, e.usage, e.cost, ${series} FROM usage_segment AS x,
      unnest(series_ids, nanos, usages, costs) AS e(series_id, nano, usage, cost)
    JOIN usage_series AS s USING (series_id)`,
  accounts: `
    SELECT data_through_hour, data_through_nano, closed_before, cell_cost_max, cell_usage_max FROM usage_account AS x`,
};

interface Content {
  rows: number;
  digest: string;
}

/** @throws when a table of the sample account is not what the product writes. */
export async function proveLoad(loaded: pg.Client, accounts: BenchAccount[]): Promise<void> {
  const sample = accounts.find(({ name }) => name === 'bench-sample');
  if (sample === undefined) throw new Error('there is no sample');
  const url = await createDatabase(scratch);
  try {
    const events = await eventsOf(loaded, sample);
    await withDatabase(url, async (db) => {
      await createAccounts(db, [sample]);
      const memory = new UsageMemory();
      const place = usageWorkspaces(db, sample.id);
      for (let from = 0; from < events.length; from += batchSize) {
        const results = await recordEvents(db, memory, events.slice(from, from + batchSize), () => place, new Date());
        const refused = results.find(({ outcome }) => outcome !== 'accepted');
        if (refused !== undefined) throw new Error(`an event of the sample is ${refused.outcome}: ${refused.message}`);
        if ((from / batchSize) % 3 === 0) await rollUpUsage(db, memory, sample.id, new Date());
      }
      await rollUpUsage(db, memory, sample.id, new Date());
    });
    await withClient(url, async (product) => {
      for (const [what, sql] of Object.entries(contents)) {
        const [ours, theirs] = [await contentOf(loaded, sql, sample), await contentOf(product, sql, sample)];
        if (ours.rows !== theirs.rows || ours.digest !== theirs.digest || ours.rows === 0) {
          throw new Error(`${what} of the load are not what the product writes: ${ours.rows} and ${theirs.rows} rows`);
        }
        process.stderr.write(`${what} of the sample: ${ours.rows} rows, as the product writes them\n`);
      }
    });
  } finally {
    await dropDatabase(scratch);
  }
}

/** In the order of a hash, so that many are late and each batch holds all sorts. */
async function eventsOf(loaded: pg.Client, { id, name }: BenchAccount): Promise<Record<string, string>[]> {
  const { rows } = await loaded.query<Record<string, string>>(
    `SELECT source, id, workspace, resource_type, resource_name, resource_uuid, billing_dimension, hour, nano, usage, cost
     FROM usage_event ${ofSeries} WHERE account_id = $1 ORDER BY md5(id)`,
    [id],
  );
  return rows.map((row) => ({
    source: row['source'] ?? '',
    id: row['id'] ?? '',
    account: name,
    workspace: row['workspace'] ?? '',
    resourceType: row['resource_type'] ?? '',
    resourceName: row['resource_name'] ?? '',
    resourceUuid: row['resource_uuid'] ?? '',
    billingDimension: row['billing_dimension'] ?? '',
    time: textFromInstant({ hour: Number(row['hour']), nano: Number(row['nano']) }),
    usage: decimalFromUnits(BigInt(row['usage'] ?? 0), usageDigits),
    cost: decimalFromUnits(BigInt(row['cost'] ?? 0), costDigits),
  }));
}

async function contentOf(client: pg.Client, sql: string, { id }: BenchAccount): Promise<Content> {
  const { rows } = await client.query<Content>(
    `SELECT count(*)::int AS rows, md5(coalesce(string_agg(line, E'\\n' ORDER BY line), '')) AS digest
     FROM (SELECT r::text AS line FROM (${sql} WHERE x.account_id = $1) AS r) AS lines`,
    [id],
  );
  return rows[0] ?? { rows: 0, digest: '' };
}
