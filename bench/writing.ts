// `npm run --prefix bench bench:writing`: how many agents can be made in a second, by one writer and by eight, in one
// workspace and in eight, among few agents and among many, beside a floor that inserts the same rows; and how many one
// caller removes again.
//
// ROUNDS (3), SECONDS (5) and SIZES (1000,100000 agents; 1000000 as well, as a copy of the database that is kept) come
// from the environment. On a busy machine it writes no results.
import { Agent, request } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { createApiKey } from '../src/auth/api-key.js';
import { readConfig } from '../src/config.js';
import { openDatabase } from '../src/database/open.js';
import { demoAccounts, demoOwner, mainWorkspace } from '../src/demo/company.js';
import { loadDemo } from '../src/demo/load.js';
import { idOf } from '../src/demo/random.js';
import { createLog, createServices } from '../src/server/create-services.js';
import { benchSecret, copyDatabase, createDatabase, dropDatabase, keptWith } from './databases.js';
import { median, processorMs, quantile, startServer } from './processes.js';
import type { RunningServer } from './processes.js';
import { describeMachine, writeResults } from './results.js';
import { numberFrom } from './smoke-mode.js';

const rounds = Number(process.env['ROUNDS'] ?? 3);
const seconds = Number(process.env['SECONDS'] ?? 5);
/**
 * A server runs for weeks: what compiling its code costs in its first thousands of requests is not what writing costs.
 */
const warmSeconds = numberFrom('WARM_SECONDS', 8, 1);
const sizes = (process.env['SIZES'] ?? '1000,100000').split(',').map(Number);

const query = `mutation ($input: CreateAgentInput!) { createAgent(input: $input) {
  ... on CreateAgentPayload { agent { id version status
    metadata { name labels { key value } createdAt } spec { enabled runtime { generation memory } } } }
  ... on Error { code message } } }`;

const deletion = `mutation ($input: DeleteAgentInput!) { deleteAgent(input: $input) {
  ... on DeleteAgentPayload { agent { id version } } ... on Error { code message } } }`;

/** One caller who removes what the others made. */
const removing = '1 remover';

const others = Array.from({ length: 8 }, (_, index) => `bench-${index}`);

const loads = [
  { name: '1 writer', writers: 1, workspaces: [mainWorkspace], hasFloor: true },
  { name: '8 writers in one workspace', writers: 8, workspaces: [mainWorkspace], hasFloor: true },
  { name: '8 writers in 8 workspaces', writers: 8, workspaces: others, hasFloor: false },
];

interface Subject {
  agents: number;
  load: string;
  server: 'ours' | 'writing-floor';
}

interface Rate {
  perSecond: number;
  p50: number;
  p99: number;
  /** Processor time of the server for one request. */
  processorMs: number;
}

const found = new Map<string, Rate[]>();
const keyOf = ({ agents, load, server }: Subject) => JSON.stringify([agents, load, server]);
let machine = '';
let made = 0;
/** Names of agents of the main workspace that can be removed. */
let removable: string[] = [];

for (const agents of sizes) {
  const name = `wcp_bench_writing_${agents}`;
  const kept = keptWith(agents);
  const url = await (kept === undefined ? createDatabase(name) : copyDatabase(kept, name));
  try {
    const key = await prepare(url, kept === undefined ? agents : undefined);
    for (let round = 0; round < rounds; round++) await measureAll(url, key, agents);
    machine = await describeMachine({ url });
  } finally {
    await dropDatabase(name);
  }
}
report();

/** Fills a database that is no copy. @returns a key of the demo's owner. */
async function prepare(url: string, agents: number | undefined): Promise<string> {
  const config = readConfig({ DATABASE_URL: url, SERVICE_SECRETS: benchSecret, LOG_LEVEL: 'error' });
  const database = await openDatabase(config);
  try {
    const services = createServices(config, database, () => new Date(), createLog(config.LOG_LEVEL));
    const end = new Date('2026-11-01T00:00:00.000Z');
    if (agents !== undefined) await loadDemo(services.db, services.encryption, { end, agents });
    const accountId = idOf(demoAccounts[0]?.name ?? '');
    await services.db.workspace.createMany({ data: others.map((name) => ({ name, accountId })), skipDuplicates: true });
    const { key, prefix, hash } = createApiKey();
    const owner = { principalId: idOf(demoOwner), accountId };
    await services.db.apiKey.create({ data: { name: 'bench', prefix, hash, scope: 'admin', ...owner } });
    await services.db.$executeRawUnsafe('ANALYZE');
    return key;
  } finally {
    await database.close();
  }
}

async function measureAll(url: string, key: string, agents: number): Promise<void> {
  for (const server of ['ours', 'writing-floor'] as const) {
    const running = await startServer(server, { url });
    try {
      await rateOf(running, key, { writers: 8, workspaces: [mainWorkspace] }, warmSeconds);
      for (const { name: load, writers, workspaces, hasFloor } of loads) {
        if (server !== 'ours' && !hasFloor) continue;
        const rate = await rateOf(running, key, { writers, workspaces }, seconds);
        keep({ agents, load, server }, rate);
      }
      if (server === 'ours') keep({ agents, load: removing, server }, await removalRate(running, key));
      removable = [];
    } finally {
      await running.stop();
    }
  }
}

