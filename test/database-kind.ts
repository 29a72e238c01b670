// Which databases tests run on. Programs that tests start do not know: only Vitest tells.
import { inject } from 'vitest';

export const isCluster = process.env['TEST_CITUS_URL'] !== undefined;
/** Whether they are in the process of each test. */
export const isEmbedded = 'folder' in inject('template') && !isCluster;
