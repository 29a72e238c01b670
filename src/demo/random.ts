// Chance that is the same every time: the demo data, and the benchmarks that grow from it, never change.
import { createHash } from 'node:crypto';

export interface Random {
  /** A whole number from 0 up to, and without, the bound. */
  below: (bound: number) => number;
  /** One of the items. */
  pick: <const Item>(items: readonly [Item, ...Item[]]) => Item;
  /** True so many times in a hundred. */
  percent: (share: number) => boolean;
}

/** A 32-bit xorshift generator, started from a hash of a text. */
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

/** The id of whatever has this name: the same in every database. */
export function idOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
