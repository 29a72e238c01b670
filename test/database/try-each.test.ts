import { describe, expect, it } from 'vitest';
import { tryEach } from '../../src/database/try-each.js';

describe('Items that are handled one after the other', () => {
  it('are all tried, and the failures are thrown at the end', async () => {
    const tried: number[] = [];
    const handling = tryEach([1, 2, 3], async (item) => {
      tried.push(item);
      if (item < 3) throw new Error(`item ${item} is locked`);
    });
    const failures = ['item 1 is locked', 'item 2 is locked'].map((message) => expect.objectContaining({ message }));
    await expect(handling).rejects.toMatchObject({ message: '2 of 3 failed', errors: failures });
    expect(tried).toEqual([1, 2, 3]);
  });

  it('keep the first ten failures, each with its stack', async () => {
    const handling = tryEach(Array.from({ length: 100 }).keys(), async () => Promise.reject(new Error('locked')));
    await expect(handling).rejects.toMatchObject({ message: '100 of 100 failed', errors: { length: 10 } });
  });

  it('can be read while they are handled', async () => {
    const tried: number[] = [];
    async function* read() {
      yield 1;
      yield tried.length + 1;
    }
    await tryEach(read(), async (item) => tried.push(item));
    expect(tried).toEqual([1, 2]);
  });

  it('are left out when the process stops', async () => {
    const stopping = new AbortController();
    const tried: number[] = [];
    await tryEach(
      [1, 2],
      async (item) => {
        tried.push(item);
        stopping.abort();
      },
      { stopping: stopping.signal },
    );
    expect(tried).toEqual([1]);
  });
});
