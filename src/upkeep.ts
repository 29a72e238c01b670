// What a process does by itself from time to time: it replaces the signing key when that is old, and forgets what
// has expired. Every process does; the database sees to it that one of them is enough.
import { forgetExpired } from './access/oauth/housekeeping.js';
import { rotateSigningKeyWhenDue } from './access/signing-keys.js';
import type { Config } from './config.js';
import type { Services } from './context.js';

const intervalMs = 10 * 60_000;

export interface Upkeep {
  /** Waits for what is being done, and does nothing more. */
  stop: () => Promise<void>;
}

/** Begins at once. A failure is logged; the next time it is tried again. */
export function startUpkeep(services: Services, config: Config): Upkeep {
  let running = runUpkeep(services, config);
  const timer = setInterval(() => {
    running = running.then(() => runUpkeep(services, config));
  }, intervalMs);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}

/** Once. */
export async function runUpkeep(services: Services, config: Config): Promise<void> {
  const { db, seal, now, log } = services;
  try {
    const next = await rotateSigningKeyWhenDue(db, seal, now(), config.SIGNING_KEY_AGE_DAYS_MAX);
    if (next !== undefined) log.info(next, 'the next signing key is published');
    await forgetExpired(db, now());
  } catch (error) {
    log.error({ err: error }, 'upkeep failed');
  }
}
