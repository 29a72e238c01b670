// `npm run bench:metrics`: what account metrics cost, end to end over HTTP, beside a plain GROUP BY over the hourly
// points in PostgreSQL and the bare queries of DuckDB and ClickHouse; and what they cost among twice the data.
//
// REPEATS (9) comes from the environment. QUERIES='30 d' measures only those whose name holds it, and writes nothing.
import { Agent } from 'node:http';
import { checkAnswer } from './metrics/answers.js';
import { doubledMetrics, ensureMetricsDatabase, mainMetrics } from './metrics/data.js';
import { withClient } from './metrics/databases.js';
import type { MetricsDatabase } from './metrics/data.js';
import { openClickHouse, openDuckDb, openPlain, versions } from './metrics/peers.js';
import type { Peer } from './metrics/peers.js';
import { describeDataset, storageOf, tableOf, verdictOf } from './metrics/results.js';
import type { Measured } from './metrics/results.js';
import { get } from './metrics/get.js';
import { pathOf, queriesOf } from './metrics/queries.js';
import type { BenchQuery } from './metrics/queries.js';
import { median, quantile, startServer } from './processes.js';
import type { RunningServer } from './processes.js';
import { describeMachine, writeResults } from './results.js';
import { isSmoke, numberFrom } from './smoke-mode.js';

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const repeats = numberFrom('REPEATS', 9, 1);
const warmUps = isSmoke ? 0 : 4;
const inTurnMax = 5;
const turnMs = 50;
/** Node compiles what is called often: a server that has run for a minute has compiled it all. */
const serverWarmUps = isSmoke ? 10 : 2_000;
/** A slow one is not repeated for longer than this, but three times. */
const patienceMs = 5_000;
const repeatsMin = 3;

const [once, twice] = [await ensureMetricsDatabase(mainMetrics), await ensureMetricsDatabase(doubledMetrics)];
const peers = [await openDuckDb(once), await openClickHouse(once), await openPlain(once)];
const servers = [await startServer('ours', once), await startServer('ours', twice)] as const;
try {
  const chosen = process.env['QUERIES'] ?? '';
  const queries = queriesOf(await longLivedResource(once)).filter(({ name }) => name.includes(chosen));
  for (let warmUp = 0; warmUp < serverWarmUps; warmUp++) {
    for (const [place, database] of [once, twice].entries()) {
      const query = queries[warmUp % queries.length];
      if (query !== undefined)
        await get(agent, servers[place]?.origin ?? '', pathOf(query, database.accountId), database.key);
    }
  }
  const rows: Measured[] = [];
  for (const query of queries) {
    const row = await measure(query);
    rows.push(row);
    process.stderr.write(`${tableOf([row]).split('\n').at(-1)}\n`);
  }
  const text = `# Account metrics

\`npm run --prefix bench bench:metrics\` on ${await describeMachine(once)}, ${versions()}.

${await describeDataset(once, twice)}

${tableOf(rows)}

${verdictOf(rows)}

## Storage

What ${once.name} holds on disk for a million events of all accounts, an event an hour for each series, rolled up by the
hour; a source of 10 characters and ids of 17. Where hours hold more events, points and cells hold as many as before.
A segment is made by each rollup, so rollups by the second make more and shorter ones.

${await storageOf(once)}
`;
  writeResults('metrics', text, chosen === '');
} finally {
  await Promise.all(servers.map((server) => server.stop()));
  for (const peer of peers) await peer.close();
}
process.exit(0);

/** All engines in turns, after their answers have been found to be the same. */
async function measure(asked: BenchQuery): Promise<Measured> {
  const ask = async (server: RunningServer, database: MetricsDatabase) => {
    const { cursor, after } = await positionOf(asked, server, database);
    const path = pathOf(asked, database.accountId, cursor);
    return { after, act: () => get(agent, server.origin, path, database.key) };
  };
  const [ours, doubled] = [await ask(servers[0], once), await ask(servers[1], twice)];
  const query = ours.after === undefined ? asked : { ...asked, after: ours.after };
  const prepared = await Promise.all(peers.map(async (peer) => ({ peer, act: await peer.prepare(query) })));
  const answer = await ours.act();
  let size = { groups: 0, buckets: 0 };
  for (const { peer, act } of prepared) size = checkAnswer(query, answer, peer.name, await act());
  const acts = [ours.act, doubled.act, ...prepared.map(({ act }) => act)];
  const [own = noTimes, among = noTimes, ...others] = await timeInTurns(acts);
  const peerTimes = new Map(peers.map(({ name }: Peer, place) => [name, others[place] ?? noTimes]));
  return {
    query,
    ...size,
    bytes: Buffer.byteLength(answer),
    ours: median(own.all),
    p90: quantile(own.all, 0.9),
    first: { ours: median(own.first), duckDb: median(peerTimes.get('DuckDB')?.first ?? []) },
    twice: median(among.all),
    peers: new Map([...peerTimes].map(([name, { all }]) => [name, median(all)])),
  };
}

interface Times {
  all: number[];
  /** Those that began a turn. */
  first: number[];
}

const noTimes: Times = { all: [], first: [] };

/** A turn is some requests one after the other, of what is quick: the first finds the caches full of the others. */
async function timeInTurns(acts: (() => Promise<unknown>)[]): Promise<Times[]> {
  const times = acts.map((): Times => ({ all: [], first: [] }));
  const spent = acts.map(() => 0);
  for (let repeat = -warmUps; repeat < repeats; repeat++) {
    for (const [index, act] of acts.entries()) {
      const isTooSlow = (spent[index] ?? 0) > patienceMs;
      if (isTooSlow && (repeat < 0 || (times[index]?.all.length ?? 0) >= repeatsMin)) continue;
      const turnEndMs = performance.now() + turnMs;
      for (let inTurn = 0; inTurn < inTurnMax && (inTurn === 0 || performance.now() < turnEndMs); inTurn++) {
        const startedMs = performance.now();
        await act();
        const ms = performance.now() - startedMs;
        spent[index] = (spent[index] ?? 0) + ms;
        if (repeat < 0) continue;
        times[index]?.all.push(ms);
        if (inTurn === 0) times[index]?.first.push(ms);
      }
    }
  }
  return times;
}

/** Walks to the page that is asked for, as a client does. */
async function positionOf(
  query: BenchQuery,
  { origin }: RunningServer,
  { accountId, key }: MetricsDatabase,
): Promise<{ cursor: string; after?: string }> {
  let cursor = '';
  let after: string | undefined;
  for (let page = 1; page < (query.page ?? 1); page++) {
    const read: { data: { resourceUuid?: string }[]; meta: { nextCursor: string } } = JSON.parse(
      await get(agent, origin, pathOf(query, accountId, cursor), key),
    );
    cursor = read.meta.nextCursor;
    after = read.data.at(-1)?.resourceUuid;
    if (cursor === '') throw new Error(`${query.name}: there are only ${page} pages`);
  }
  return after === undefined ? { cursor } : { cursor, after };
}

/** One that is there in every window. */
async function longLivedResource({ url, accountId }: MetricsDatabase): Promise<string> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ resource_uuid: string }>(
      `SELECT resource_uuid FROM usage_series WHERE account_id = $1 AND resource_type = 'agent'
       GROUP BY 1 ORDER BY max(last_day) - min(first_day) DESC, count(*) DESC, 1 LIMIT 1`,
      [accountId],
    );
    return rows[0]?.resource_uuid ?? '';
  });
}
