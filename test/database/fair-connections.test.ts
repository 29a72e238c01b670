import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Prisma } from '../../src/database/client/client.js';
import { createFairConnections, fairReplica } from '../../src/database/fair-connections.js';
import type { DatabaseUser } from '../../src/database/fair-connections.js';
import type { ReadReplica, ReadText } from '../../src/database/read-replica.js';
import { Reads } from '../../src/database/reads.js';
import type { ConnectionShare } from '../../src/database/server-pools.js';

const pool = (share: ConnectionShare['share'], max: number): ConnectionShare => ({ share, max, inUse: 0, waiting: 0 });
const aloneMsMax = 10_000;
const refusal = expect.objectContaining({ error: 'unavailable', status: 503 });

function user(account: string, onWait: DatabaseUser['onWait'] = () => () => {}): DatabaseUser {
  return { account, credential: account, onWait };
}

/** An action that hangs until it is told to end or to fail. */
function hanging() {
  let end = () => {};
  let fail = (_error: Error) => {};
  const promise = new Promise<string>((resolve, reject) => {
    end = () => resolve('done');
    fail = reject;
  });
  return { act: vi.fn<() => Promise<string>>(() => promise), end, fail };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('The connections of a pool', () => {
  it('are left to other accounts while the statements of one hang', async () => {
    const fair = createFairConnections([pool('reads', 5), pool('writes', 5)], aloneMsMax);
    const { act, end } = hanging();
    const hung = Array.from({ length: 10 }, () => fair.turnOf(user('stuck'), 'reads')(act));
    await vi.advanceTimersByTimeAsync(0);
    expect(act).toHaveBeenCalledTimes(3);
    expect(fair.withWaiting([pool('reads', 5)])).toEqual([{ ...pool('reads', 5), waiting: 7 }]);
    for (const account of ['b', 'c']) {
      await expect(fair.turnOf(user(account), 'reads')(async () => account)).resolves.toBe(account);
    }
    await expect(fair.turnOf(user('stuck'), 'writes')(async () => 'other pool')).resolves.toBe('other pool');
    end();
    await expect(Promise.all(hung)).resolves.toHaveLength(10);
  });

  it('are waited for as long as a new connection would be, then the statement is refused with 503', async () => {
    const fair = createFairConnections([pool('writes', 2)], aloneMsMax);
    const turn = fair.turnOf(user('stuck'), 'writes');
    const { act, end } = hanging();
    const first = turn(act);
    const second = turn(act);
    second.catch(() => {});
    await vi.advanceTimersByTimeAsync(3_000);
    await expect(second).rejects.toEqual(refusal);
    end();
    await expect(first).resolves.toBe('done');
    await expect(turn(async () => 'next')).resolves.toBe('next');
  });

  it('run no reads of a request whose client has gone away, but its writes', async () => {
    const fair = createFairConnections([pool('reads', 2), pool('writes', 2)], aloneMsMax);
    let isGone = false;
    const abandoned = { ...user('a'), isGone: () => isGone };
    const { act, end } = hanging();
    const first = fair.turnOf(abandoned, 'reads')(act);
    const waiting = vi.fn<() => Promise<string>>(async () => 'read');
    const second = fair.turnOf(abandoned, 'reads')(waiting);
    second.catch(() => {});
    await vi.advanceTimersByTimeAsync(0);
    isGone = true;
    end();
    await expect(first).resolves.toBe('done');
    await expect(second).rejects.toEqual(refusal);
    expect(waiting).not.toHaveBeenCalled();
    await expect(fair.turnOf(abandoned, 'writes')(async () => 'written')).resolves.toBe('written');
    await expect(fair.turnOf(user('a'), 'reads')(async () => 'of the next')).resolves.toBe('of the next');
  });

  it('are waited for by at most half of the queue of one account, and by others', async () => {
    const fair = createFairConnections([pool('writes', 2)], aloneMsMax);
    const { act, end } = hanging();
    const asked = Array.from({ length: 40 }, () => fair.turnOf(user('stuck'), 'writes')(act));
    const outcomes = Promise.allSettled(asked);
    expect(fair.withWaiting([pool('writes', 2)])[0]?.waiting).toBe(32);
    const quiet = Array.from({ length: 3 }, () => fair.turnOf(user('quiet'), 'writes')(async () => 'quiet'));
    await expect(Promise.all(quiet)).resolves.toHaveLength(3);
    end();
    expect((await outcomes).filter(({ status }) => status === 'rejected')).toHaveLength(7);
  });

  it('tell the request when it has waited for a tenth of a second, and when the wait is over', async () => {
    const fair = createFairConnections([pool('reads', 1)], aloneMsMax);
    const onEnd = vi.fn<() => void>();
    const onWait = vi.fn<() => () => void>(() => onEnd);
    const turn = fair.turnOf(user('a', onWait), 'reads');
    await turn(async () => 'short');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(onWait).not.toHaveBeenCalled();
    const { act, end } = hanging();
    const long = turn(act);
    await vi.advanceTimersByTimeAsync(100);
    expect(onWait).toHaveBeenCalledTimes(1);
    expect(onEnd).not.toHaveBeenCalled();
    end();
    await long;
    expect(onEnd).toHaveBeenCalledTimes(1);
  });
});

describe('An action that runs alone', () => {
  it('waits for those before it of the same key, and for no other', async () => {
    const fair = createFairConnections([pool('reads', 5)], aloneMsMax);
    const order: string[] = [];
    const { act, end } = hanging();
    const first = fair.aloneOf(user('a'))('a', act);
    const later = ['second', 'third'].map((name) => fair.aloneOf(user('a'))('a', async () => order.push(name)));
    await expect(fair.aloneOf(user('b'))('b', async () => 'of another')).resolves.toBe('of another');
    expect(order).toEqual([]);
    end();
    await Promise.all([first, ...later]);
    expect(order).toEqual(['second', 'third']);
  });

  it('is refused with 503 after the time of a statement, and a failed one lets the next run', async () => {
    const fair = createFairConnections([pool('reads', 5)], aloneMsMax);
    const { act, fail } = hanging();
    const failing = fair.aloneOf(user('a'))('a', act);
    failing.catch(() => {});
    const late = fair.aloneOf(user('a'))('a', async () => 'late');
    late.catch(() => {});
    await vi.advanceTimersByTimeAsync(aloneMsMax);
    await expect(late).rejects.toEqual(refusal);
    const next = fair.aloneOf(user('a'))('a', async () => 'next');
    fail(new Error('lost'));
    await expect(failing).rejects.toThrow('lost');
    await expect(next).resolves.toBe('next');
  });

  it('does not run if its client has gone away meanwhile', async () => {
    const fair = createFairConnections([pool('reads', 5)], aloneMsMax);
    const { act, end } = hanging();
    const first = fair.aloneOf(user('a'))('a', act);
    const abandoned = vi.fn<() => Promise<string>>(async () => 'unread');
    let isGone = false;
    const second = fair.aloneOf({ ...user('a'), isGone: () => isGone })('a', abandoned);
    second.catch(() => {});
    isGone = true;
    end();
    await first;
    await expect(second).rejects.toThrow('The client closed the connection.');
    expect(abandoned).not.toHaveBeenCalled();
  });
});

describe('A replica', () => {
  const statement = Prisma.sql`SELECT 1`;

  function replicaThat(read: () => ReadText | undefined): ReadReplica {
    return { readerFor: read, wrote: () => {}, look: async () => undefined, behindMs: () => 0, close: () => {} };
  }

  it('serves other accounts while the statements of one hang', async () => {
    const fair = createFairConnections([pool('replica', 10)], aloneMsMax);
    const { act, end } = hanging();
    const replica = replicaThat(() => act);
    const readAs = (account: string, of = replica) =>
      fairReplica(of, fair.turnOf(user(account), 'replica')).readerFor([account])?.(statement);
    const hung = Array.from({ length: 20 }, () => readAs('stuck'));
    const answers = replicaThat(() => async () => 'read');
    await expect(readAs('quiet', answers)).resolves.toBe('read');
    expect(act).toHaveBeenCalledTimes(5);
    end();
    await Promise.all(hung);
  });

  it('that fails while statements wait for it hands them to the primary', async () => {
    const fair = createFairConnections([pool('replica', 1)], aloneMsMax);
    let isUsed = true;
    const { act, fail } = hanging();
    const replica = fairReplica(
      replicaThat(() => (isUsed ? act : undefined)),
      fair.turnOf(user('a'), 'replica'),
    );
    const primary = { $text: async () => 'of the primary' };
    const read = () => new Reads(primary, () => replica.readerFor(['a'])).$text(statement);
    const answers = [read(), read(), read()];
    await vi.advanceTimersByTimeAsync(0);
    isUsed = false;
    fail(new Error('The read replica is not used: it does not answer'));
    await expect(Promise.all(answers)).resolves.toEqual(Array.from({ length: 3 }, () => 'of the primary'));
  });

  it('does not pass on to the primary what it refuses to an account', async () => {
    const fair = createFairConnections([pool('replica', 1)], aloneMsMax);
    const { act, end } = hanging();
    const replica = fairReplica(
      replicaThat(() => act),
      fair.turnOf(user('a'), 'replica'),
    );
    const primary = { $text: vi.fn<() => Promise<string>>(async () => 'of the primary') };
    const read = () => new Reads(primary, () => replica.readerFor(['a'])).$text(statement);
    const first = read();
    const refused = read();
    refused.catch(() => {});
    await vi.advanceTimersByTimeAsync(3_000);
    await expect(refused).rejects.toEqual(refusal);
    expect(primary.$text).not.toHaveBeenCalled();
    end();
    await first;
  });
});
