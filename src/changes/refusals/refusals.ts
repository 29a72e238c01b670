// Gathers what is refused in this process, and counts it in the database by itself: whoever is refused waits for nothing
// of it, and notices nothing when it fails. What is gathered is bounded, and so is what is done about it in a second.
import { apiErrorFrom } from '../../database/failures.js';
import type { Database } from '../../database/open.js';
import { otherReadsMessage, refusalKey } from './refusal.js';
import type { Refusal } from './refusal.js';
import { countRefusals, tellOfRefusals } from './refusal-rows.js';
import type { CountedRefusal } from './refusal-rows.js';

export interface Refusals {
  /** Takes note of a refusal, at once and whatever happens. */
  note: (refusal: Refusal) => void;
  /** Counts what was noted until now. */
  settle: () => Promise<void>;
  /** Settles for the last time. */
  close: () => Promise<void>;
}

interface RefusalSettings {
  db: Database;
  now: () => Date;
  onFailure: (error: unknown) => void;
}

/** How long refusals are gathered. */
const gatherMs = 500;

/** How long is waited when they could not be counted. */
const retryMs = 5_000;

/**
 * Distinct entries that are kept in memory, for denied requests and for reads of secrets each. Anybody can cause denied requests
 * whose account is not known yet, so fewer of those are kept.
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
    const { of, count, lastAt } = refusal;
    const key = `${of.by} ${of.value} ${refusalKey(refusal)}`;
    const known = gathered.get(key);
    if (known !== undefined) {
      gathered.set(key, { ...refusal, count: known.count + count, firstAt: known.firstAt, lastAt });
      return;
    }
    if (refusal.verb === 'read') {
      // No read of a secret is lost: those that are too many are counted together.
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
      // What the database did not take for any other reason it will not take the next time either.
      if (!isAway(error)) return;
      refusals.forEach(keep);
      later(retryMs);
    }
    // What is not told now, upkeep tells.
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
