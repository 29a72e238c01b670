// `npm run --prefix bench bench:changes`: how late watchers are told of what is committed, beside a floor that forwards
// what PostgreSQL notifies; how much memory a watcher takes; what writing costs while somebody watches; and how fast the
// history is read from its start.
//
// WATCHERS (1000), PER_SECOND (100), SECONDS (20), ROUNDS (3) and CHANGES (200000) come from the environment. On a machine
// that is busy with other things the figures would say more of those: it measures, and writes nothing.
import { Agent, request } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { openWatchers } from './changes/watchers.js';
import { openWriters } from './changes/writers.js';
import type { Account, Writers } from './changes/writers.js';
import { createDatabase, dropDatabase } from './databases.js';
import { median, processorMs, quantile, residentMib, sleep, startServer } from './processes.js';
import type { RunningServer } from './processes.js';
import { describeMachine, writeResults } from './results.js';

const watcherCount = Number(process.env['WATCHERS'] ?? 1_000);
const perSecond = Number(process.env['PER_SECOND'] ?? 100);
const seconds = Number(process.env['SECONDS'] ?? 20);
const rounds = Number(process.env['ROUNDS'] ?? 3);
const changes = Number(process.env['CHANGES'] ?? 200_000);
const name = 'wcp_bench_changes';
const settings = { WATCHERS_PER_ACCOUNT_MAX: String(10 * watcherCount) };

/** Over how many accounts those who watch, and what they are told of, are spread: all are told of it, or a hundredth. */
const spreads = [1, 100];
const servers = ['ours', 'changes-floor'] as const;

interface Lateness {
  p50: number;
  p99: number;
  /** Of what should have been told. */
  told: number;
  /** Processor of the server, for each second. */
  processor: number;
}

const late = new Map<string, Lateness[]>();
const memoryKib: number[] = [];
const writing = { alone: [] as number[], watched: [] as number[] };
const keyOf = (server: string, spread: number) => `${server} ${spread}`;

const url = await createDatabase(name);
let writers: Writers | undefined;
try {
  writers = await openWriters(url, Math.max(...spreads));
  for (let round = 0; round < rounds; round++) {
    for (const server of servers) for (const spread of spreads) await measureLateness(writers, server, spread);
    memoryKib.push(await measureMemory(writers.accounts));
    await measureWriting(writers.accounts[0] ?? raise());
  }
  const reading = await measureReading(writers.accounts[1] ?? raise());
  report(await describeMachine({ url }), reading);
} finally {
  await writers?.close();
  await dropDatabase(name);
}
process.exit(0);

