// `npm run bench:overload`: what a gateway does with twice as many requests as it can answer, in an open loop, and how
// that affects another account and the probes of an orchestrator.
//
// SECONDS (60) of the storm come from the environment.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { mainWorkspace, tidewaterWorkspace } from '../src/demo/company.js';
import { ensureDatabase, mainDatabase } from './databases.js';
import { fire, quantile, residentMib, sleep, startServer } from './processes.js';
import { describeMachine, writeResults } from './results.js';
import { isSmoke, numberFrom } from './smoke-mode.js';
import type { StormReport } from './storm.js';

const seconds = numberFrom('SECONDS', 60, 2);
const quietEveryMs = 100;

const database = await ensureDatabase(mainDatabase);
const server = await startServer('ours', database);
const path = '/v0/agents?limit=50';
const headersOf = (key: string, workspace: string) => ({
  Authorization: `Bearer ${key}`,
  'X-Service-Workspace': workspace,
  'Service-Version': '2026-04-28',
});
const headers = headersOf(database.key, mainWorkspace);

await fire(server.origin, { path, headers }, isSmoke ? 1 : 4);
const { requestsPerSecond: capacity } = await fire(server.origin, { path, headers }, isSmoke ? 1 : 10);

const storm = fork(fileURLToPath(new URL('storm.ts', import.meta.url)), {
  execArgv: ['--import', new URL('../node_modules/tsx/dist/loader.mjs', import.meta.url).href],
});
process.on('exit', () => storm.kill('SIGKILL'));
const reported = once(storm, 'message');
storm.send({ origin: server.origin, path, headers, perSecond: capacity * 2, seconds });

const storming = new AbortController();
let memoryMib = 0;
const quiet: number[] = [];
let quietFailed = 0;
const beside = (async () => {
  while (!storming.signal.aborted) {
    const startedMs = performance.now();
    const response = await fetch(`${server.origin}/v0/agents?limit=1`, {
      headers: headersOf(database.otherKey, tidewaterWorkspace),
    });
    await response.arrayBuffer();
    if (response.ok) quiet.push(performance.now() - startedMs);
    else quietFailed++;
    memoryMib = Math.max(memoryMib, residentMib(server.pid));
    await sleep(quietEveryMs);
  }
})();
const probed: Record<string, number[]> = { '/healthz': [], '/readyz': [] };
let probesFailed = 0;
const probing = Object.entries(probed).map(async ([probe, times]) => {
  while (!storming.signal.aborted) {
    const startedMs = performance.now();
    const response = await fetch(`${server.origin}${probe}`);
    await response.arrayBuffer();
    if (response.ok) times.push(performance.now() - startedMs);
    else probesFailed++;
    await sleep(quietEveryMs);
  }
});
const [report]: StormReport[] = await reported;
storming.abort();
await Promise.all([beside, ...probing]);
await server.stop();
if (report === undefined) throw new Error('the client reported nothing');

const goodput = report.served / seconds;
const rows = [
  ['capacity, 16 clients in a closed loop', `${capacity.toFixed(0)}/s`, ''],
  ['sent', `${(capacity * 2).toFixed(0)}/s for ${seconds} s`, ''],
  ['served of capacity', (goodput / capacity).toFixed(2), '0.9 at least'],
  ['p99 of what was served', `${quantile(report.latencies, 0.99).toFixed(0)} ms`, 'under 1,000 ms'],
  ['shed (503 and 429)', String(report.shed), ''],
  ['failed otherwise', String(report.failed), '0'],
  ['memory at most', `${memoryMib.toFixed(0)} MiB`, 'under 400 MB'],
  ['p99 of the other account', `${quantile(quiet, 0.99).toFixed(0)} ms of ${quiet.length}`, ''],
  ['refused to the other account', String(quietFailed), '0'],
  ...Object.entries(probed).flatMap(([probe, times]) => [
    [`p99 of ${probe}`, `${quantile(times, 0.99).toFixed(0)} ms of ${times.length}`, 'under 100 ms'],
    [`slowest ${probe}`, `${Math.max(...times).toFixed(0)} ms`, ''],
  ]),
  ['probes that failed', String(probesFailed), '0'],
];
const text = `# Overload

\`npm run --prefix bench bench:overload\` on ${await describeMachine(database)}.
\`GET ${path}\` of ${database.agents.toLocaleString('en')} agents at twice the measured capacity, in an open loop; beside it another account asks for one
agent, and a prober for /healthz and /readyz, every ${quietEveryMs} ms. The client shares the cores with the gateway and the database.

| what | measured | bar |
| --- | ---: | --- |
${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}
`;
writeResults('overload', text);
process.exit(0);
