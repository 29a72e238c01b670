// What a process does by itself from time to time: it replaces the signing key when that is old, forgets what has
// expired, and folds usage that waits. Every process does; the database sees to it that one of them is enough.
import { forgetExpired } from './access/oauth/housekeeping.js';
import { rotateSigningKeyWhenDue } from './access/signing-keys.js';
import type { Config } from './config.js';
import type { Services } from './context.js';
import { foldAllUsage, forgetFoldedBatches } from './resources/metrics/usage-fold.js';

const intervalMs = 10 * 60_000;

/** Answers fold what waits themselves: the more often it is done before, the less is left to them. */
const foldIntervalMs = 1_000;

export interface Upkeep {
  /** Waits for what is being done, and does nothing more. */
  stop: () => Promise<void>;
}

/** Begins at once. A failure is logged; the next time it is tried again. */
export function startUpkeep(services: Services, config: Config): Upkeep {
  const tasks = [
    repeat(intervalMs, () => runUpkeep(services, config)),
    repeat(foldIntervalMs, () => foldWaiting(services)),
  ];
  return {
    stop: async () => {
      await Promise.all(tasks.map(({ stop }) => stop()));
    },
  };
}

/** Runs a task now and then, never twice at a time. */
function repeat(everyMs: number, task: () => Promise<void>): Upkeep {
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= task().finally(() => {
      running = undefined;
    });
  };
  run();
  const timer = setInterval(run, everyMs);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}

async function foldWaiting({ db, now, log }: Services): Promise<void> {
  try {
    await foldAllUsage(db, now());
  } catch (error) {
    log.error({ err: error }, 'usage could not be folded');
  }
}

/** Once. */
export async function runUpkeep(services: Services, config: Config): Promise<void> {
  const { db, seal, now, log } = services;
  try {
    const next = await rotateSigningKeyWhenDue(db, seal, now(), config.SIGNING_KEY_AGE_DAYS_MAX);
    if (next !== undefined) log.info(next, 'the next signing key is published');
    await forgetExpired(db, now());
    await forgetFoldedBatches(db, now());
  } catch (error) {
    log.error({ err: error }, 'upkeep failed');
  }
}
