// `npm run --prefix bench bench:embedded`: what a newcomer meets. Creating, applying, listing and recording usage on the
// embedded database, beside the same on a PostgreSQL server.
//
// ROUNDS (3) and SECONDS (5) come from the environment.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApiKey } from '../src/auth/api-key.js';
import { readConfig } from '../src/config.js';
import { openDatabase } from '../src/database/open.js';
import { demoAccounts, demoOwner, mainWorkspace } from '../src/demo/company.js';
import { loadDemo } from '../src/demo/load.js';
import { idOf } from '../src/demo/random.js';
import { createLog, createServices } from '../src/server/create-services.js';
import { benchSecret, createDatabase, dropDatabase } from './databases.js';
import { eventsOf } from './metrics/ingestion-data.js';
import { bodyOf, rateOf, sendUsage } from './metrics/usage-requests.js';
import { fire, median, startServer } from './processes.js';
import type { RunningServer } from './processes.js';
import { describeMachine, writeResults } from './results.js';
import { numberFrom } from './smoke-mode.js';

const rounds = numberFrom('ROUNDS', 3, 1);
const seconds = numberFrom('SECONDS', 5, 1);
const documents = numberFrom('DOCUMENTS', 1_000, 20);
const eventsPerBatch = numberFrom('EVENTS', 10_000, 100);
const agents = 1_000;
const warmSeconds = numberFrom('WARM_SECONDS', 8, 1);
const accountName = demoAccounts[0]?.name ?? '';

const creation = `mutation ($input: CreateAgentInput!) { createAgent(input: $input) {
  ... on CreateAgentPayload { agent { id version } } ... on Error { code message } } }`;
const list = `{ agents(first: 50, workspace: "${mainWorkspace}") { nodes { metadata { name createdAt } status } } }`;

