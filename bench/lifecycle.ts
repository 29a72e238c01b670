// `npm run --prefix bench bench:lifecycle`: how many empty tasks eight executors claim and report on in a second, over HTTP;
// what a claim costs among few and among many waiting assignments; and how many statements an executor costs that waits.
//
// TASKS (3000) and CLAIMS (300) come from the environment. On a machine that is busy with other things the figures would
// say more of those: it measures, and writes nothing.
import { Agent, request } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { createApiKey } from '../src/auth/api-key.js';
import { readConfig } from '../src/config.js';
import { openDatabase } from '../src/database/open.js';
import { createGateway } from '../src/server/server.js';
import { createExecutor } from '../src/cli/operator/all-executors.js';
import { createLog, createServices } from '../src/server/create-services.js';
import { benchSecret, createDatabase, databaseServer, dropDatabase } from './databases.js';
import { median, processorMs, quantile, sleep, startServer } from './processes.js';
import type { RunningServer } from './processes.js';
import { describeMachine, writeResults } from './results.js';

const tasks = Number(process.env['TASKS'] ?? 3_000);
const claims = Number(process.env['CLAIMS'] ?? 300);
const waiting = [100, 10_000] as const;
const executorCount = 8;
const idleSeconds = 20;
const agent = new Agent({ keepAlive: true, maxSockets: 32 });

interface Claim {
  id: string;
  fence: number;
}

/** Keys of an account's admin, and of executors. */
interface Prepared {
  key: string;
  executors: string[];
  ofSandboxes: string;
}

/** A gateway before which so many assignments wait, and how long claims took. */
interface Claiming extends Prepared {
  count: number;
  server: RunningServer;
  times: number[];
}

/** A payload, or an error, which has a code. */
interface Result {
  code?: string;
  message?: string;
  assignments?: Claim[];
}

/** Databases of the same, one for each number of waiting assignments. */
const databases = waiting.map((count) => ({ count, name: `wcp_bench_lifecycle_${count}` }));

try {
  const rates = [];
  const claimed: Claiming[] = [];
  let idle = NaN;
  for (const { count, name } of databases) {
    const url = await createDatabase(name);
    const prepared = await prepare(url);
    if (claimed.length === 0) idle = await statementsOfWaiting(url, prepared.ofSandboxes);
    const server = await startServer('ours', { url });
    claimed.push({ ...prepared, count, server, times: [] });
    await sleep(1_000);
    if (claimed.length > 1) continue;
    await rateOf(server, prepared, 200, 1);
    for (const each of [1, 10, 100]) rates.push({ each, ...(await rateOf(server, prepared, tasks, each)) });
  }
  for (const each of claimed) await fill(each);
  // In turns, so that whatever else the machine does falls on both.
  for (let index = 0; index < claims; index++) for (const each of claimed) await claimOne(each);
  await report(
    rates,
    claimed.map(({ count, times }) => ({ count, p50: median(times) })),
    idle,
  );
  for (const { server } of claimed) await server.stop();
} finally {
  agent.destroy();
  for (const { name } of databases) await dropDatabase(name);
}

/** An account with a job, eight executors of tasks, and one of sandboxes. */
async function prepare(url: string): Promise<Prepared> {
  const { services, close } = await openServices(url);
  try {
    const { db } = services;
    const account = await db.account.create({ data: { name: 'bench', plan: 'enterprise' } });
    const owner = await db.principal.create({ data: { kind: 'user', name: 'bench@example.com' } });
    await db.accountMember.create({ data: { accountId: account.id, principalId: owner.id, role: 'admin' } });
    await db.workspace.create({ data: { name: 'bench', accountId: account.id } });
    const { key, prefix, hash } = createApiKey();
    await db.apiKey.create({
      data: { name: 'bench', prefix, hash, scope: 'admin', principalId: owner.id, accountId: account.id },
    });
    const make = async (of: string, kind: string) =>
      (await createExecutor(db, { name: of, regions: ['*'], kinds: [kind], expiresAt: null }, new Date())).key;
    const executors = [];
    for (let index = 0; index < executorCount; index++) executors.push(await make(`e${index}`, 'JOB_EXECUTION'));
    return { key, executors, ofSandboxes: await make('sandboxes', 'SANDBOX') };
  } finally {
    await close();
  }
}

async function openServices(url: string) {
  const config = readConfig({ DATABASE_URL: url, SERVICE_SECRETS: benchSecret, LOG_LEVEL: 'error' });
  const sent: string[] = [];
  const database = await openDatabase(config, { onStatement: (sql) => sent.push(sql) });
  const services = createServices(config, database, () => new Date(), createLog(config.LOG_LEVEL));
  return { services, sent, close: database.close };
}

/** What an executor that waits for something to do costs in a second, in statements. */
async function statementsOfWaiting(url: string, key: string): Promise<number> {
  const { services, sent, close } = await openServices(url);
  const gateway = createGateway(services);
  await once(gateway.server.listen(0, '127.0.0.1'), 'listening');
  const address = gateway.server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  try {
    sent.length = 0;
    const { assignments } = await mutate(origin, key, 'executorClaimAssignments', 'assignments { id }', {
      first: 1,
      waitSeconds: idleSeconds,
    });
    if (assignments?.length !== 0) throw new Error('there was something to do');
    return sent.length / idleSeconds;
  } finally {
    agent.destroy();
    await gateway.drain(0, 0);
    await close();
  }
}

