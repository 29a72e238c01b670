import { rotateSigningKeyWhenDue } from '../../auth/signing-keys.js';
import type { UpkeepJob } from './upkeep-job.js';

/** The key that signs access tokens is replaced when it is old. */
export const rotateSigningKeysJob: UpkeepJob = {
  name: 'rotate signing keys',
  everyMs: 10 * 60_000,
  run: async ({ db, seal, now, log }, config) => {
    const next = await rotateSigningKeyWhenDue(db, seal, now(), config.SIGNING_KEY_AGE_DAYS_MAX);
    if (next !== undefined) log.info(next, 'the next signing key is published');
  },
};
