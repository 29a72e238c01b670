import { describe, expect, it } from 'vitest';
import { runAll } from '../../../src/console/web/lists/run-all.js';
import type { Progress } from '../../../src/console/web/lists/run-all.js';

const items = Array.from({ length: 20 }, (_none, index) => index);

describe('A bulk action', () => {
  it('runs a few requests at a time, and reports each failure with its reason', async () => {
    let running = 0;
    let most = 0;
    const told: Progress<number>[] = [];
    const progress = await runAll(
      items,
      async (item) => {
        most = Math.max(most, ++running);
        await Promise.resolve();
        running--;
        return item % 5 === 0 ? `${item} is in use` : undefined;
      },
      (next) => told.push(next),
    );
    expect(most).toBe(4);
    expect(progress.failed.map(({ why }) => why)).toEqual([
      '0 is in use',
      '5 is in use',
      '10 is in use',
      '15 is in use',
    ]);
    expect([...progress.done, ...progress.failed.map(({ item }) => item)].toSorted((a, b) => a - b)).toEqual(items);
    expect(told.at(-1)).toEqual(progress);
    expect(told.filter(({ isOver }) => isOver)).toHaveLength(1);
  });

  it('starts no further requests after it is stopped', async () => {
    const stop = new AbortController();
    const begun: number[] = [];
    const progress = await runAll(
      items,
      async (item) => {
        begun.push(item);
        if (item === 5) stop.abort();
        await Promise.resolve();
        return undefined;
      },
      () => {},
      stop.signal,
    );
    expect(progress).toMatchObject({ isOver: true, done: begun });
    expect(begun.length).toBeLessThan(items.length);
  });
});