interface Rate {
  perSecond: number;
  p50: number;
  p99: number;
  /** Of the gateway, for each task. */
  processorMs: number;
}

/** Eight executors that claim twenty tasks at a time, and report of each that it is through. */
async function rateOf(
  { origin, pid }: RunningServer,
  { key, executors }: Prepared,
  count: number,
  each: number,
): Promise<Rate> {
  const job = `job-${each}-${count}`;
  await mutate(origin, key, 'createJob', '__typename', { workspace: 'bench', metadata: { name: job } });
  const asked = Array.from({ length: each }, () => ({}));
  await atOnce(8, Math.ceil(count / each), async () => {
    await mutate(origin, key, 'runJob', '__typename', { workspace: 'bench', name: job, tasks: asked });
  });
  const times: number[] = [];
  const usedMs = processorMs(pid);
  const startedMs = performance.now();
  const work = async (executor: string) => {
    for (;;) {
      const { assignments = [] } = await mutate(
        origin,
        executor,
        'executorClaimAssignments',
        'assignments { id fence desired }',
        {
          first: 20,
        },
      );
      if (assignments.length === 0) return;
      for (const { id, fence } of assignments) {
        const beganMs = performance.now();
        await mutate(origin, executor, 'executorReportAssignment', 'state', { id, fence, state: 'SUCCEEDED' });
        times.push(performance.now() - beganMs);
      }
    }
  };
  await Promise.all(executors.map(work));
  const tookMs = performance.now() - startedMs;
  if (times.length < count) throw new Error(`${times.length} of ${count} tasks were carried out`);
  return {
    perSecond: (times.length * 1000) / tookMs,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    processorMs: (processorMs(pid) - usedMs) / times.length,
  };
}

/** Has so many sandboxes wait to be carried out. */
async function fill({ server: { origin }, key, count }: Claiming): Promise<void> {
  let next = 0;
  await atOnce(8, count, async () => {
    const metadata = { name: `s${next++}` };
    await mutate(origin, key, 'createSandbox', '__typename', { workspace: 'bench', metadata });
  });
}

/** Claims one assignment, and gives it back. */
async function claimOne({ server: { origin }, ofSandboxes, times }: Claiming): Promise<void> {
  const beganMs = performance.now();
  const { assignments } = await mutate(origin, ofSandboxes, 'executorClaimAssignments', 'assignments { id fence }', {
    first: 1,
  });
  times.push(performance.now() - beganMs);
  const [claim] = assignments ?? [];
  if (claim === undefined) throw new Error('there was nothing to claim');
  await mutate(origin, ofSandboxes, 'executorReleaseAssignment', 'id', claim);
}

async function atOnce(width: number, count: number, act: () => Promise<void>): Promise<void> {
  let left = count;
  const work = async () => {
    while (left-- > 0) await act();
  };
  await Promise.all(Array.from({ length: width }, work));
}

async function mutate(origin: string, key: string, mutation: string, fields: string, input: object): Promise<Result> {
  const type = mutation.charAt(0).toUpperCase() + mutation.slice(1);
  const query = `mutation ($input: ${type}Input!) { result: ${mutation}(input: $input) {
    ... on Error { code message } ... on ${type}Payload { ${fields} } } }`;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const outgoing = request(`${origin}/graphql`, { method: 'POST', agent, headers });
  const answered = once(outgoing, 'response');
  outgoing.end(JSON.stringify({ query, variables: { input } }));
  const [incoming] = await answered;
  const answer = await text(incoming);
  const { data }: { data?: { result: Result } | null } = JSON.parse(answer);
  if (data == null || data.result.code !== undefined) throw new Error(`${mutation}: ${answer.slice(0, 500)}`);
  return data.result;
}

async function report(
  rates: (Rate & { each: number })[],
  times: { count: number; p50: number }[],
  idle: number,
): Promise<void> {
  const [few = NaN, many = NaN] = times.map(({ p50 }) => p50);
  const rows = rates.map(
    ({ each, perSecond, p50, p99, processorMs: used }) =>
      `| ${each} | ${perSecond.toFixed(0)} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${used.toFixed(2)} |`,
  );
  const page = `# Executors

\`npm run --prefix bench bench:lifecycle\` on ${await describeMachine({ url: `${databaseServer}/postgres` })}.
One gateway process. ${executorCount} executors, from one process, that each claim twenty empty tasks at a time and report of one after
the other that it is through: ${tasks.toLocaleString('en')} tasks.

| tasks of an execution | claimed and reported, a second (bar: 500) | report p50 ms | p99 ms | gateway, CPU ms a task |
| ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}

- A claim among ${waiting[1].toLocaleString('en')} waiting assignments, against ${waiting[0]}: ${(many / few).toFixed(2)} (bar: 1.5), ${few.toFixed(1)} and ${many.toFixed(1)} ms.
- Statements a second of an executor that waits: ${idle.toFixed(2)} (bar: 1).
`;
  writeResults('lifecycle', page);
}
