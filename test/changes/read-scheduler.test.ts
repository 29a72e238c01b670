// The schedule of reads for watched accounts: immediately, but not more often than the interval.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ReadScheduler } from '../../src/changes/read-scheduler.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The reads and their times; `more` are accounts that report once that they may have more. */
function turnsOf({ followers = 1, more = new Set<string>(), failures = 0, readMs = 0 } = {}) {
  const startMs = performance.now();
  const read: { atMs: number; accountIds: readonly string[] }[] = [];
  const failed: unknown[] = [];
  const turns = new ReadScheduler({
    read: async (accountIds) => {
      read.push({ atMs: Math.round(performance.now() - startMs), accountIds });
      if (readMs > 0) await new Promise((resolve) => setTimeout(resolve, readMs));
      if (read.length <= failures) throw new Error('the database is away');
      return accountIds.filter((accountId) => more.delete(accountId));
    },
    followersOf: () => followers,
    onFailure: (error) => failed.push(error),
  });
  return { turns, read, failed };
}

describe('A watched account', () => {
  it('is read immediately after a quiet time, and soon after that together with later changes', async () => {
    const { turns, read } = turnsOf();
    for (let ms = 0; ms < 60; ms += 5) {
      turns.wake('a');
      await vi.advanceTimersByTimeAsync(5);
    }
    await vi.advanceTimersByTimeAsync(500);
    expect(read.map(({ atMs }) => atMs)).toEqual([0, 30, 60]);
    turns.wake('a');
    expect(read).toHaveLength(4);
  });

  it.each([
    [2_000, 40],
    [1_000_000, 50],
  ])('pauses longer with %i subscribers, for %i ms', async (followers, restMs) => {
    const { turns, read } = turnsOf({ followers });
    turns.wake('a');
    await vi.advanceTimersByTimeAsync(1);
    turns.wake('a');
    await vi.advanceTimersByTimeAsync(500);
    expect(read.map(({ atMs }) => atMs)).toEqual([0, restMs]);
  });

  it('does not wait for the pause of another account', async () => {
    const { turns, read } = turnsOf();
    turns.wake('busy');
    await vi.advanceTimersByTimeAsync(2);
    turns.wake('busy');
    turns.wake('quiet');
    await vi.advanceTimersByTimeAsync(500);
    expect(read).toEqual([
      { atMs: 0, accountIds: ['busy'] },
      { atMs: 2, accountIds: ['quiet'] },
      { atMs: 30, accountIds: ['busy'] },
    ]);
  });

  it('is read again immediately while more changes remain', async () => {
    const { turns, read } = turnsOf({ more: new Set(['a']) });
    turns.wake('a');
    await vi.advanceTimersByTimeAsync(5);
    expect(read.map(({ atMs }) => atMs)).toEqual([0, 0]);
  });

  it('is read once more if it is notified during a read, however long that takes', async () => {
    const { turns, read } = turnsOf({ readMs: 100 });
    turns.wake('a');
    await vi.advanceTimersByTimeAsync(50);
    turns.wake('a');
    turns.wake('b');
    await vi.advanceTimersByTimeAsync(500);
    expect(read).toEqual([
      { atMs: 0, accountIds: ['a'] },
      { atMs: 100, accountIds: ['a', 'b'] },
    ]);
  });

  it('is read on notification after a failed read', async () => {
    const { turns, read, failed } = turnsOf({ failures: 1 });
    turns.wake('a');
    await vi.advanceTimersByTimeAsync(100);
    expect(failed).toHaveLength(1);
    turns.wake('a');
    await vi.advanceTimersByTimeAsync(0);
    expect(read).toHaveLength(2);
  });

  it('is read after its pause also if the timer fires a fraction of a millisecond early', async () => {
    const { turns, read } = turnsOf();
    await vi.advanceTimersByTimeAsync(0.5);
    turns.wake('a');
    await vi.advanceTimersByTimeAsync(0.5);
    turns.wake('a');
    await vi.advanceTimersByTimeAsync(100);
    expect(read).toHaveLength(2);
  });

  it('is no longer read without subscribers', async () => {
    const { turns, read } = turnsOf();
    turns.wake('a');
    await vi.advanceTimersByTimeAsync(1);
    turns.wake('a');
    turns.forget('a');
    await vi.advanceTimersByTimeAsync(500);
    expect(read).toHaveLength(1);
  });
});