function keep(subject: Subject, rate: Rate): void {
  found.set(keyOf(subject), [...(found.get(keyOf(subject)) ?? []), rate]);
}

/** Writers that each make the next agent as soon as the last one is there. */
async function rateOf(
  { origin, pid }: RunningServer,
  key: string,
  { writers, workspaces }: { writers: number; workspaces: string[] },
  duration: number,
): Promise<Rate> {
  const connection = new Agent({ keepAlive: true, maxSockets: writers });
  const times: number[] = [];
  const usedMs = processorMs(pid);
  const startedMs = performance.now();
  const endMs = startedMs + duration * 1000;
  const write = async (writer: number) => {
    const workspace = workspaces[writer % workspaces.length] ?? mainWorkspace;
    while (performance.now() < endMs) {
      const beganMs = performance.now();
      await create(origin, key, workspace, connection);
      times.push(performance.now() - beganMs);
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  connection.destroy();
  return rated(times, startedMs, processorMs(pid) - usedMs);
}

function rated(times: number[], startedMs: number, usedMs: number): Rate {
  const tookMs = performance.now() - startedMs;
  return {
    perSecond: (times.length * 1000) / tookMs,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    processorMs: usedMs / times.length,
  };
}

/** One caller removes one agent after the other. */
async function removalRate({ origin, pid }: RunningServer, key: string): Promise<Rate> {
  const connection = new Agent({ keepAlive: true });
  const times: number[] = [];
  const usedMs = processorMs(pid);
  const startedMs = performance.now();
  for (const name of removable) {
    const beganMs = performance.now();
    if (beganMs - startedMs > seconds * 1000) break;
    const body = JSON.stringify({ query: deletion, variables: { input: { workspace: mainWorkspace, name } } });
    await send(origin, key, body, connection);
    times.push(performance.now() - beganMs);
  }
  connection.destroy();
  return rated(times, startedMs, processorMs(pid) - usedMs);
}

async function create(origin: string, key: string, workspace: string, agent: Agent): Promise<void> {
  const metadata = { name: `bench-${process.pid}-${made++}`, labels: [{ key: 'team', value: 'bench' }] };
  const spec = { runtime: { generation: 'MK3', memory: 2048 }, region: 'eu-frankfurt-1' };
  await send(origin, key, JSON.stringify({ query, variables: { input: { workspace, metadata, spec } } }), agent);
  if (workspace === mainWorkspace) removable.push(metadata.name);
}

async function send(origin: string, key: string, body: string, agent: Agent): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const outgoing = request(`${origin}/graphql`, { method: 'POST', agent, headers });
  const answered = once(outgoing, 'response');
  outgoing.end(body);
  const [incoming] = await answered;
  const answer = await text(incoming);
  if (!answer.includes('"version":1')) throw new Error(`${origin}: ${answer.slice(0, 500)}`);
}

function medians(subject: Subject): Rate {
  const rates = found.get(keyOf(subject)) ?? [];
  const of = (field: keyof Rate) => median(rates.map((rate) => rate[field]));
  return { perSecond: of('perSecond'), p50: of('p50'), p99: of('p99'), processorMs: of('processorMs') };
}

function report(): void {
  const rows = sizes.flatMap((agents) =>
    [...loads, { name: removing, hasFloor: false }].map(({ name: load, hasFloor }) => {
      const ours = medians({ agents, load, server: 'ours' });
      const floor = hasFloor ? medians({ agents, load, server: 'writing-floor' }) : undefined;
      const cells = [
        agents.toLocaleString('en'),
        load,
        ours.perSecond.toFixed(0),
        ours.p50.toFixed(1),
        ours.p99.toFixed(1),
        ours.processorMs.toFixed(2),
        floor?.perSecond.toFixed(0) ?? '',
        floor === undefined ? '' : (ours.perSecond / floor.perSecond).toFixed(2),
      ];
      return `| ${cells.join(' | ')} |`;
    }),
  );
  const [few = 0, many = few] = sizes;
  const perSecond = (agents: number, load: string) => medians({ agents, load, server: 'ours' }).perSecond;
  const [alone, together, apart] = loads.map(({ name }) => name);
  const amongMany = perSecond(few, alone ?? '') / perSecond(many, alone ?? '');
  const removedAmongMany = perSecond(few, removing) / perSecond(many, removing);
  const oneWorkspace = perSecond(few, together ?? '') / perSecond(few, apart ?? '');
  const page = `# Writing

\`npm run --prefix bench bench:writing\` on ${machine}.
Medians of ${rounds} rounds of ${seconds} s, one server at a time, after ${warmSeconds} s of eight writers. createAgent, answered whole, and deleteAgent by the
remover. The floor inserts the same row and the same record of the history by one prepared statement, and authenticates, checks and
selects nothing.

| agents before | load | a second | p50 ms | p99 ms | processor ms | floor, a second | of the floor |
| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}

- Eight writers in one workspace, against eight in eight: ${oneWorkspace.toFixed(2)} (bar: 0.8).
- One writer among ${few.toLocaleString('en')} agents, against ${many.toLocaleString('en')}: ${amongMany.toFixed(2)} (bar: 1.5).
- One remover among ${few.toLocaleString('en')} agents, against ${many.toLocaleString('en')}: ${removedAmongMany.toFixed(2)} (bar: 1.5).
`;
  writeResults('writing', page);
}
