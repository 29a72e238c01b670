// Those who watch, in a process of their own: what they take of the processor keeps nobody waiting who writes.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Account } from './writers.js';

/** Whom to watch, and by how many. */
export interface Watching {
  origin: string;
  accounts: readonly Pick<Account, 'id' | 'key'>[];
  watchers: number;
  /** How many events may come to all of them together that count. */
  eventsMax: number;
}

/** When the changes `c-0`, `c-1`, ... were committed, on the clock of clock.ts. */
export interface Committed {
  committedMs: number[];
}

/** How late changes came. */
export interface Lateness {
  p50: number;
  p99: number;
  /** How many events came that count. */
  told: number;
}

export interface Watchers {
  pid: number;
  lateness: (committedMs: number[]) => Promise<Lateness>;
  leave: () => Promise<void>;
}

const program = fileURLToPath(new URL('watching.ts', import.meta.url));
const loader = new URL('../../node_modules/tsx/dist/loader.mjs', import.meta.url).href;

/** Opens watches, spread over accounts. */
export async function openWatchers(watching: Watching): Promise<Watchers> {
  const child = fork(program, { execArgv: ['--import', loader] });
  await ask(child, { watch: watching });
  return {
    pid: child.pid ?? 0,
    lateness: async (committedMs) => {
      const [lateness]: Lateness[] = await ask(child, { tell: { committedMs } });
      if (lateness === undefined) throw new Error('those who watch say nothing');
      return lateness;
    },
    leave: async () => {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

async function ask(child: ChildProcess, asked: { watch: Watching } | { tell: Committed }) {
  const giveUp = new AbortController();
  const { signal } = giveUp;
  const answered = once(child, 'message', { signal });
  const exited = once(child, 'exit', { signal }).then(() => Promise.reject(new Error('those who watch have ended')));
  child.send(asked);
  return Promise.race([answered, exited]).finally(() => {
    // Both are given up, and what becomes of the other one is nobody's business.
    for (const other of [answered, exited]) other.catch(() => {});
    giveUp.abort();
  });
}
