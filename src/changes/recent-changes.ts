import type { Change } from './change.js';

const changesMax = 1_000;
const lengthMax = 8 * 1024 * 1024;

/** The newest changes of an account, which all who watch it in this process read from: bounded, and held once. */
export class RecentChanges {
  private changes: Change[] = [];
  private lengths: number[] = [];
  private length = 0;

  private last: number;

  /** @param start the number after which changes are added, and held from. */
  constructor(private start: number) {
    this.last = start;
  }

  /** Up to which number changes have been added. */
  get end(): number {
    return this.last;
  }

  /** @param length of all of them together as text, about. */
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

  /** The first change after a number; undefined when there is none yet, or it is held no more: `isGone` tells. */
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

  /** Whether what came right after this number is held no more. */
  isGone(sequence: number): boolean {
    return sequence < this.start;
  }
}
