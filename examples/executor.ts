// An executor in one file: runs the tasks of jobs as child processes of this machine. It is not a sandbox: it runs the
// image of a job as a shell command, as the user who started the executor.
//
//   GATEWAY=http://127.0.0.1:4000 EXECUTOR_KEY=wce_… npx tsx examples/executor.ts
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

type Runtime = { image?: string; envs?: { name: string; value?: string }[] };
type Task = { id: string; fence: number; desired: { spec: { runtime?: Runtime }; task: { name: string } } };

/** A payload, or an error, which has a code. */
type Answer = { code?: string; message?: string; stop?: boolean; assignments?: Task[] } & Record<string, string[]>;

const { GATEWAY = 'http://127.0.0.1:4000', EXECUTOR_KEY = '', TASKS_MAX = '4', PATH = '' } = process.env;
const leaseSeconds = 30;
const running = new Map<string, { task: Task; child: ChildProcess; isStopped: boolean }>();
const stopping = new AbortController();

async function mutate(mutation: string, fields: string, input: object): Promise<Answer> {
  const type = mutation.charAt(0).toUpperCase() + mutation.slice(1);
  const query = `mutation ($input: ${type}Input!) { result: ${mutation}(input: $input) {
    __typename ... on Error { code message } ... on ${type}Payload { ${fields} } } }`;
  const response = await fetch(`${GATEWAY}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${EXECUTOR_KEY}` },
    body: JSON.stringify({ query, variables: { input } }),
    signal: AbortSignal.timeout(60_000),
  });
  const answer: { data?: { result: Answer }; errors?: { message: string }[] } = JSON.parse(await response.text());
  if (answer.data == null) throw new Error(answer.errors?.[0]?.message ?? `status ${response.status}`);
  return answer.data.result;
}

/** Reports the state of a task, with retries. Stops the task if its lease is lost or it was cancelled. */
async function report(task: Task, more: object = {}): Promise<void> {
  for (let tries = 1; tries <= 5; tries++) {
    try {
      const input = { id: task.id, fence: task.fence, leaseSeconds, ...more };
      const { code, stop } = await mutate('executorReportAssignment', 'stop', input);
      if (code !== undefined || stop === true) end(task.id);
      return;
    } catch (error) {
      process.stderr.write(`${task.id}: ${String(error)}\n`);
      await pause(500 * 2 ** tries);
    }
  }
}

function end(id: string): void {
  const found = running.get(id);
  if (found === undefined) return;
  found.isStopped = true;
  found.child.kill('SIGKILL');
}

function run(task: Task): void {
  const { runtime = {} } = task.desired.spec;
  const envs = (runtime.envs ?? []).map(({ name, value = '' }) => [name, value]);
  const env = { PATH, TASK: task.desired.task.name, ...Object.fromEntries(envs) };
  const child = spawn(runtime.image ?? 'true', { shell: true, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const entry = { task, child, isStopped: false };
  running.set(task.id, entry);
  let tail = '';
  child.stderr.on('data', (text: Buffer) => (tail = `${tail}${text.toString()}`.slice(-500)));
  const begun = report(task, { state: 'RUNNING' });
  child.once('close', async (code, signal) => {
    running.delete(task.id);
    await begun;
    const state = entry.isStopped ? 'CANCELLED' : code === 0 ? 'SUCCEEDED' : 'FAILED';
    const message = `${signal ?? `exit code ${code}`} ${tail.trim()}`.trim();
    const conditions = [{ type: 'Completed', state: code === 0 ? 'True' : 'False', reason: 'Exited', message }];
    await report(task, { state, message, conditions });
  });
}

setInterval(() => running.forEach(({ task }) => void report(task)), (leaseSeconds * 1_000) / 3).unref();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort());
stopping.signal.addEventListener('abort', () => [...running.keys()].forEach(end));

while (!stopping.signal.aborted) {
  try {
    const first = Number(TASKS_MAX) - running.size;
    if (first < 1) {
      await pause(200);
      continue;
    }
    const leases = Array.from(running.values(), ({ task: { id, fence } }) => ({ id, fence }));
    const fields = 'assignments { id fence desired } lost stopping';
    const claim = await mutate('executorClaimAssignments', fields, { first, leaseSeconds, waitSeconds: 5, leases });
    if (claim.code !== undefined) throw new Error(claim.message);
    claim.assignments?.forEach(run);
    for (const id of [...(claim['lost'] ?? []), ...(claim['stopping'] ?? [])]) end(id);
  } catch (error) {
    process.stderr.write(`the request to the gateway failed: ${String(error)}\n`);
    await pause(1_000);
  }
}
