// The databases that tests run on. Programs started by tests do not know, because only Vitest provides it.
import { inject } from 'vitest';

export const isCluster = process.env['TEST_CITUS_URL'] !== undefined;
/** Whether they are in the process of each test. */
export const isEmbedded = 'folder' in inject('template') && !isCluster;
