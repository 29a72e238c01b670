// An executor in one file: runs agents, and the tasks of jobs, as processes of this machine. It is not a sandbox: it runs
// `spec.runtime.image` as a shell command, as the user who started the executor.
//
//   GATEWAY=http://127.0.0.1:4000 EXECUTOR_KEY=wce_… npx tsx examples/process-executor.ts
//
// An agent listens on $PORT. http://127.0.0.1:$ROUTER_PORT/{workspace}/agents/{name} leads to it: the `metadata.url` of
// the agent, if the gateway has INFERENCE_URL=http://127.0.0.1:$ROUTER_PORT. Output goes to files in $LOGS.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const { GATEWAY = 'http://127.0.0.1:4000', EXECUTOR_KEY = '', PATH = '' } = process.env;
const { ROUTER_PORT = '8080', LOGS = 'executor-logs' } = process.env;
const [leaseSeconds, startSeconds, healthSeconds, busyMax] = [15, 30, 2, 20];

interface Desired {
  metadata: { name: string; workspace: string };
  spec: { runtime?: { image?: string; envs?: { name: string; value?: string }[] } };
  task?: { name: string };
}
type Resource = { kind: string; resourceId: string; action: string; desired: Desired };
type Assignment = Resource & { id: string; fence: number };
type Listed = Resource & { generation: number; status: string; isHeldByOther: boolean };
type Answer = { code?: string; message?: string; stop?: boolean; generation?: number } & Partial<Claims>;
type Claims = { assignments: Assignment[]; lost: string[]; stopping: string[] };
type Page = { nodes: Listed[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
type Program = { child: ChildProcess; log: string; port: number };
type Agent = Resource & Program & { generation: number; status: string; failures: number };

/** The agents that should run here, by the id of the resource; also those that failed. */
const agents = new Map<string, Agent>();
/** The assignments in progress, by their id. */
const busy = new Map<string, { assignment: Assignment; child?: ChildProcess; isStopped: boolean }>();

/** Sends an operation until the gateway answers: each of an executor can be repeated safely. */
async function graphql<Data>(query: string, variables: object): Promise<Data> {
  for (let tries = 1; ; tries++) {
    try {
      const response = await fetch(`${GATEWAY}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${EXECUTOR_KEY}` },
        body: JSON.stringify({ query, variables }),
        signal: AbortSignal.timeout(60_000),
      });
      const answer: { data?: Data; errors?: { message: string }[] } = JSON.parse(await response.text());
      if (answer.data != null) return answer.data;
      throw new Error(answer.errors?.[0]?.message ?? `status ${response.status}`);
    } catch (error) {
      process.stderr.write(`The request failed: ${String(error)}\n`);
      await pause(Math.min(250 * 2 ** tries, 10_000));
    }
  }
}

async function mutate(mutation: string, fields: string, input: object): Promise<Answer> {
  const type = mutation.charAt(0).toUpperCase() + mutation.slice(1);
  const query = `mutation ($input: ${type}Input!) { result: ${mutation}(input: $input) {
    ... on Error { code message } ... on ${type}Payload { ${fields} } } }`;
  return (await graphql<{ result: Answer }>(query, { input })).result;
}

/** Reports on an assignment; without a state, only extends its lease. @returns whether the work has to stop. */
async function report({ id, fence }: Assignment, more: object = {}): Promise<boolean> {
  const { code, stop } = await mutate('executorReportAssignment', 'stop', { id, fence, leaseSeconds, ...more });
  return code !== undefined || stop === true;
}

/** Starts a command with its output in a file. When this executor ends, even by SIGKILL, the command ends too. */
function start({ metadata, spec: { runtime = {} } }: Desired, port: number, task = ''): Program {
  const log = join(LOGS, metadata.workspace, `${metadata.name}.log`);
  mkdirSync(join(LOGS, metadata.workspace), { recursive: true });
  const output = openSync(log, 'a');
  const envs = Object.fromEntries((runtime.envs ?? []).map(({ name, value = '' }) => [name, value]));
  // Standard input is a pipe of this process: at its end, the shell kills its process group.
  const guarded = 'exec 3<&0; sh -c "$1" </dev/null 3<&- & p=$!; { cat <&3; kill -9 0; } >/dev/null & wait $p';
  const child = spawn('sh', ['-c', guarded, 'sh', runtime.image ?? 'true'], {
    env: { PATH, ...envs, PORT: String(port), TASK: task },
    stdio: ['pipe', output, output],
    detached: true,
  });
  child.once('exit', () => stop(child));
  closeSync(output);
  return { child, log, port };
}

