// Starts the servers that are measured, one at a time, and ends them whatever happens.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { mainWorkspace } from '../src/demo/company.js';
import { benchSecret } from './databases.js';
import type { BenchDatabase } from './databases.js';

export type ServerName = 'ours' | 'floor' | 'writing-floor' | 'mercurius' | 'postgraphile';

export interface RunningServer {
  name: ServerName;
  origin: string;
  pid: number;
  stop: () => Promise<void>;
}

const here = fileURLToPath(new URL('.', import.meta.url));
const gateway = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const loader = new URL('../node_modules/tsx/dist/loader.mjs', import.meta.url).href;
/** Node 22, for the one peer that does not start with less. */
const newerNode = `${here}node_modules/node/bin/node`;
const autocannon = `${here}node_modules/autocannon/autocannon.js`;

const commands: Record<ServerName, [command: string, ...arguments_: string[]]> = {
  ours: [process.execPath, gateway],
  floor: [process.execPath, '--import', loader, `${here}servers/floor.ts`],
  'writing-floor': [process.execPath, '--import', loader, `${here}servers/writing-floor.ts`],
  mercurius: [process.execPath, '--import', loader, `${here}servers/mercurius.ts`],
  postgraphile: [newerNode, '--import', loader, `${here}servers/postgraphile.ts`],
};

const running = new Set<ChildProcess>();

// Also when this process fails, or is interrupted, nothing is left behind.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Starts a server on a free port and waits until it answers. */
export async function startServer(
  name: ServerName,
  database: Pick<BenchDatabase, 'url'>,
  settings: Record<string, string> = {},
): Promise<RunningServer> {
  if (name === 'ours' && !existsSync(gateway)) throw new Error('dist/main.js is missing: run `npm run build` first');
  const port = await freePort();
  const [command, ...parameters] = commands[name];
  const child = spawn(command, parameters, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      DATABASE_URL: database.url,
      SERVICE_SECRETS: benchSecret,
      PORT: String(port),
      INFERENCE_URL: 'http://localhost:4000/inference',
      LOG_LEVEL: 'error',
      SHUTDOWN_DELAY_MS: '0',
      // The data is that of a fixed day and grows older: nothing is deleted from it during a measurement.
      CHANGE_RETENTION_DAYS: '36500',
      BENCH_WORKSPACE: mainWorkspace,
      ...settings,
    },
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaints = `${complaints}${chunk.toString()}`.slice(-4_000);
  });
  const origin = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + 30_000;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${complaints}`);
    // Any answer will do, also 401 or 404: it listens.
    const isUp = await fetch(origin).then(
      (response) => response.arrayBuffer().then(() => true),
      () => false,
    );
    if (isUp) break;
    if (Date.now() > deadline) throw new Error(`${name} does not answer after 30 s: ${complaints}`);
    await sleep(100);
  }
  return { name, origin, pid: child.pid ?? 0, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await exited;
  clearTimeout(force);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export interface Call {
  path: string;
  headers: Record<string, string>;
  /** Absent: GET. */
  body?: string;
}

export interface Load {
  requestsPerSecond: number;
  p99: number;
  requests: number;
}

/** Sixteen clients that ask again as soon as they are answered, from a process of their own. */
export async function fire(origin: string, call: Call, seconds: number): Promise<Load> {
  const headers = Object.entries(call.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const method = call.body === undefined ? [] : ['-m', 'POST', '-b', call.body];
  const parameters = ['-c', '16', '-d', String(seconds), '--json', ...headers, ...method, `${origin}${call.path}`];
  const child = spawn(process.execPath, [autocannon, ...parameters], { stdio: ['ignore', 'pipe', 'ignore'] });
  running.add(child);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(child, 'close');
  running.delete(child);
  const result: AutocannonResult = JSON.parse(output);
  if (result.errors + result.non2xx + result.timeouts > 0) {
    throw new Error(`${result.errors} errors, ${result.non2xx} answers other than 2xx from ${origin}${call.path}`);
  }
  return {
    requestsPerSecond: result.requests.total / result.duration,
    p99: result.latency.p99,
    requests: result.requests.total,
  };
}

interface AutocannonResult {
  errors: number;
  non2xx: number;
  timeouts: number;
  duration: number;
  requests: { total: number };
  latency: { p99: number };
}

/** Processor time that a process has used so far, in milliseconds: user and system, as Linux counts it. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is a name in brackets, which may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticksPerSecond = 100;
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
}

/** Memory that a process holds, in MiB. */
export function residentMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [below = NaN, above = NaN] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (below + above) / 2;
}

export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
