// `npm run --prefix bench bench:first-start`: the demo's first minute and its second start. How long until the first
// answer; what requests take while a year of usage comes in, asked from the first answer on; what memory it holds.
//
// SECONDS (60) come from the environment.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, quantile, residentMib, sleep } from './processes.js';
import { describeHost, writeResults } from './results.js';
import { numberFrom } from './smoke-mode.js';

const seconds = numberFrom('SECONDS', 60, 2);
const program = fileURLToPath(new URL('../dist/demo/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'first-start-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const query = `{ agents(workspace: "meridian-production", first: 20) { nodes { metadata { name } status } } }`;

interface Started {
  child: ChildProcess;
  origin: string;
  seconds: number;
}

async function start(): Promise<Started> {
  const port = await freePort();
  const startedMs = performance.now();
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], PORT: String(port), DATA_DIR: join(folder, 'data') },
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const origin = `http://127.0.0.1:${port}`;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the demo ended with ${child.exitCode}`);
    const isReady = await fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return { child, origin, seconds: (performance.now() - startedMs) / 1_000 };
    await sleep(10);
  }
}

async function stop({ child }: Started): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** What one request takes, to the end of its answer. */
async function ask(origin: string, key: string): Promise<number> {
  const startedMs = performance.now();
  const response = await fetch(`${origin}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data } = await response.json();
  if (data?.agents?.nodes?.length !== 20) throw new Error(`an answer of ${response.status} without its agents`);
  return performance.now() - startedMs;
}

const first = await start();
const key = readFileSync(join(folder, 'data', 'demo-key'), 'utf8').trim();
const takenMs: number[] = [];
let memoryMib = 0;
for (const end = performance.now() + seconds * 1_000; performance.now() < end; await sleep(25)) {
  takenMs.push(await ask(first.origin, key));
  memoryMib = Math.max(memoryMib, residentMib(first.child.pid ?? 0));
}
await stop(first);
const second = await start();
await stop(second);

const rows = [
  ['first start to the first answer', `${first.seconds.toFixed(1)} s`, ''],
  [`p50 of a page of 20 agents in the first ${seconds} s`, `${quantile(takenMs, 0.5).toFixed(1)} ms`, ''],
  [`p99, of ${takenMs.length} requests`, `${quantile(takenMs, 0.99).toFixed(0)} ms`, 'under 250 ms'],
  ['the slowest', `${Math.max(...takenMs).toFixed(0)} ms`, ''],
  ['memory at most', `${memoryMib.toFixed(0)} MiB`, ''],
  ['second start to the first answer', `${second.seconds.toFixed(1)} s`, ''],
];
const text = `# First start

\`npm run --prefix bench bench:first-start\` on ${describeHost()}.
The compiled demo on an embedded database in an empty folder; one client asks
25 ms after each answer, from the first answer on, while the usage of a year comes in.

| what | measured | bar |
| --- | ---: | --- |
${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}
`;
writeResults('first-start', text);
process.exit(0);
