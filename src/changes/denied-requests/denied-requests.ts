// Batches the denied requests of this process and counts them in the database in the background: a denied request
// neither waits for the database nor fails with it. The number of entries in memory and of statements per second is
// bounded.
import { apiErrorFrom } from '../../database/failures.js';
import type { Database } from '../../database/open.js';
import { otherReadsMessage, deniedRequestIdentity } from './denied-request.js';
import type { DeniedRequest } from './denied-request.js';
import { countDeniedRequests, recordDeniedRequests } from './denied-request-rows.js';
import type { CountedDeniedRequest } from './denied-request-rows.js';

export interface DeniedRequests {
  /** Adds a denied request to the batch. It never waits and never fails. */
  note: (denied: DeniedRequest) => void;
  /** Writes the current batch. */
  settle: () => Promise<void>;
  /** Writes the last batch and stops. */
  close: () => Promise<void>;
}

interface DeniedRequestSettings {
  db: Database;
  now: () => Date;
  onFailure: (error: unknown) => void;
}

/** How long denied requests are batched (milliseconds). */
const batchMs = 500;

/** The delay before another attempt after a failure (milliseconds). */
const retryMs = 5_000;

/**
 * The maximum number of distinct entries in memory, for denied requests and for reads of secrets each. Anyone can cause
 * denied requests without an account, so fewer of those are kept.
 */
const batchedMax = 1_000;
const unplacedMax = 300;

const manySecrets = { name: 'secrets', message: otherReadsMessage };

export function createDeniedRequests({ db, now, onFailure }: DeniedRequestSettings): DeniedRequests {
  let batched = new Map<string, CountedDeniedRequest>();
  let unplaced = 0;
  let reads = 0;
  let timer: NodeJS.Timeout | undefined;
  let settling: Promise<void> | undefined;
  let isClosed = false;

  function keep(denied: CountedDeniedRequest): void {
    const { of, count } = denied;
    const key = `${of.by} ${of.value} ${deniedRequestIdentity(denied)}`;
    const known = batched.get(key);
    if (known !== undefined) {
      Object.assign(known, denied, { count: known.count + count, firstAt: known.firstAt });
      return;
    }
    if (denied.verb === 'read') {
      // No read of a secret is lost: reads above the limit are counted in one entry.
      if (reads >= batchedMax && denied.name !== manySecrets.name) return keep({ ...denied, ...manySecrets });
      reads++;
    } else {
      const isPlaced = of.by === 'account';
      if (batched.size - reads >= batchedMax || (!isPlaced && unplaced >= unplacedMax)) return;
      if (!isPlaced) unplaced++;
    }
    batched.set(key, denied);
  }

  function later(ms: number): void {
    if (!isClosed) timer ??= setTimeout(() => void settle(), ms).unref();
  }

  async function countAll(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const deniedRequests = [...batched.values()];
    batched = new Map();
    unplaced = 0;
    reads = 0;
    if (deniedRequests.length === 0) return;
    const due = new Set(await count(deniedRequests));
    // If this fails, the background task records them.
    for (const accountId of due) await recordDeniedRequests(db, accountId, now()).catch(onFailure);
  }

  /** Counts them in halves if the database rejects one of them, so that only this one is dropped. */
  async function count(deniedRequests: readonly CountedDeniedRequest[]): Promise<string[]> {
    try {
      return await countDeniedRequests(db, deniedRequests, now());
    } catch (error) {
      const middle = Math.floor(deniedRequests.length / 2);
      if (!isAway(error) && middle > 0) {
        return [...(await count(deniedRequests.slice(0, middle))), ...(await count(deniedRequests.slice(middle)))];
      }
      onFailure(error);
      // If the database is reachable, another attempt would fail in the same way.
      if (!isAway(error)) return [];
      deniedRequests.forEach(keep);
      later(retryMs);
      return [];
    }
  }

  function settle(): Promise<void> {
    settling ??= countAll().finally(() => {
      settling = undefined;
      if (batched.size > 0) later(batchMs);
    });
    return settling;
  }

  return {
    note: (denied) => {
      const at = now();
      keep({ ...denied, count: 1, firstAt: at, lastAt: at });
      if (settling === undefined) later(batchMs);
    },
    settle: async () => {
      await settling;
      await settle();
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await settling;
      await settle();
    },
  };
}

function isAway(error: unknown): boolean {
  const { status } = apiErrorFrom(error);
  return status === 503 || status === 504;
}
