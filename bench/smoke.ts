// `npm run --prefix bench smoke`: runs the benchmarks in smoke mode, one after another, on the server of
// BENCH_DATABASE_SERVER. It prints what each took, and the output of those that failed. The databases and files that only
// smoke mode uses are dropped before and after.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dropDatabase } from './databases.js';
import { metricsSmokeDatabases } from './metrics/data.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(`${here}package.json`, 'utf8'));
const benchmarks = Object.keys(scripts).flatMap((name) => (name.startsWith('bench:') ? [name.slice(6)] : []));
/** Benchmarks without a size of their own for smoke mode take the others. */
const smokeSettings = { SMOKE: '1', ROUNDS: '1', SECONDS: '1', SIZES: '500' };
/** No benchmark needs a minute of its own on two cores. */
const longestMs = 120_000;

async function dropSmokeData(): Promise<void> {
  for (const name of ['wcp_bench_smoke', ...metricsSmokeDatabases]) await dropDatabase(name);
  rmSync(`${here}.cache/smoke`, { recursive: true, force: true });
}

await dropSmokeData();
const failed: string[] = [];
for (const name of benchmarks) {
  const startedMs = performance.now();
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', new URL('../node_modules/tsx/dist/loader.mjs', import.meta.url).href, `${here}${name}.ts`],
    { env: { ...process.env, ...smokeSettings }, encoding: 'utf8', timeout: longestMs, maxBuffer: 64 * 1024 * 1024 },
  );
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  process.stdout.write(`${name}: ${status === 0 ? 'ran' : 'FAILED'} in ${seconds} s\n`);
  if (status === 0) continue;
  failed.push(name);
  process.stdout.write(`${stdout}${stderr}${signal === null ? '' : `ended by ${signal}\n`}`);
}
await dropSmokeData();
if (failed.length > 0) {
  process.stdout.write(`Failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
