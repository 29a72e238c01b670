// The executors of examples/, as processes beside a gateway: agents deployed, killed, restarted, rolled back and deleted.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, graphql, useApp } from '../harness.js';
import { mutate } from '../resources/mutations.js';
import { anExecutor } from './executor.js';

const running = useApp();
const children: ChildProcess[] = [];
let key: string;
let count = 0;

beforeAll(async () => {
  const tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(running.app, tenant));
});

afterEach(async () => {
  for (const child of children.splice(0)) await ended(child, 'SIGKILL');
  await running.app.services.db.executor.deleteMany();
  await running.app.services.db.agent.deleteMany();
  await running.app.services.db.job.deleteMany();
  await running.app.services.db.assignment.deleteMany();
});

const pathOf = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
const programs = {
  'process-executor.ts': [process.execPath, '--import', 'tsx', pathOf('process-executor.ts')],
  'process_executor.py': ['python3', pathOf('process_executor.py')],
} as const;
type Program = keyof typeof programs;

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

interface Started {
  child: ChildProcess;
  executorKey: string;
  router: string;
  logs: string;
}

/** Starts an example with a new executor, or with the key of a former one. */
async function start(program: Program, former?: Started): Promise<Started> {
  const kinds = ['AGENT', 'JOB_EXECUTION'];
  const executorKey = former?.executorKey ?? (await anExecutor(running.app, `one-${count++}`, { kinds })).key;
  const port = await freePort();
  const logs = former?.logs ?? mkdtempSync(join(tmpdir(), 'executor-logs-'));
  const [command, ...words] = programs[program];
  const child = spawn(command, words, {
    env: {
      PATH: process.env['PATH'],
      GATEWAY: running.app.origin,
      EXECUTOR_KEY: executorKey,
      ROUTER_PORT: String(port),
      LOGS: logs,
    },
    stdio: 'inherit',
  });
  children.push(child);
  return { child, executorKey, router: `http://127.0.0.1:${port}`, logs };
}

/** An agent in one line, which answers with a text, and says its process id at /pid. */
const serving = (text: string) =>
  `exec node -e 'http.createServer((q, s) => s.end(q.url === "/pid" ? String(process.pid) : "${text}")).listen(process.env.PORT)'`;

const agentSpec = (text: string) => ({ runtime: { image: serving(text) } });
const named = (name: string) => ({ workspace: 'main', metadata: { name } });
const inMain = { workspace: 'main', name: 'hello' };

async function agentNow(): Promise<{ status: string; observed: { instances: number | null } } | null> {
  const query = '{ agent(workspace: "main", name: "hello") { status observed { instances } } }';
  return (await graphql(running.app, key, query)).body.data.agent;
}

async function becomes(status: string | undefined): Promise<void> {
  await expect.poll(async () => (await agentNow())?.status, { timeout: 60_000, interval: 200 }).toBe(status);
}

const update = (spec: object) => mutate(running.app, key, 'updateAgent', 'agent { status }', { ...inMain, spec });
const messages = async () =>
  (await running.app.services.db.change.findMany({ where: { name: 'hello' }, orderBy: { sequence: 'asc' } })).map(
    ({ message }) => message,
  );

