// `npm run --prefix bench bench:soak`: what a gateway holds in memory after minutes of everything at once: pages by
// GraphQL and REST, agents made and removed, usage recorded, metrics asked, and watchers that come and go.
//
// SECONDS (600) come from the environment.
import { mainWorkspace } from '../src/demo/company.js';
import { ensureDatabase } from './databases.js';
import { quantile, residentMib, sleep, startServer } from './processes.js';
import { agents } from './queries.js';
import { describeMachine, writeResults } from './results.js';

const seconds = Number(process.env['SECONDS'] ?? 600);
const clients = 8;
/** Between two requests of a client, so that the process is busy and not overloaded. */
const pauseMs = 15;
const memoryRatioMax = 1.1;

const database = await ensureDatabase('wcp_bench');
const server = await startServer('ours', database);
const headers = {
  authorization: `Bearer ${database.key}`,
  'content-type': 'application/json',
  'x-service-workspace': mainWorkspace,
  'service-version': '2026-04-28',
};

async function graphql(query: string, variables: object = {}): Promise<void> {
  const response = await fetch(`${server.origin}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query, variables }),
  });
  const body = await response.text();
  if (response.status === 429 || response.status === 503) limited++;
  else if (!response.ok || body.includes('"errors":[')) throw new Error(`${response.status}: ${body.slice(0, 500)}`);
}

async function rest(path: string): Promise<void> {
  const response = await fetch(`${server.origin}${path}`, { headers });
  await response.arrayBuffer();
  if (response.status === 429 || response.status === 503) limited++;
  else if (!response.ok) throw new Error(`${response.status} of ${path}`);
}

let limited = 0;
let made = 0;

async function makeAndRemove(): Promise<void> {
  const name = `soak-${process.pid}-${made++}`;
  const spec = { runtime: { generation: 'MK3', memory: 2048 } };
  await graphql(
    `
      mutation ($input: CreateAgentInput!) {
        createAgent(input: $input) {
          ... on CreateAgentPayload {
            agent {
              version
            }
          }
          ... on Error {
            message
          }
        }
      }
    `,
    { input: { workspace: mainWorkspace, metadata: { name }, spec } },
  );
  await graphql(
    `
      mutation ($input: DeleteAgentInput!) {
        deleteAgent(input: $input) {
          ... on DeleteAgentPayload {
            agent {
              version
            }
          }
          ... on Error {
            message
          }
        }
      }
    `,
    { input: { workspace: mainWorkspace, name } },
  );
}

function record(): Promise<void> {
  const event = {
    source: 'soak',
    id: `${process.pid}-${made++}`,
    account: 'meridian-freight',
    workspace: mainWorkspace,
    resourceType: 'sandbox',
    resourceName: 'soak',
    billingDimension: 'sandbox_compute_runtime_gbs',
    time: new Date().toISOString(),
    usage: '1',
    cost: '0.001',
  };
  return graphql(
    `
      mutation ($events: [UsageEventInput!]!) {
        recordUsage(input: { events: $events }) {
          ... on RecordUsagePayload {
            accepted
          }
          ... on Error {
            message
          }
        }
      }
    `,
    { events: [event] },
  );
}

/** Watches changes for some seconds, and leaves. */
async function watch(): Promise<void> {
  const leaving = AbortSignal.timeout(3_000);
  const query = 'subscription { changes { cursor } }';
  await fetch(`${server.origin}/graphql`, {
    method: 'POST',
    headers: { ...headers, accept: 'text/event-stream' },
    body: JSON.stringify({ query }),
    signal: leaving,
  })
    .then((response) => response.text())
    .catch(() => undefined);
}

const acts = [
  () => graphql(agents.small),
  () => graphql(agents.full),
  () => rest('/v0/agents?limit=50'),
  () => rest('/v0/agents?q=invoice'),
  makeAndRemove,
  record,
  () =>
    graphql(
      '{ viewer { name } overview: agents(first: 5, filter: {status: {in: [FAILED]}}) { filteredCount nodes { id } } }',
    ),
];

const takenMs: number[] = [];
const isOver = (): boolean => performance.now() > endMs;
const endMs = performance.now() + seconds * 1_000;

async function client(number: number): Promise<void> {
  for (let turn = number; !isOver(); turn++) {
    const startedMs = performance.now();
    await acts[turn % acts.length]?.();
    takenMs.push(performance.now() - startedMs);
    await sleep(pauseMs);
  }
}

async function watcher(): Promise<void> {
  while (!isOver()) await watch();
}

/** By the second: what the process holds. */
const memory: number[] = [];
async function look(): Promise<void> {
  for (; !isOver(); await sleep(1_000)) memory.push(residentMib(server.pid));
}

await Promise.all([
  ...Array.from({ length: clients }, (_, number) => client(number)),
  ...Array.from({ length: 20 }, watcher),
  look(),
]);
await server.stop();

const minute = Math.max(1, Math.floor(memory.length / 10));
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const [early, late] = [mean(memory.slice(minute, 2 * minute)), mean(memory.slice(-minute))];
const rows = [
  ['requests', `${takenMs.length}, ${(takenMs.length / seconds).toFixed(0)} a second`, ''],
  ['refused for rates or load', String(limited), ''],
  ['p99', `${quantile(takenMs, 0.99).toFixed(0)} ms`, ''],
  ['memory in the second tenth of the time', `${early.toFixed(0)} MiB`, ''],
  ['memory in the last tenth', `${late.toFixed(0)} MiB`, ''],
  ['the last by the second', (late / early).toFixed(2), `${memoryRatioMax} at most`],
];
const text = `# Soak

\`npm run --prefix bench bench:soak\` on ${await describeMachine(database)}.
${seconds} s of ${clients} clients, each ${pauseMs} ms after its last answer, with pages, searches, agents made and removed, and usage, and 20
watchers who come and go every three seconds.

| what | measured | bar |
| --- | ---: | --- |
${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}
`;
writeResults('soak', text, seconds >= 600);
process.exit(0);
