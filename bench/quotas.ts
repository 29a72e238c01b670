// `npm run --prefix bench bench:quotas`: how long a creation takes with all limits of its account, its workspace and its
// region, beside the same without limits, with sixteen callers at once, among few agents and among many.
//
// ROUNDS (5), SECONDS (4) and SIZES (1000,100000 agents) come from the environment.
import { Agent, request } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { createApiKey } from '../src/auth/api-key.js';
import { readConfig } from '../src/config.js';
import { openDatabase } from '../src/database/open.js';
import type { Database } from '../src/database/open.js';
import { demoAccounts, demoOwner, mainWorkspace } from '../src/demo/company.js';
import { loadDemo } from '../src/demo/load.js';
import { idOf } from '../src/demo/random.js';
import { quotaNouns } from '../src/quotas/quota-resources.js';
import { createLog, createServices } from '../src/server/create-services.js';
import { benchSecret, copyDatabase, createDatabase, dropDatabase, keptWith } from './databases.js';
import { median, startServer } from './processes.js';
import { describeMachine, writeResults } from './results.js';
import { numberFrom } from './smoke-mode.js';

const rounds = Number(process.env['ROUNDS'] ?? 5);
const seconds = Number(process.env['SECONDS'] ?? 4);
const sizes = (process.env['SIZES'] ?? '1000,100000').split(',').map(Number);
const callers = 16;
const warmSeconds = numberFrom('WARM_SECONDS', 8, 1);
const region = 'eu-frankfurt-1';
const accountId = idOf(demoAccounts[0]?.name ?? '');

/** High enough for every creation of a run; a limit on events concerns no creation. */
const limits = Object.fromEntries(
  Object.keys(quotaNouns)
    .filter((resource) => resource !== 'USAGE_EVENTS')
    .map((resource) => [resource, 1_000_000_000_000]),
);

const mutation = `mutation ($input: CreateAgentInput!) { createAgent(input: $input) {
  ... on CreateAgentPayload { agent { id version } } ... on Error { code message } } }`;

let made = 0;
const rows: string[] = [];
let machine = '';

for (const agents of sizes) {
  const name = `wcp_bench_quotas_${agents}`;
  const kept = keptWith(agents);
  const url = await (kept === undefined ? createDatabase(name) : copyDatabase(kept, name));
  try {
    rows.push(await measure(url, agents, kept === undefined));
    machine = await describeMachine({ url });
  } finally {
    await dropDatabase(name);
  }
}
writeResults('quotas', page());

async function measure(url: string, agents: number, isEmpty: boolean): Promise<string> {
  const config = readConfig({ DATABASE_URL: url, SERVICE_SECRETS: benchSecret, LOG_LEVEL: 'error' });
  const database = await openDatabase(config);
  try {
    const { db, encryption } = createServices(config, database, () => new Date(), createLog(config.LOG_LEVEL));
    if (isEmpty) await loadDemo(db, encryption, { end: new Date('2026-11-01T00:00:00.000Z'), agents });
    const { key, prefix, hash } = createApiKey();
    const owner = { principalId: idOf(demoOwner), accountId };
    await db.apiKey.create({ data: { name: 'bench quotas', prefix, hash, scope: 'admin', ...owner } });
    await db.$executeRawUnsafe('ANALYZE');
    const server = await startServer('ours', { url });
    const perSecond: Record<'without' | 'with', number[]> = { without: [], with: [] };
    try {
      await createFor(server.origin, key, warmSeconds);
      for (let round = 0; round < rounds; round++) {
        for (const which of ['without', 'with'] as const) {
          await setLimits(db, which === 'with');
          perSecond[which].push(await createFor(server.origin, key, seconds));
        }
      }
    } finally {
      await server.stop();
    }
    const [without, limited] = [median(perSecond.without), median(perSecond.with)];
    const cells = [agents.toLocaleString('en'), without.toFixed(0), limited.toFixed(0), (without / limited).toFixed(2)];
    return `| ${cells.join(' | ')} |`;
  } finally {
    await database.close();
  }
}

/** Sets all limits of the account, the workspace and the region, or none. */
async function setLimits(db: Database, isLimited: boolean): Promise<void> {
  await db.quota.deleteMany({ where: { accountId } });
  if (!isLimited) return;
  const { id: workspaceId } = await db.workspace.findFirstOrThrow({ where: { accountId, name: mainWorkspace } });
  const updatedAt = new Date();
  await db.quota.createMany({
    data: [
      { subject: `account ${accountId}`, accountId, limits, updatedAt },
      { subject: `workspace ${workspaceId}`, accountId, workspaceId, limits, updatedAt },
      { subject: `region ${accountId} ${region}`, accountId, region, limits, updatedAt },
    ],
  });
}

/** Sixteen callers that each create the next agent as soon as the last one is there. @returns creations a second */
async function createFor(origin: string, key: string, duration: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const startedMs = performance.now();
  const before = made;
  const write = async () => {
    while (performance.now() < startedMs + duration * 1000) await create(origin, key, agent);
  };
  await Promise.all(Array.from({ length: callers }, write));
  agent.destroy();
  return ((made - before) * 1000) / (performance.now() - startedMs);
}

/** @throws for any refusal. */
async function create(origin: string, key: string, agent: Agent): Promise<void> {
  const metadata = { name: `quotas-${process.pid}-${made++}` };
  const spec = { runtime: { generation: 'MK3', memory: 2048 }, region };
  const body = JSON.stringify({ query: mutation, variables: { input: { workspace: mainWorkspace, metadata, spec } } });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const outgoing = request(`${origin}/graphql`, { method: 'POST', agent, headers });
  const answered = once(outgoing, 'response');
  outgoing.end(body);
  const [incoming] = await answered;
  const answer = await text(incoming);
  if (!answer.includes('"version":1')) throw new Error(`${origin}: ${answer.slice(0, 500)}`);
}

function page(): string {
  return `# Quotas

\`npm run --prefix bench bench:quotas\` on ${machine}.
Medians of ${rounds} rounds of ${seconds} s, ${callers} callers at once, after ${warmSeconds} s. createAgent without limits, and with a limit on every resource
of the account, of the workspace and of the region. No creation was refused: the run fails if one is.

| agents before | without limits, a second | with all limits, a second | times as long (bar: 1.3) |
| ---: | ---: | ---: | ---: |
${rows.join('\n')}
`;
}
