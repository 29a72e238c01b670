// `npm run bench:metrics-ingestion`: how many usage events a second come in, in batches of 1 to 10,000, from one writer
// and from eight, beside bare COPY of the same events into a bare table with the columns and key of usage_event.
//
// ROUNDS (3) comes from the environment. BATCHES=10000 measures only that size, and writes nothing.
import { Agent } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { readConfig } from '../src/config.js';
import { openContext } from '../src/http/open-context.js';
import type { ServiceContext } from '../src/http/open-context.js';
import { openDatabase } from '../src/database/open.js';
import { rollUpUsage } from '../src/metering/usage-rollup.js';
import { recordUsage } from '../src/metering/usage.js';
import { createLog, createServices } from '../src/server/create-services.js';
import { benchSecret, createDatabase, dropDatabase } from './databases.js';
import { createKey } from './metrics/data.js';
import { createAccounts, withClient } from './metrics/databases.js';
import { accountsOf } from './metrics/generation.js';
import { copyText, eventsOf } from './metrics/ingestion-data.js';
import type { GivenEvent } from './metrics/ingestion-data.js';
import { bodyOf, forgetUsage, rateOf, sendUsage } from './metrics/usage-requests.js';
import type { HttpWay } from './metrics/usage-requests.js';
import { median, startServer } from './processes.js';
import { describeMachine, writeResults } from './results.js';
import { isSmoke, numberFrom } from './smoke-mode.js';

const rounds = numberFrom('ROUNDS', 3, 1);
const name = 'wcp_bench_ingestion';
const writerCounts = isSmoke ? [2] : [1, 8];
/** How many events of each size of batch are enough to tell. */
const eventsOfSize = new Map(
  isSmoke
    ? [[100, 400]]
    : [
        [1, 3_000],
        [100, 60_000],
        [1_000, 160_000],
        [10_000, 160_000],
      ],
);
/** The first round warms up. */
const warmUpRounds = isSmoke ? 0 : 1;
/** Of what COPY with the key does, at the largest size; under them a share is set in bold. */
const bars = { record: 0.5, rolledUp: 0.35, ndjson: 0.4 };

const [account] = accountsOf({ others: 0, eventsPerPoint: 1 });
if (account === undefined) throw new Error('there is no account');
const accountId = account.id;
const url = await createDatabase(name);
const config = readConfig({ DATABASE_URL: url, SERVICE_SECRETS: benchSecret, LOG_LEVEL: 'error' });
const database = await openDatabase(config);
const clients = await Promise.all(Array.from({ length: Math.max(...writerCounts) }, connect));
await createAccounts(database.db, [account]);
const key = await createKey(database.db, accountId);
const services = createServices(config, database, () => new Date(), createLog(config.LOG_LEVEL));
const ctx = await openContext(services, { authorization: `Bearer ${key}` }, 'bench');

interface Rates extends Record<HttpWay, number> {
  keyless: number;
  copy: number;
  record: number;
  rolledUp: number;
}

interface Row {
  size: number;
  writers: number;
  rates: Rates;
}

const asked = process.env['BATCHES']?.split(',').map(Number) ?? [...eventsOfSize.keys()];
const rows: Row[] = [];
try {
  // The dictionary of series is filled once, as it is with a meter that has been running.
  for (const batch of batchesOf(isSmoke ? 100 : 10_000)) await record(ctx, batch);
  for (const size of asked) for (const writers of writerCounts) rows.push(await measure(size, writers));
  write(await describeMachine({ url }));
} finally {
  await Promise.all(clients.map((client) => client.end()));
  await database.close();
  await dropDatabase(name);
}
process.exit(0);

/** RoundRobin of all ways in turns, each on tables that are as empty as the others', with events that are new. */
async function measure(size: number, writers: number): Promise<Row> {
  const found: Rates[] = [];
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    const batches = () => batchesOf(size);
    const rates = {
      keyless: await copyRate(batches(), writers, ''),
      copy: await copyRate(batches(), writers, 'PRIMARY KEY (account_id, source, id)'),
      ...(await recordRates(batches(), writers)),
      graphql: await httpRate('graphql', batches(), writers),
      json: await httpRate('json', batches(), writers),
      ndjson: await httpRate('ndjson', batches(), writers),
    };
    if (round >= warmUpRounds) found.push(rates);
  }
  const middle = (read: (rates: Rates) => number) => median(found.map(read));
  const rates = {
    keyless: middle((each) => each.keyless),
    copy: middle((each) => each.copy),
    record: middle((each) => each.record),
    rolledUp: middle((each) => each.rolledUp),
    graphql: middle((each) => each.graphql),
    json: middle((each) => each.json),
    ndjson: middle((each) => each.ndjson),
  };
  const row = { size, writers, rates };
  process.stderr.write(`${line(row)}\n`);
  return row;
}

