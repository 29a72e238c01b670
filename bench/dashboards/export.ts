// All groups of an account's metrics as CSV: how fast they come, and how much memory the server takes for them.
import { openContext } from '../../src/auth/open-context.js';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/database/open.js';
import { createLog, createServices } from '../../src/server/create-services.js';
import { rollUpUsage } from '../../src/metering/usage-rollup.js';
import { recordUsage } from '../../src/metering/usage.js';
import { benchSecret, createDatabase, dropDatabase } from '../databases.js';
import { createKey } from '../metrics/data.js';
import { createAccounts } from '../metrics/databases.js';
import { idOf } from '../../src/demo/random.js';
import { residentMib, sleep, startServer } from '../processes.js';

const database = 'wcp_bench_export';
const account = {
  id: idOf('bench-export'),
  name: 'bench-export',
  workspaces: ['bench-export'],
  resources: 0,
  hours: 0,
};
const endMs = Date.UTC(2026, 10, 1);
const dayMs = 86_400_000;
const batch = 10_000;
const days = 7;

export interface Exported {
  groups: number;
  lines: number;
  megabytes: number;
  megabytesPerSecond: number;
  moreMib: number;
}

/** Sandboxes that were used on each day of a week, exported by those days. */
export async function measureExport(groups: number): Promise<Exported> {
  const url = await createDatabase(database);
  try {
    const key = await fill(url, groups);
    const server = await startServer('ours', { url });
    try {
      return await exported(server, key, groups);
    } finally {
      await server.stop();
    }
  } finally {
    await dropDatabase(database);
  }
}

async function fill(url: string, groups: number): Promise<string> {
  const config = readConfig({ DATABASE_URL: url, SERVICE_SECRETS: benchSecret, LOG_LEVEL: 'error' });
  const { db, close, ...rest } = await openDatabase(config);
  try {
    await createAccounts(db, [account]);
    const key = await createKey(db, account.id);
    const services = createServices(config, { db, close, ...rest }, () => new Date(), createLog(config.LOG_LEVEL));
    const ctx = await openContext(services, { authorization: `Bearer ${key}` }, 'bench');
    const events = groups * days;
    for (let from = 0; from < events; from += batch) {
      const count = Math.min(batch, events - from);
      const given = Array.from({ length: count }, (_, index) => eventOf(from + index, groups));
      const results = await recordUsage(ctx, given);
      const refused = results.find(({ outcome }) => outcome !== 'accepted');
      if (refused !== undefined) throw new Error(`an event is ${refused.outcome}: ${refused.message}`);
    }
    await rollUpUsage(db, services.usageMemory, account.id, new Date());
    await db.$executeRawUnsafe('ANALYZE');
    return key;
  } finally {
    await close();
  }
}

function eventOf(event: number, groups: number) {
  const index = event % groups;
  const day = Math.floor(event / groups);
  return {
    source: 'meter-eu-1',
    id: String(event),
    account: account.name,
    workspace: account.name,
    resourceType: 'sandbox',
    resourceName: `sandbox-${index}`,
    resourceUuid: idOf(`sandbox-${index}`),
    billingDimension: 'sandbox_compute_runtime_gbs',
    time: new Date(endMs - (day + 0.5) * dayMs).toISOString(),
    usage: `${index}.5`,
    cost: '0.0414',
  };
}

async function exported(
  { origin, pid }: { origin: string; pid: number },
  key: string,
  groups: number,
): Promise<Exported> {
  const search = new URLSearchParams({
    startTime: new Date(endMs - days * dayMs).toISOString(),
    endTime: new Date(endMs).toISOString(),
    resolution: 'daily',
    groupBy: 'resource_uuid',
  });
  const read = async () => {
    const response = await fetch(`${origin}/v0/accounts/${account.id}/metrics?${search}`, {
      headers: { authorization: `Bearer ${key}`, accept: 'text/csv', 'accept-encoding': 'identity' },
    });
    if (!response.ok || response.body === null) throw new Error(`the export is answered with ${response.status}`);
    let [bytes, lines] = [0, 0];
    for await (const chunk of response.body) {
      bytes += chunk.length;
      for (const byte of chunk) if (byte === 10) lines++;
    }
    return { bytes, lines };
  };
  // Once before, so that what a process takes for its first answers is not counted.
  await read();
  await sleep(3_000);
  const before = residentMib(pid);
  let most = before;
  const watching = setInterval(() => {
    most = Math.max(most, residentMib(pid));
  }, 20);
  const startedMs = performance.now();
  const { bytes, lines } = await read();
  const seconds = (performance.now() - startedMs) / 1_000;
  clearInterval(watching);
  if (lines < groups * days) throw new Error(`${lines} lines are not ${groups} groups of a week`);
  const megabytes = bytes / 1e6;
  return { groups, lines, megabytes, megabytesPerSecond: megabytes / seconds, moreMib: most - before };
}