function stop({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The process group has ended.
  }
}

const hasEnded = ({ child }: Program) => child.exitCode !== null || child.signalCode !== null;

function endOf({ child, log }: Program): string {
  return `${child.signalCode ?? `exit code ${child.exitCode}`} ${readFileSync(log, 'utf8').slice(-400).trim()}`.trim();
}

async function answers({ port }: Program): Promise<boolean> {
  const signal = AbortSignal.timeout(2_000);
  const health = fetch(`http://127.0.0.1:${port}/`, { signal });
  return health.then(({ status }) => status < 500).catch(() => false);
}

function forget(resourceId: string): void {
  const agent = agents.get(resourceId);
  agents.delete(resourceId);
  if (agent !== undefined) stop(agent.child);
}

/** Starts an agent in place of its previous process. @returns undefined once it answers, or why it does not. */
async function startAgent(resource: Resource, generation: number): Promise<string | undefined> {
  forget(resource.resourceId);
  // Below the ports of outgoing connections.
  const program = start(resource.desired, 20_000 + Math.floor(Math.random() * 12_000));
  agents.set(resource.resourceId, { ...resource, ...program, generation, status: 'FAILED', failures: 0 });
  for (let tries = 0; tries < startSeconds * 5; tries++) {
    if (hasEnded(program)) return endOf(program);
    if (await answers(program)) return undefined;
    await pause(200);
  }
  return `no answer on port ${program.port} after ${startSeconds} seconds`;
}

async function reconcileAgent(assignment: Assignment): Promise<void> {
  const { action, resourceId, fence } = assignment;
  if (action !== 'DEPLOY') {
    forget(resourceId);
    await report(assignment, { state: action === 'DELETE' ? 'TERMINATED' : 'DEACTIVATED' });
    return;
  }
  await report(assignment, { state: 'DEPLOYING' });
  const message = await startAgent(assignment, fence);
  const agent = agents.get(resourceId);
  // A newer assignment of the agent has replaced its process.
  if (agent?.generation !== fence) return;
  agent.status = message === undefined ? 'DEPLOYED' : 'FAILED';
  const isOver = await report(assignment, { state: agent.status, message, instances: message === undefined ? 1 : 0 });
  if (isOver && agents.get(resourceId) === agent) forget(resourceId);
}

async function runTask(assignment: Assignment): Promise<void> {
  const program = start(assignment.desired, 0, assignment.desired.task?.name);
  const entry = { assignment, child: program.child, isStopped: false };
  busy.set(assignment.id, entry);
  const ended = new Promise((resolve) => program.child.once('exit', resolve));
  if (await report(assignment, { state: 'RUNNING' })) end(assignment.id);
  await ended;
  const isDone = program.child.exitCode === 0;
  const state = entry.isStopped ? 'CANCELLED' : isDone ? 'SUCCEEDED' : 'FAILED';
  const message = endOf(program);
  const conditions = [{ type: 'Completed', state: isDone ? 'True' : 'False', reason: 'Exited', message }];
  await report(assignment, { state, message, conditions });
}

/** Stops an assignment that was lost or cancelled. */
function end(id: string): void {
  const entry = busy.get(id);
  if (entry === undefined) return;
  entry.isStopped = true;
  if (entry.child !== undefined) stop(entry.child);
}

async function work(assignment: Assignment): Promise<void> {
  busy.set(assignment.id, { assignment, isStopped: false });
  await (assignment.kind === 'JOB_EXECUTION' ? runTask(assignment) : reconcileAgent(assignment));
  busy.delete(assignment.id);
}

/** Reports the status of a deployed agent. @returns its generation; undefined if something newer is desired. */
async function reportStatus(agent: Resource, generation: number, status: string, message: string) {
  const { kind, resourceId } = agent;
  const input = { kind, resourceId, generation, status, message, instances: status === 'DEPLOYED' ? 1 : 0 };
  return (await mutate('executorReportStatus', 'generation', input)).generation;
}