function batchesOf(size: number): GivenEvent[][] {
  if (account === undefined) throw new Error('there is no account');
  const events = eventsOf(account, eventsOfSize.get(size) ?? 10 * size);
  return Array.from({ length: events.length / size }, (_, n) => events.slice(n * size, (n + 1) * size));
}

async function copyRate(batches: GivenEvent[][], writers: number, constraint: string): Promise<number> {
  await withClient(url, (client) =>
    client.query(`
      DROP TABLE IF EXISTS bare;
      CREATE TABLE bare (account_id uuid NOT NULL, source text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
        series_id bigint NOT NULL, nano bigint NOT NULL, usage bigint NOT NULL, cost bigint NOT NULL, hour int NOT NULL
        ${constraint === '' ? '' : `, ${constraint}`})`),
  );
  const texts = batches.map((batch) => copyText(accountId, batch));
  return rateOf(batches, writers, async (_, index, writer) => {
    const client = clients[writer];
    if (client !== undefined)
      await pipeline(Readable.from([texts[index]]), client.query(copyFrom('COPY bare FROM STDIN')));
  });
}

/** Through the application function, and then until all of it is rolled up. */
async function recordRates(batches: GivenEvent[][], writers: number): Promise<Pick<Rates, 'record' | 'rolledUp'>> {
  await forgetUsage(url);
  const startedMs = performance.now();
  const record_ = await rateOf(batches, writers, (batch) => record(ctx, batch));
  await rollUpUsage(database.db, ctx.usageMemory, accountId, new Date());
  return { record: record_, rolledUp: (batches.flat().length * 1_000) / (performance.now() - startedMs) };
}

async function record(ctx: ServiceContext, events: GivenEvent[]): Promise<void> {
  const results = await recordUsage(ctx, events);
  const refused = results.find(({ outcome }) => outcome !== 'accepted');
  if (refused !== undefined) throw new Error(`an event is ${refused.outcome}: ${refused.message}`);
}

/** To a server that rolls up once a second as it always does, each batch a request. */
async function httpRate(way: HttpWay, batches: GivenEvent[][], writers: number): Promise<number> {
  await forgetUsage(url);
  const bodies = batches.map((events) => bodyOf(way, events));
  const server = await startServer('ours', { url });
  const agent = new Agent({ keepAlive: true, maxSockets: writers });
  const to = { way, origin: server.origin, agent, key };
  try {
    const [warmUp = []] = batchesOf(100);
    await sendUsage({ ...to, body: bodyOf(way, warmUp), events: warmUp.length });
    return await rateOf(batches, writers, (batch, index) =>
      sendUsage({ ...to, body: bodies[index] ?? '', events: batch.length }),
    );
  } finally {
    agent.destroy();
    await server.stop();
  }
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

function line({ size, writers, rates }: Row): string {
  const { keyless, copy, record: accepted, rolledUp, graphql, json, ndjson } = rates;
  const count = (rate: number) => Math.round(rate).toLocaleString('en');
  const share = (rate: number, bar: number) => {
    const text = (rate / copy).toFixed(2);
    return size === 10_000 && rate / copy < bar ? `**${text}**` : text;
  };
  const shares = [share(accepted, bars.record), share(rolledUp, bars.rolledUp), share(ndjson, bars.ndjson)];
  const counts = [accepted, rolledUp, graphql, json, ndjson, copy, keyless].map(count);
  return `| ${[size.toLocaleString('en'), writers, ...counts, ...shares].join(' | ')} |`;
}

function write(machine: string): void {
  const text = `# Usage events coming in

\`npm run --prefix bench bench:metrics-ingestion\` on ${machine}.
Events a second, medians of ${rounds} rounds in turns.

| events a batch | writers | recordUsage | until rolled up | GraphQL | JSON | NDJSON | COPY with the key | COPY without | recordUsage to COPY (bar ${bars.record} at 10,000) | until rolled up to COPY (bar ${bars.rolledUp}) | NDJSON to COPY (bar ${bars.ndjson}) |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.map(line).join('\n')}
`;
  writeResults('metrics-ingestion', text, process.env['BATCHES'] === undefined);
}
