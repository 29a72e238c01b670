import type { Change } from './change.js';

const changesMax = 1_000;
const lengthMax = 8 * 1024 * 1024;

/** The newest changes of an account, kept in memory once for all watchers of this process; bounded in size. */
export class RecentChanges {
  private changes: Change[] = [];
  private lengths: number[] = [];
  private length = 0;

  private last: number;

  /** @param start the sequence number after which changes are kept. */
  constructor(private start: number) {
    this.last = start;
  }

  /** The number up to which changes have been added. */
  get end(): number {
    return this.last;
  }

  /** @param length the approximate length of all of them as text. */
  add(changes: readonly Change[], length: number): void {
    const each = Math.ceil(length / Math.max(1, changes.length));
    for (const change of changes) {
      this.changes.push(change);
      this.lengths.push(each);
      this.last = change.sequence;
    }
    this.length += each * changes.length;
    while (this.changes.length > changesMax || (this.length > lengthMax && this.changes.length > 0)) {
      this.start = this.changes.shift()?.sequence ?? this.start;
      this.length -= this.lengths.shift() ?? 0;
    }
  }

  /**
   * The first change after a number; undefined if there is none yet, or if it was dropped from memory (see `isGone`).
   */
  after(sequence: number): Change | undefined {
    if (this.isGone(sequence)) return undefined;
    let low = 0;
    let high = this.changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.changes[middle]?.sequence ?? 0) > sequence) high = middle;
      else low = middle + 1;
    }
    return this.changes[low];
  }

  /** Whether the change right after this number was dropped from memory. */
  isGone(sequence: number): boolean {
    return sequence < this.start;
  }
}
