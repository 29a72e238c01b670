// A process of its own that ends without a word before its n-th statement. Run by tests that look at what it left.
import { readConfig } from '../src/config.js';
import { openContext } from '../src/access/open-context.js';
import type { RequestContext } from '../src/access/context.js';
import { openDatabase } from '../src/database/open.js';
import type { OpenDatabase } from '../src/database/open.js';
import type { Services } from '../src/process/services.js';
import { createLog, createServices } from '../src/process/create-services.js';

export interface MortalProcess {
  ctx: RequestContext;
  services: Services;
  database: OpenDatabase;
  /** Lets so many more statements begin. */
  dieAfter: (statements: number) => void;
}

/** Opens the database of the environment as the owner of a key; it lives until it is told to die. */
export async function openMortalProcess(key: string): Promise<MortalProcess> {
  const config = readConfig({ ...process.env, LOG_LEVEL: 'silent' });
  let left = Number.POSITIVE_INFINITY;
  const database = await openDatabase(config, {
    onStatement: () => {
      if (--left < 0) process.kill(process.pid, 'SIGKILL');
    },
  });
  const services = createServices(config, database, () => new Date(), createLog('silent'));
  const ctx = await openContext(services, { authorization: `Bearer ${key}` }, 'test');
  return {
    ctx,
    services,
    database,
    dieAfter: (statements) => {
      left = statements;
    },
  };
}
