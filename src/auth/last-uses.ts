import type { Database } from '../database/open.js';

/** How long uses of keys are batched before they are stored (ms). */
const delayMs = 250;

/** Records the last uses of API keys. */
export interface LastUses {
  /** Notes a use. Requests do not wait for it. @param id the id of the key. */
  note: (id: string) => void;
  /** Stores the noted uses. */
  close: () => Promise<void>;
}

/** @param db the database for background tasks: storing takes no connection from requests. */
export function createLastUses(db: Database, now: () => Date, onFailure: (error: unknown) => void): LastUses {
  const used = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let storing = Promise.resolve();

  async function store(): Promise<void> {
    timer = undefined;
    const ids = [...used];
    used.clear();
    if (ids.length === 0) return;
    await db.apiKey.updateMany({ where: { id: { in: ids } }, data: { lastUsedAt: now() } }).catch(onFailure);
  }

  function storeNext(): Promise<void> {
    clearTimeout(timer);
    storing = storing.then(store);
    return storing;
  }

  return {
    note: (id) => {
      used.add(id);
      timer ??= setTimeout(() => void storeNext(), delayMs).unref();
    },
    close: storeNext,
  };
}
