import { afterEach, describe, expect, it, vi } from 'vitest';
import { Prisma } from '../../src/database/client/client.js';
import { createReadReplica } from '../../src/database/read-replica.js';
import type { ReadReplica, WalPosition } from '../../src/database/read-replica.js';
import { Reads } from '../../src/database/reads.js';

const statement = Prisma.sql`SELECT 1`;

let replica: ReadReplica | undefined;

afterEach(() => {
  replica?.close();
  vi.useRealTimers();
});

function aReplica(staleMsMax = 5_000) {
  vi.useFakeTimers();
  const at = {
    primary: { system: '1', database: '5', isReplica: false, position: 100n } satisfies WalPosition as WalPosition,
    replica: { system: '1', database: '5', isReplica: true, position: 100n } satisfies WalPosition as WalPosition,
    isAway: false,
    answer: async () => at.replica,
    read: async () => 'of the replica',
    told: [] as (string | undefined)[],
  };
  replica = createReadReplica({
    primary: async () => at.primary,
    replica: async () => {
      if (at.isAway) throw new Error('away');
      return at.answer();
    },
    readText: () => at.read(),
    staleMsMax,
    onTurn: (problem) => at.told.push(problem),
  });
  return { at, replica };
}

describe('A read replica', () => {
  it('is used when it is known to be fresh, which is logged', async () => {
    const { at, replica } = aReplica();
    expect(replica.readerFor(['a'])).toBeUndefined();
    expect(await replica.look()).toBeUndefined();
    expect(await replica.readerFor(['a'])?.(statement)).toBe('of the replica');
    expect(at.told).toEqual([undefined]);
  });

  it.each([
    ['a server that takes changes', { isReplica: false }, 'it is no replica'],
    ['a replica of another server', { system: '2' }, 'it is a replica of another database'],
    ['another database of the same server', { database: '6' }, 'it is a replica of another database'],
  ])('is not used when it is %s', async (_, other, reason) => {
    const { at, replica } = aReplica();
    await replica.look();
    at.replica = { ...at.replica, ...other };
    expect(await replica.look()).toBe(reason);
    expect(replica.readerFor(['a'])).toBeUndefined();
  });

  it('is not used while the primary itself is a replica', async () => {
    const { at, replica } = aReplica();
    at.primary = { ...at.primary, isReplica: true };
    expect(await replica.look()).toBe('the database itself is read-only');
  });

  it('has the age of the last replayed transaction of the primary, and is not used above the limit', async () => {
    const { at, replica } = aReplica(1_000);
    await replica.look();
    at.primary = { ...at.primary, position: 200n };
    vi.advanceTimersByTime(600);
    expect(await replica.look()).toBeUndefined();
    expect(replica.behindMs()).toBe(600);
    vi.advanceTimersByTime(500);
    expect(replica.readerFor(['a'])).toBeUndefined();
    expect(await replica.look()).toBe('it is too far behind');
    at.replica = { ...at.replica, position: 200n };
    expect(await replica.look()).toBeUndefined();
    expect(replica.behindMs()).toBe(0);
  });

  it('is fresh while nothing is written', async () => {
    const { replica } = aReplica(1_000);
    for (let second = 0; second < 10; second++) {
      vi.advanceTimersByTime(1_000);
      expect(await replica.look()).toBeUndefined();
    }
    expect(replica.readerFor(['a'])).toBeDefined();
  });

  it('is not used after a write until it contains it, except by other callers', async () => {
    const { at, replica } = aReplica();
    await replica.look();
    vi.advanceTimersByTime(10);
    replica.wrote(['a']);
    at.primary = { ...at.primary, position: 200n };
    expect(replica.readerFor(['a'])).toBeUndefined();
    expect(replica.readerFor(['b', 'a'])).toBeUndefined();
    expect(replica.readerFor(['b'])).toBeDefined();
    vi.advanceTimersByTime(10);
    await replica.look();
    expect(replica.readerFor(['a'])).toBeUndefined();
    at.replica = { ...at.replica, position: 200n };
    vi.advanceTimersByTime(10);
    await replica.look();
    expect(replica.readerFor(['a'])).toBeDefined();
  });

  it('is checked periodically after the first read', async () => {
    const { at, replica } = aReplica();
    at.isAway = true;
    replica.readerFor(['a']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(replica.readerFor(['a'])).toBeUndefined();
    at.isAway = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(replica.readerFor(['a'])).toBeDefined();
    expect(at.told).toEqual(['it does not answer', undefined]);
  });

  it('is reported unavailable soon if it does not respond', async () => {
    const { at, replica } = aReplica();
    await replica.look();
    vi.useRealTimers();
    at.answer = () => new Promise(() => {});
    expect(await replica.look()).toBe('it does not answer');
    expect(at.told).toEqual([undefined]);
  });

  it('cancels its reads as soon as it is known to be unavailable', async () => {
    const { at, replica } = aReplica();
    await replica.look();
    at.read = () => new Promise<string>(() => {});
    const asked = replica.readerFor(['a'])?.(statement);
    at.isAway = true;
    void replica.look();
    await expect(asked).rejects.toThrow('it does not answer');
  });
});

describe('The reads of a request', () => {
  const primary = { $text: async () => 'of the primary' };

  it('use the primary without a replica', async () => {
    expect(await new Reads(primary).$text(statement)).toBe('of the primary');
  });

  it('use the replica until it fails, and then the primary', async () => {
    let isAway = false;
    const reads = new Reads(primary, () => async () => {
      if (isAway) throw new Error('away');
      return 'of the replica';
    });
    expect(await reads.$text(statement)).toBe('of the replica');
    isAway = true;
    expect(await reads.$text(statement)).toBe('of the primary');
    isAway = false;
    expect(await reads.$text(statement)).toBe('of the primary');
    expect(reads.isOfReplica).toBe(false);
  });

  it('are not repeated on the primary after a timeout', async () => {
    const reads = new Reads(primary, () => async () => {
      throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    });
    await expect(reads.$text(statement)).rejects.toThrow('timeout');
  });
});