/** The process id of the agent, as it answers. */
async function pidOf({ router }: Started): Promise<number> {
  const pid = Number(await (await fetch(`${router}/main/agents/hello/pid`)).text());
  // A signal to 0 would go to this process, and to those that started it.
  expect(pid).toBeGreaterThan(1);
  return pid;
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('examples/process-executor.ts', () => {
  it('deploys an agent that answers, reports its death, and redeploys, rolls back and deletes it', async () => {
    const one = await start('process-executor.ts');
    await mutate(running.app, key, 'createAgent', '__typename', { ...named('hello'), spec: agentSpec('first') });
    await becomes('DEPLOYED');
    const answer = async () => (await fetch(`${one.router}/main/agents/hello`)).text();
    expect(await answer()).toBe('first');
    const pid = await pidOf(one);
    process.kill(pid, 'SIGKILL');
    await becomes('FAILED');
    expect(await agentNow()).toMatchObject({ observed: { instances: 0 } });
    expect((await messages()).at(-1)).toMatch(/^exit code 137/);
    expect(await mutate(running.app, key, 'redeployAgent', 'agent { status }', inMain)).toEqual({
      __typename: 'RedeployAgentPayload',
      agent: { status: 'UPLOADING' },
    });
    await becomes('DEPLOYED');
    expect(await answer()).toBe('first');
    // A change that fails is rolled back to the former specification.
    await update({ runtime: { image: 'echo "no such program" >&2; exit 3' } });
    await becomes('FAILED');
    expect((await messages()).at(-1)).toMatch(/^exit code 3 .*no such program$/s);
    await update(agentSpec('first'));
    await becomes('DEPLOYED');
    await update(agentSpec('second'));
    await expect.poll(answer, { timeout: 60_000 }).toBe('second');
    const last = await pidOf(one);
    await mutate(running.app, key, 'deleteAgent', '__typename', inMain);
    await becomes(undefined);
    await expect.poll(() => isRunning(last), { timeout: 10_000 }).toBe(false);
    expect((await fetch(`${one.router}/main/agents/hello`)).status).toBe(502);
    expect(readFileSync(join(one.logs, 'main', 'hello.log'), 'utf8')).toContain('no such program');
  }, 240_000);

  it('is short enough to be read', () => {
    expect(readFileSync(pathOf('process-executor.ts'), 'utf8').trim().split('\n').length).toBeLessThanOrEqual(250);
    expect(readFileSync(pathOf('process_executor.py'), 'utf8').trim().split('\n').length).toBeLessThanOrEqual(150);
  });
});

describe.each(['process-executor.ts', 'process_executor.py'] as const)('%s', (program) => {
  it('runs tasks with their variables, reports their exit, and stops cancelled ones', async () => {
    await start(program);
    const runtime = { image: 'test "$MODE" = fine || { echo "not $MODE" >&2; exit 3; }' };
    await mutate(running.app, key, 'createJob', '__typename', { ...named('job'), spec: { runtime } });
    for (const [MODE, status, message] of [
      ['fine', 'succeeded', 'exit code 0'],
      ['bad', 'failed', 'exit code 3 not bad'],
    ] as const) {
      const input = { workspace: 'main', name: 'job', envOverride: { MODE } };
      const { jobExecution } = await mutate(running.app, key, 'runJob', 'jobExecution { metadata { id } }', input);
      const { id } = jobExecution.metadata;
      const now = () => running.app.services.db.jobExecution.findUniqueOrThrow({ where: { id } });
      await expect.poll(async () => (await now()).status, { timeout: 60_000 }).toBe(status);
      expect((await now()).tasks).toMatchObject([{ conditions: [{ reason: 'Exited', message }] }]);
    }
  });

  it('starts the agents that should run after it was killed, also those from before it existed', async () => {
    await mutate(running.app, key, 'createAgent', '__typename', { ...named('hello'), spec: agentSpec('still here') });
    await becomes('DEPLOYED');
    const one = await start(program);
    await becomes('FAILED');
    await becomes('DEPLOYED');
    expect((await messages()).slice(-2)).toEqual(['The executor was restarted.', 'It answers.']);
    await ended(one.child, 'SIGKILL');
    const { length } = await messages();
    await start(program, one);
    await expect.poll(async () => (await messages()).length, { timeout: 60_000 }).toBe(length + 2);
    await becomes('DEPLOYED');
    await mutate(running.app, key, 'deleteAgent', '__typename', inMain);
    await becomes(undefined);
  });

  it('deploys an agent after it was killed between the claim and the report', async () => {
    const one = await start(program);
    // An agent that never answers, so that the assignment stays in progress.
    const silent = { runtime: { image: 'exec sleep 600' } };
    await mutate(running.app, key, 'createAgent', '__typename', { ...named('hello'), spec: silent });
    await becomes('DEPLOYING');
    await ended(one.child, 'SIGKILL');
    await update(agentSpec('at last'));
    await start(program, one);
    await becomes('DEPLOYED');
    expect(await agentNow()).toMatchObject({ observed: { instances: 1 } });
  });
});
