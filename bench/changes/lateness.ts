// How late those who watch are told of what is committed, and what that costs the server.
import { processorMs, sleep, startServer } from '../processes.js';
import type { RunningServer } from '../processes.js';
import { openWatchers } from './watchers.js';
import type { Lateness } from './watchers.js';
import type { Account, Writers } from './writers.js';

export interface Rate {
  watchers: number;
  perSecond: number;
  seconds: number;
}

export interface ToldLate extends Omit<Lateness, 'told'> {
  /** Of what should have been told. */
  told: number;
  /** Changes that were made in a second: fewer than asked for where the database does not keep up. */
  perSecond: number;
  /** Processors that the server was busy with, and those who watch. */
  processors: number;
  processorsOfWatchers: number;
}

/** How many changes are on their way at a time: as many as the writers have connections, nearly. */
const writersMax = 8;

/** Changes at a steady rate, each of the next account, and when those who watch it are told. */
export async function measureLateness(
  name: 'ours' | 'changes-floor',
  url: string,
  settings: Record<string, string>,
  watched: readonly Account[],
  write: Writers['write'],
  { watchers: count, perSecond, seconds }: Rate,
): Promise<ToldLate> {
  const changes = perSecond * seconds;
  const expected = (changes * count) / watched.length;
  const server = await startServer(name, { url }, settings);
  // Room for more than that shows what is told twice.
  const watchers = await openWatchers({
    origin: server.origin,
    accounts: watched,
    watchers: count,
    eventsMax: 2 * expected,
  });
  const accountOf = (index: number) => watched[index % watched.length] ?? raise();
  // Who listens tells so within some seconds; and the first change of each account takes longer.
  await sleep(2_000);
  for (let index = 0; index < watched.length; index++) await write(accountOf(index), `first-${index}`);
  await sleep(1_000);
  const busy = busyness([server, watchers]);
  const committedMs: number[] = [];
  const startMs = performance.now();
  let next = 0;
  const writeInTurn = async () => {
    for (let index = next++; index < changes; index = next++) {
      const waitMs = startMs + (index * 1_000) / perSecond - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      committedMs[index] = await write(accountOf(index), `c-${index}`);
    }
  };
  await Promise.all(Array.from({ length: writersMax }, writeInTurn));
  const made = (changes * 1_000) / (performance.now() - startMs);
  await sleep(2_000);
  const [processors = 0, processorsOfWatchers = 0] = busy();
  const { told, ...late } = await watchers.lateness(committedMs);
  await watchers.leave();
  await server.stop();
  return { ...late, told: told / expected, perSecond: made, processors, processorsOfWatchers };
}

/** @returns how many processors each of them is busy with from now on. */
function busyness(each: readonly Pick<RunningServer, 'pid'>[]): () => number[] {
  const startMs = performance.now();
  const used = each.map(({ pid }) => processorMs(pid));
  return () => each.map(({ pid }, index) => (processorMs(pid) - (used[index] ?? 0)) / (performance.now() - startMs));
}

function raise(): never {
  throw new RangeError('there is no such account');
}
