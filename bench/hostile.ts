// `npm run --prefix bench hostile`: how long each hostile request takes to be refused, how long the process stands
// still for it, and what it leaves in memory. Ends with 1 when one of them misses its bound.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { hostileInputs } from '../test/api/graphql/hostile-inputs.js';
import { hostileRequests } from '../test/api/graphql/hostile-requests.js';
import type { HostileRequest } from '../test/api/graphql/hostile-requests.js';

const refusalMsMax = 100;
const stallMsMax = 50;
const rounds = 3;

const subject = fork(fileURLToPath(new URL('servers/hostile-subject.ts', import.meta.url)), {
  execArgv: ['--import', new URL('../node_modules/tsx/dist/loader.mjs', import.meta.url).href],
});
process.on('exit', () => subject.kill('SIGTERM'));
const [{ origin, key }] = await once(subject, 'message');

interface State {
  stallMs: number;
  residentBytes: number;
}

async function state(): Promise<State> {
  const answer = once(subject, 'message');
  subject.send('state');
  const [found] = await answer;
  return found;
}

async function refuse({ method = 'POST', search = '', headers, body }: HostileRequest): Promise<number> {
  const startedMs = performance.now();
  const response = await fetch(`${origin}/graphql${search}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      // Whoever takes anything gets a stream of what they subscribe to, which never ends.
      accept: 'application/graphql-response+json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  await response.arrayBuffer();
  return performance.now() - startedMs;
}

/** Both kinds: what is refused before anything runs, and what its field refuses. */
const hostile: HostileRequest[] = [
  ...hostileRequests,
  ...hostileInputs.map(({ what, query, variables, headers = {} }) => ({
    what,
    status: 200,
    headers,
    body: JSON.stringify({ query, variables: forBench(variables) }),
  })),
];

/** The bench has a workspace of another name. */
function forBench(variables: Record<string, unknown>): unknown {
  return JSON.parse(JSON.stringify(variables).replace('"workspace":"main"', '"workspace":"bench"'));
}

/** The best of some rounds: the machine has other things to do as well. */
async function measure(each: HostileRequest) {
  let [refusalMs, stallMs] = [Infinity, Infinity];
  for (let round = 0; round < rounds; round++) {
    await state();
    refusalMs = Math.min(refusalMs, await refuse(each));
    await new Promise((resolve) => setTimeout(resolve, 10));
    stallMs = Math.min(stallMs, (await state()).stallMs);
  }
  return { what: each.what, refusalMs, stallMs };
}

for (const warmUp of hostile.slice(0, 20)) await refuse(warmUp);
const before = await state();
const measured: Awaited<ReturnType<typeof measure>>[] = [];
for (const each of hostile) measured.push(await measure(each));
const after = await state();

const row = ({ what, refusalMs, stallMs }: (typeof measured)[number]) =>
  `${refusalMs.toFixed(1).padStart(8)} ${stallMs.toFixed(1).padStart(8)}  ${what}\n`;
const slowest = measured.toSorted((one, other) => other.refusalMs - one.refusalMs).slice(0, 15);
const missed = measured.filter(({ refusalMs, stallMs }) => refusalMs > refusalMsMax || stallMs > stallMsMax);
process.stdout.write(`${measured.length} hostile requests, the slowest of them (ms to refuse, ms of stall):\n`);
process.stdout.write(slowest.map(row).join(''));
const grownMiB = (after.residentBytes - before.residentBytes) / 1024 ** 2;
process.stdout.write(
  `Memory: ${(after.residentBytes / 1024 ** 2).toFixed(0)} MiB, ${grownMiB.toFixed(0)} MiB more than before.\n`,
);
process.stdout.write(
  `${missed.length} over ${refusalMsMax} ms or a stall of ${stallMsMax} ms\n${missed.map(row).join('')}`,
);
process.exit(missed.length === 0 ? 0 : 1);
