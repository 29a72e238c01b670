// Deterministic random numbers, so that the demo data and the benchmarks based on it never change.
import { createHash } from 'node:crypto';

export interface Random {
  /** An integer from 0 to the bound (exclusive). */
  below: (bound: number) => number;
  /** A random item. */
  pick: <const Item>(items: readonly [Item, ...Item[]]) => Item;
  /** True with this probability (percent). */
  percent: (share: number) => boolean;
}

/** A 32-bit xorshift generator, seeded with the hash of a text. */
export function createRandom(seed: string): Random {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0) | 1;
  const below = (bound: number): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
  return {
    below,
    pick: (items) => items[below(items.length)] ?? items[0],
    percent: (share) => below(100) < share,
  };
}

/** The id for a name: the same in every database. */
export function idOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