const folder = mkdtempSync(join(tmpdir(), 'bench-embedded-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const name = 'wcp_bench_embedded';
const url = await createDatabase(name);

const whats = ['one', 'eight', 'plain', 'apply', 'again', 'list', 'ingest'] as const;
type What = (typeof whats)[number];
const places = { embedded: { DATA_DIR: join(folder, 'data') }, server: { DATABASE_URL: url } } as const;
type Place = keyof typeof places;
const placeNames: Place[] = ['embedded', 'server'];
const found = new Map<string, number[]>();
let made = 0;

try {
  const keys = { embedded: await prepare('embedded'), server: await prepare('server') };
  for (const place of placeNames) {
    const running = await startServer('ours', { url: place === 'server' ? url : '' }, places[place]);
    try {
      await createFor(running, keys[place], 8, warmSeconds);
      for (let round = 0; round < rounds; round++) await measure(place, running, keys[place]);
    } finally {
      await running.stop();
    }
  }
  writeResults('embedded', page(await describeMachine({ url })));
} finally {
  await dropDatabase(name);
}
process.exit(0);

/** Fills a database. @returns a key of the demo's owner. */
async function prepare(place: Place): Promise<string> {
  const config = readConfig({ ...places[place], SERVICE_SECRETS: benchSecret, LOG_LEVEL: 'error' });
  const database = await openDatabase(config);
  try {
    const { db, encryption } = createServices(config, database, () => new Date(), createLog(config.LOG_LEVEL));
    await loadDemo(db, encryption, { end: new Date('2026-11-01T00:00:00.000Z'), agents });
    const { key, prefix, hash } = createApiKey();
    const owner = { principalId: idOf(demoOwner), accountId: idOf(accountName) };
    await db.apiKey.create({ data: { name: 'bench', prefix, hash, scope: 'admin', ...owner } });
    return key;
  } finally {
    await database.close();
  }
}

async function measure(place: Place, running: RunningServer, key: string): Promise<void> {
  const keep = (what: What, value: number) =>
    found.set(`${place} ${what}`, [...(found.get(`${place} ${what}`) ?? []), value]);
  keep('one', await createFor(running, key, 1, seconds));
  keep('eight', await createFor(running, key, 8, seconds));
  keep('plain', await timeOf(() => createMany(running, key, documents)));
  const manifest = join(folder, 'many.yaml');
  writeFileSync(manifest, manifestOf(documents));
  keep('apply', await timeOf(() => apply(running, key, manifest)));
  keep('again', await timeOf(() => apply(running, key, manifest)));
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const call = { path: '/graphql', headers, body: JSON.stringify({ query: list }) };
  keep('list', (await fire(running.origin, call, seconds)).requestsPerSecond);
  keep('ingest', await ingest(running, key));
}

async function timeOf(act: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await act();
  return (performance.now() - startedMs) / 1_000;
}

async function create({ origin }: RunningServer, key: string): Promise<void> {
  const metadata = { name: `embedded-${process.pid}-${made++}`, labels: [{ key: 'team', value: 'bench' }] };
  const input = { workspace: mainWorkspace, metadata, spec: { runtime: { memory: 2048 } } };
  const response = await fetch(`${origin}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: creation, variables: { input } }),
  });
  const answer = await response.text();
  if (!answer.includes('"version":1')) throw new Error(answer.slice(0, 500));
}

/** Callers that each create the next agent as soon as the last one is there. @returns creations a second */
async function createFor(running: RunningServer, key: string, callers: number, duration: number): Promise<number> {
  const [before, startedMs] = [made, performance.now()];
  const write = async () => {
    while (performance.now() < startedMs + duration * 1_000) await create(running, key);
  };
  await Promise.all(Array.from({ length: callers }, write));
  return ((made - before) * 1_000) / (performance.now() - startedMs);
}

/** Eight callers. */
async function createMany(running: RunningServer, key: string, count: number): Promise<void> {
  const end = made + count;
  const write = async () => {
    while (made < end) await create(running, key);
  };
  await Promise.all(Array.from({ length: 8 }, write));
}

function manifestOf(count: number): string {
  const document = () =>
    `kind: Agent\nworkspace: ${mainWorkspace}\nmetadata: { name: applied-${made++}, labels: { team: bench } }\n` +
    'spec: { runtime: { memory: 2048 } }\n';
  return Array.from({ length: count }, document).join('---\n');
}

async function apply({ origin }: RunningServer, key: string, file: string): Promise<void> {
  const program = fileURLToPath(new URL('../dist/control-plane.js', import.meta.url));
  const words = [program, 'apply', '-f', file, '--server', origin];
  const env = { PATH: process.env['PATH'], HOME: folder, KEY: key };
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`apply ended with ${code}`);
}

/** One writer. @returns events a second */
async function ingest({ origin }: RunningServer, key: string): Promise<number> {
  const account = { name: accountName, workspaces: [mainWorkspace] };
  const batches = Array.from({ length: 5 }, () => eventsOf(account, eventsPerBatch));
  const agent = new Agent({ keepAlive: true });
  try {
    return await rateOf(batches, 1, (events) =>
      sendUsage({ way: 'json', origin, agent, key, body: bodyOf('json', events), events: events.length }),
    );
  } finally {
    agent.destroy();
  }
}

function page(machine: string): string {
  const of = (place: Place, what: What) => median(found.get(`${place} ${what}`) ?? []);
  const row = (title: string, what: What, digits: number) =>
    `| ${title} | ${placeNames.map((place) => of(place, what).toFixed(digits)).join(' | ')} |`;
  const ratios = placeNames.map((place) => (of(place, 'apply') / of(place, 'plain')).toFixed(2));
  return `# Embedded database

\`npm run --prefix bench bench:embedded\` on ${machine}.
Medians of ${rounds} rounds. A gateway with ${agents.toLocaleString('en')} agents of the demo on the embedded database, and then on a server, after ${warmSeconds} s of
eight writers. The plain creations of \`apply\`'s comparison are made by eight callers at once.

| what | embedded | server |
| --- | ---: | ---: |
${row('createAgent by one caller, a second', 'one', 0)}
${row('createAgent by eight callers, a second', 'eight', 0)}
${row(`${documents} plain creations, s`, 'plain', 1)}
${row(`\`apply\` of ${documents} new documents, s`, 'apply', 1)}
${row(`\`apply\` of the same again, s`, 'again', 1)}
| \`apply\` beside the plain creations (bar on a server: 1.5) | ${ratios.join(' | ')} |
${row('pages of 50 agents by 16 clients, a second', 'list', 0)}
${row(`usage events a second, batches of ${eventsPerBatch.toLocaleString('en')}, one writer`, 'ingest', 0)}
`;
}
