// Batches the denied requests of this process and counts them in the database in the background: a denied request
// neither waits for the database nor fails with it. The number of entries in memory and of statements per second is
// bounded.
import { apiErrorFrom } from '../../database/failures.js';
import type { Database } from '../../database/open.js';
import { otherReadsMessage, refusalIdentity } from './refusal.js';
import type { Refusal } from './refusal.js';
import { countRefusals, tellOfRefusals } from './refusal-rows.js';
import type { CountedRefusal } from './refusal-rows.js';

export interface Refusals {
  /** Adds a denied request to the batch. It never waits and never fails. */
  note: (refusal: Refusal) => void;
  /** Writes the current batch. */
  settle: () => Promise<void>;
  /** Writes the last batch and stops. */
  close: () => Promise<void>;
}

interface RefusalSettings {
  db: Database;
  now: () => Date;
  onFailure: (error: unknown) => void;
}

/** How long denied requests are batched (milliseconds). */
const gatherMs = 500;

/** The delay before another attempt after a failure (milliseconds). */
const retryMs = 5_000;

/**
 * The maximum number of distinct entries in memory, for denied requests and for reads of secrets each. Anyone can cause
 * denied requests without an account, so fewer of those are kept.
 */
const gatheredMax = 1_000;
const unplacedMax = 300;

const manySecrets = { name: 'secrets', message: otherReadsMessage };

export function createRefusals({ db, now, onFailure }: RefusalSettings): Refusals {
  let gathered = new Map<string, CountedRefusal>();
  let unplaced = 0;
  let reads = 0;
  let timer: NodeJS.Timeout | undefined;
  let settling: Promise<void> | undefined;
  let isClosed = false;

  function keep(refusal: CountedRefusal): void {
    const { of, count } = refusal;
    const key = `${of.by} ${of.value} ${refusalIdentity(refusal)}`;
    const known = gathered.get(key);
    if (known !== undefined) {
      Object.assign(known, refusal, { count: known.count + count, firstAt: known.firstAt });
      return;
    }
    if (refusal.verb === 'read') {
      // No read of a secret is lost: reads above the limit are counted in one entry.
      if (reads >= gatheredMax && refusal.name !== manySecrets.name) return keep({ ...refusal, ...manySecrets });
      reads++;
    } else {
      const isPlaced = of.by === 'account';
      if (gathered.size - reads >= gatheredMax || (!isPlaced && unplaced >= unplacedMax)) return;
      if (!isPlaced) unplaced++;
    }
    gathered.set(key, refusal);
  }

  function later(ms: number): void {
    if (!isClosed) timer ??= setTimeout(() => void settle(), ms).unref();
  }

  async function countAll(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const refusals = [...gathered.values()];
    gathered = new Map();
    unplaced = 0;
    reads = 0;
    if (refusals.length === 0) return;
    let due: string[] = [];
    try {
      due = await countRefusals(db, refusals, now());
    } catch (error) {
      onFailure(error);
      // If the database is reachable, another attempt would fail in the same way.
      if (!isAway(error)) return;
      refusals.forEach(keep);
      later(retryMs);
    }
    // If this fails, the background task records them.
    for (const accountId of due) await tellOfRefusals(db, accountId, now()).catch(onFailure);
  }

  function settle(): Promise<void> {
    settling ??= countAll().finally(() => {
      settling = undefined;
      if (gathered.size > 0) later(gatherMs);
    });
    return settling;
  }

  return {
    note: (refusal) => {
      const at = now();
      keep({ ...refusal, count: 1, firstAt: at, lastAt: at });
      if (settling === undefined) later(gatherMs);
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
