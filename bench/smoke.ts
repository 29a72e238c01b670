// `npm run --prefix bench smoke`: runs the benchmarks in smoke mode on the server of BENCH_DATABASE_SERVER, two at a time. It
// prints what each took, and the output of those that failed. The databases and files that only smoke mode uses are dropped
// before and after.
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dropDatabase } from './databases.js';
import { metricsSmokeDatabases } from './metrics/data.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(`${here}package.json`, 'utf8'));
const benchmarks = Object.keys(scripts).flatMap((name) => (name.startsWith('bench:') ? [name.slice(6)] : []));
/** These share a database, so they run one after another. */
const withSharedDatabase = new Set(['request-path', 'paging', 'console', 'overload']);
/** Benchmarks without a size of their own for smoke mode take the others. */
const smokeSettings = { SMOKE: '1', ROUNDS: '1', SECONDS: '1', SIZES: '500' };
/** No benchmark needs a minute of its own on two cores. */
const longestMs = 240_000;

async function dropSmokeData(): Promise<void> {
  for (const name of ['wcp_bench_smoke', ...metricsSmokeDatabases]) await dropDatabase(name);
  rmSync(`${here}.cache/smoke`, { recursive: true, force: true });
}

const failed: string[] = [];

function run(name: string): Promise<void> {
  const startedMs = performance.now();
  const loader = new URL('../node_modules/tsx/dist/loader.mjs', import.meta.url).href;
  const options = {
    env: { ...process.env, ...smokeSettings },
    timeout: longestMs,
    maxBuffer: 64 * 1024 * 1024,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', loader, `${here}${name}.ts`], options, (error, stdout, stderr) => {
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
      process.stdout.write(`${name}: ${error === null ? 'ran' : 'FAILED'} in ${seconds} s\n`);
      if (error !== null) {
        failed.push(name);
        process.stdout.write(`${stdout}${stderr}${error.signal ? `ended by ${error.signal}\n` : ''}`);
      }
      resolve();
    });
  });
}

const alone = benchmarks.filter((name) => !withSharedDatabase.has(name)).map((name) => [name]);
const queue = [[...withSharedDatabase], ...alone].values();

async function work(): Promise<void> {
  for (const names of queue) for (const name of names) await run(name);
}

await dropSmokeData();
await Promise.all([work(), work()]);
await dropSmokeData();
if (failed.length > 0) {
  process.stdout.write(`Failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