/** Checks an agent, and reports a change: its process has ended, three checks have failed, or it answers again. */
async function check(agent: Agent): Promise<void> {
  agent.failures = !hasEnded(agent) && (await answers(agent)) ? 0 : agent.failures + 1;
  const hasFailed = hasEnded(agent) || agent.failures >= 3;
  const status = agent.failures === 0 ? 'DEPLOYED' : hasFailed ? 'FAILED' : agent.status;
  const isBusy = [...busy.values()].some(({ assignment }) => assignment.resourceId === agent.resourceId);
  if (status === agent.status || isBusy || agents.get(agent.resourceId) !== agent) return;
  agent.status = status;
  const failure = hasEnded(agent) ? endOf(agent) : 'It does not answer.';
  const message = status === 'DEPLOYED' ? 'It answers.' : failure;
  const current = await reportStatus(agent, agent.generation, status, message);
  if (current === undefined && agents.get(agent.resourceId) === agent) forget(agent.resourceId);
}

/** After the start of this executor, adopts the agents that should run, and starts them. */
async function adopt(): Promise<void> {
  const query = `query ($after: String) { executorAssignments(first: 100, after: $after) {
    nodes { kind resourceId generation isHeldByOther action status desired } pageInfo { hasNextPage endCursor } } }`;
  for (let after: string | undefined, isLast = false; !isLast;) {
    const { executorAssignments: page } = await graphql<{ executorAssignments: Page }>(query, { after });
    for (const found of page.nodes) {
      const isSettled = found.status === 'DEPLOYED' || found.status === 'FAILED';
      if (found.kind !== 'AGENT' || found.action !== 'DEPLOY' || !isSettled || found.isHeldByOther) continue;
      const generation = await reportStatus(found, found.generation, 'FAILED', 'The executor was restarted.');
      if (generation !== undefined) void startAgent(found, generation);
    }
    [after, isLast] = [page.pageInfo.endCursor, !page.pageInfo.hasNextPage];
  }
}

/** The router: http://127.0.0.1:$ROUTER_PORT/{workspace}/agents/{name}/… leads to the agent. */
createServer((incoming, outgoing) => {
  const [, workspace, name, path] = /^\/([^/?]+)\/agents\/([^/?]+)(.*)$/.exec(incoming.url ?? '') ?? [];
  const agent = [...agents.values()].find(({ desired: { metadata } }) => {
    return metadata.workspace === workspace && metadata.name === name;
  });
  const options = { port: agent?.port, path: `/${path?.replace(/^\//, '')}`, method: incoming.method };
  const forwarded = request({ ...options, host: '127.0.0.1', headers: incoming.headers }, (response) => {
    response.pipe(outgoing.writeHead(response.statusCode ?? 502, response.headers));
  });
  forwarded.once('error', () => outgoing.writeHead(502).end('The agent does not run.\n'));
  incoming.pipe(forwarded);
}).listen(Number(ROUTER_PORT), '127.0.0.1');

// The processes end with this one: their standard input ends.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit());
setInterval(() => agents.forEach((agent) => void check(agent)), healthSeconds * 1_000);
setInterval(() => {
  for (const [id, { assignment }] of busy) void report(assignment).then((isOver) => isOver && end(id));
}, leaseSeconds * 333);

await adopt();
process.stdout.write(`Agents answer at http://127.0.0.1:${ROUTER_PORT}/{workspace}/agents/{name}\n`);
for (;;) {
  const leases = Array.from(busy.values(), ({ assignment: { id, fence } }) => ({ id, fence }));
  const first = busyMax - leases.length;
  if (first < 1) await pause(500);
  if (first < 1) continue;
  const fields = 'assignments { id fence kind action resourceId desired } lost stopping';
  const input = { first, leaseSeconds, waitSeconds: 5, leases };
  const {
    assignments = [],
    lost = [],
    stopping = [],
    message,
  } = await mutate('executorClaimAssignments', fields, input);
  if (message !== undefined) throw new Error(message);
  for (const assignment of assignments) void work(assignment);
  for (const id of [...lost, ...stopping]) end(id);
}