/** Changes at a steady rate, each of the next account, and when those who watch it are told. */
async function measureLateness({ accounts, write }: Writers, server: (typeof servers)[number], spread: number) {
  const running = await startServer(server, { url }, settings);
  const watched = accounts.slice(0, spread);
  const committedMs = new Map<string, number>();
  const arrivedMs = new Map<string, number[]>();
  const watchers = await openWatchers(running.origin, watched, watcherCount, (change) => {
    arrivedMs.get(change)?.push(performance.now());
  });
  const writeOne = async (index: number, mark: string) => {
    const change = `c-${mark}-${index}`;
    arrivedMs.set(change, []);
    committedMs.set(change, await write(watched[index % spread] ?? raise(), change));
  };
  // Who listens tells so within some seconds; and the first change of each account takes longer.
  await sleep(2_000);
  for (let index = 0; index < spread; index++) await writeOne(index, 'first');
  await sleep(1_000);
  committedMs.clear();
  const usedMs = processorMs(running.pid);
  const writes: Promise<void>[] = [];
  const startMs = performance.now();
  for (let index = 0; index < perSecond * seconds; index++) {
    const waitMs = startMs + (index * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    writes.push(writeOne(index, 'then'));
  }
  await Promise.all(writes);
  const processor = (processorMs(running.pid) - usedMs) / (performance.now() - startMs);
  await sleep(2_000);
  watchers.leave();
  await running.stop();
  const each = [...committedMs].flatMap(([change, committed]) =>
    (arrivedMs.get(change) ?? []).map((arrived) => arrived - committed),
  );
  const told = each.length / ((committedMs.size * watcherCount) / spread);
  const found = { p50: quantile(each, 0.5), p99: quantile(each, 0.99), told, processor };
  process.stderr.write(`${server}, ${spread} accounts: ${JSON.stringify(found)}\n`);
  const key = keyOf(server, spread);
  late.set(key, [...(late.get(key) ?? []), found]);
}

/** How much more memory the process holds for each that comes to as many as have been there since before. */
async function measureMemory(accounts: readonly Account[]): Promise<number> {
  const running = await startServer('ours', { url }, settings);
  const watchAll = () => openWatchers(running.origin, accounts, watcherCount, () => {});
  (await watchAll()).leave();
  const first = await watchAll();
  await sleep(5_000);
  const before = residentMib(running.pid);
  const second = await watchAll();
  await sleep(5_000);
  const kib = ((residentMib(running.pid) - before) * 1024) / watcherCount;
  for (const { leave } of [first, second]) leave();
  await running.stop();
  process.stderr.write(`memory: ${kib.toFixed(1)} KiB a watcher\n`);
  return kib;
}

/** Processor of the server for each agent that is made, with somebody who watches and without. */
async function measureWriting(account: Account): Promise<void> {
  const running = await startServer('ours', { url }, settings);
  await processorOfWriting(running, account, 1);
  for (const isWatched of [false, true, true, false]) {
    const watchers = isWatched ? await openWatchers(running.origin, [account], 1, () => {}) : undefined;
    await sleep(1_000);
    writing[isWatched ? 'watched' : 'alone'].push(await processorOfWriting(running, account, seconds / 4));
    watchers?.leave();
  }
  await running.stop();
}

async function processorOfWriting({ origin, pid }: RunningServer, account: Account, forSeconds: number) {
  const agent = new Agent({ keepAlive: true });
  const usedMs = processorMs(pid);
  const endMs = performance.now() + forSeconds * 1_000;
  let made = 0;
  while (performance.now() < endMs) {
    const input = { workspace: account.workspace, metadata: { name: `a-${Math.random().toString(36).slice(2)}` } };
    const query =
      'mutation ($input: CreateAgentInput!) { createAgent(input: $input) { ... on CreateAgentPayload { agent { id } } } }';
    const answer = await send(origin, account.key, { query, variables: { input } }, agent);
    if (!answer.includes('"id"')) throw new Error(answer);
    made++;
  }
  agent.destroy();
  return (processorMs(pid) - usedMs) / made;
}

/** Reads a history of its own from the start, page by page. @returns changes a second. */
async function measureReading({ id, key, workspace }: Account): Promise<number> {
  await fillHistory(id, workspace);
  const running = await startServer('ours', { url }, settings);
  const agent = new Agent({ keepAlive: true });
  const query = `query ($after: String) { changes(first: 200, after: $after) {
    nodes { id time verb kind name version } pageInfo { endCursor hasNextPage } } }`;
  const readAll = async (most: number) => {
    let after: string | undefined;
    let read = 0;
    for (;;) {
      const { data } = JSON.parse(await send(running.origin, key, { query, variables: { after } }, agent));
      read += data.changes.nodes.length;
      ({ endCursor: after } = data.changes.pageInfo);
      if (!data.changes.pageInfo.hasNextPage || read >= most) return read;
    }
  };
  await readAll(10_000);
  const startedMs = performance.now();
  const read = await readAll(Infinity);
  const rate = (read * 1_000) / (performance.now() - startedMs);
  agent.destroy();
  await running.stop();
  if (read < changes) throw new Error(`${read} of ${changes} changes were read`);
  return rate;
}

/** Puts a history into an account's place, as long as asked. */
async function fillHistory(accountId: string, workspace: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('DELETE FROM change WHERE account_id = $1', [accountId]);
  await client.query(
    `INSERT INTO change (account_id, sequence, time, workspace_id, kind, resource_id, name, verb, version, actor_kind,
       actor_name, client, request_id, address, door, after, type, status, message)
     SELECT $1, n, now() - ($3 - n) * interval '1 second', w.id, 'AGENT', gen_random_uuid(), 'agent-' || n, 'updated', 2, 'user',
       'bench@example.com', 'bench', gen_random_uuid(), '127.0.0.1', 'graphql',
       json_build_object('metadata', json_build_object('name', 'agent-' || n), 'spec', json_build_object('enabled', true)),
       'update', 'UPDATED', 'Updated by bench@example.com'
     FROM generate_series(1, $3::int) AS n, workspace AS w WHERE w.name = $2`,
    [accountId, workspace, changes],
  );
  await client.query(
    `INSERT INTO change_head (account_id, last) VALUES ($1, $2) ON CONFLICT (account_id) DO UPDATE SET last = EXCLUDED.last`,
    [accountId, changes],
  );
  await client.query('ANALYZE change');
  await client.end();
}

async function send(origin: string, key: string, body: object, agent: Agent): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const outgoing = request(`${origin}/graphql`, { method: 'POST', agent, headers });
  const answered = once(outgoing, 'response');
  outgoing.end(JSON.stringify(body));
  const [incoming] = await answered;
  return text(incoming);
}

function report(machine: string, reading: number): void {
  const middle = (server: string, spread: number, field: keyof Lateness) =>
    median((late.get(keyOf(server, spread)) ?? []).map((each) => each[field]));
  const rows = spreads.flatMap((spread) =>
    servers.map((server) => {
      const of = (field: keyof Lateness) => middle(server, spread, field);
      const ratio = server === 'ours' ? (of('p99') / middle('changes-floor', spread, 'p99')).toFixed(2) : '';
      const cells = [
        Math.round((perSecond * watcherCount) / spread).toLocaleString('en'),
        server === 'ours' ? 'control plane' : 'floor',
        of('p50').toFixed(0),
        of('p99').toFixed(0),
        ratio,
        `${(100 * of('told')).toFixed(1)} %`,
        of('processor').toFixed(2),
      ];
      return `| ${cells.join(' | ')} |`;
    }),
  );
  const page = `# Changes

\`npm run --prefix bench bench:changes\` on ${machine}.
${watcherCount.toLocaleString('en')} watchers on one process, ${perSecond} changes a second; medians of ${rounds} rounds of ${seconds} s. A change is recorded as the
service does it, by the process that holds the clients; lateness is from when its COMMIT is sent until a watcher has its event.
The floor forwards what PostgreSQL notifies: it authenticates, filters, seals and bounds nothing.

| events a second | server | p50 ms | p99 ms (bar: 250) | p99, of the floor's (bar: 2) | told | processors |
| ---: | --- | ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}

- Memory a watcher: ${median(memoryKib).toFixed(1)} KiB (bar: 30 KB).
- Processor of an agent that is made while somebody watches, against while nobody does: ${(median(writing.watched) / median(writing.alone)).toFixed(2)} (bar: 1.15), ${median(writing.watched).toFixed(2)} and ${median(writing.alone).toFixed(2)} ms.
- Reading a history of ${changes.toLocaleString('en')} from its start, 200 a page: ${Math.round(reading).toLocaleString('en')} changes a second (bar: 20,000).
`;
  writeResults('changes', page);
}

function raise(): never {
  throw new RangeError('there is no such element');
}
