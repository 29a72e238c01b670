// A separate process that exits abruptly before its n-th statement. Run by tests that check its effects.
import { readConfig } from '../src/config.js';
import { openContext } from '../src/http/open-context.js';
import type { ServiceContext } from '../src/http/open-context.js';
import { openDatabase } from '../src/database/open.js';
import type { OpenDatabase } from '../src/database/open.js';
import type { Services } from '../src/server/services.js';
import { createLog, createServices } from '../src/server/create-services.js';

export interface MortalProcess {
  ctx: ServiceContext;
  services: Services;
  database: OpenDatabase;
  /** Allows so many more statements; with a half, the next one is executed and its response is lost. */
  dieAfter: (statements: number) => void;
}

/** Opens the database of the environment as the owner of a key, until it is told to exit. */
export async function openMortalProcess(key: string): Promise<MortalProcess> {
  const config = readConfig({ ...process.env, LOG_LEVEL: 'silent' });
  let left = Number.POSITIVE_INFINITY;
  let leftDone = Number.POSITIVE_INFINITY;
  const die = () => process.kill(process.pid, 'SIGKILL');
  const database = await openDatabase(config, {
    onStatement: () => {
      if (--left < 0) die();
    },
  });
  const services = createServices(config, database, () => new Date(), createLog('silent'));
  // The services have started to measure, so this replaces their listener.
  database.watch(() => {
    if (--leftDone < 0) die();
  });
  const ctx = await openContext(services, { authorization: `Bearer ${key}` }, 'test');
  return {
    ctx,
    services,
    database,
    dieAfter: (statements) => {
      const isWhole = Number.isInteger(statements) || statements === Number.POSITIVE_INFINITY;
      left = isWhole ? statements : Number.POSITIVE_INFINITY;
      leftDone = isWhole ? Number.POSITIVE_INFINITY : Math.floor(statements);
    },
  };
}
