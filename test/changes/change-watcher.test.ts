// A watcher of changes, with access to the change log that the test controls.
import { describe, expect, it, vi } from 'vitest';
import type { Change } from '../../src/changes/change.js';
import { ChangeWatcher } from '../../src/changes/change-watcher.js';
import { RecentChanges } from '../../src/changes/recent-changes.js';
import { aChange } from './a-change.js';

/** Waits until all that is ready to run has run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A watcher from the start of a log, whose changes up to `stored` are no longer in memory. */
function aWatcher({ stored = [], isSeen }: { stored?: Change[]; isSeen: (change: Change) => boolean }) {
  const recent = new RecentChanges(stored.length);
  const hub = {
    join: () => recent,
    leave: () => {},
    hear: () => () => {},
    followersOf: () => 1,
    behindMsMax: 1_000,
    isClosed: () => false,
    close: async () => {},
  };
  const renew = vi.fn<(isFresh?: boolean) => Promise<void>>(async () => {});
  const view = {
    accountId: 'a',
    isSeen,
    canGiveAccess: ({ kind }: Change) => kind !== 'AGENT',
    read: async (from: number) => ({
      changes: stored.filter(({ sequence }) => sequence > from),
      removed: 0,
      last: stored.length,
    }),
    renew,
    cursorAfter: String,
  };
  return { watcher: new ChangeWatcher(hub, view, 0, stored.length), recent, renew, stored };
}

describe('A watcher', () => {
  it('does not deliver changes that its caller lost access to after they were read from the database', async () => {
    const lost = new Set<number>();
    const stored = [1, 2, 3, 4].map((sequence) => aChange({ sequence }));
    const { watcher } = aWatcher({ stored, isSeen: ({ sequence }) => !lost.has(sequence) });
    expect((await watcher.next()).value?.sequence).toBe(1);
    lost.add(2);
    expect((await watcher.next()).value?.sequence).toBe(3);
    lost.add(4);
    void watcher.next();
    await vi.waitUntil(() => watcher.cursor() === '4');
  });

  it('delivers the changes of a workspace that its caller just got access to, from the first on', async () => {
    let hasAccess = false;
    const { watcher, recent, renew } = aWatcher({ isSeen: () => hasAccess });
    const step = watcher.next();
    recent.add([aChange({ sequence: 1 }), aChange({ sequence: 2, kind: 'WORKSPACE' }), aChange({ sequence: 3 })], 300);
    renew.mockImplementationOnce(async () => {
      throw new Error('the database is away');
    });
    watcher.wake();
    await settled();
    expect(renew.mock.calls).toEqual([[true]]);
    // The cache still has the caller without access.
    watcher.check(performance.now());
    renew.mockImplementationOnce(async () => {
      hasAccess = true;
    });
    expect((await step).value?.sequence).toBe(2);
    expect(renew.mock.calls).toEqual([[true], [false], [true]]);
    expect((await watcher.next()).value?.sequence).toBe(3);
  });

  it('authenticates its caller once for a change of access that it does not see, and goes on', async () => {
    const { watcher, recent, renew } = aWatcher({ isSeen: ({ kind }) => kind === 'AGENT' });
    recent.add([aChange({ sequence: 1, kind: 'MEMBER' }), aChange({ sequence: 2 })], 200);
    expect((await watcher.next()).value?.sequence).toBe(2);
    expect(renew.mock.calls).toEqual([[true]]);
  });

  it('reads from the database what came while its caller was authenticated again', async () => {
    const { watcher, recent, renew, stored } = aWatcher({ isSeen: ({ kind }) => kind === 'AGENT' });
    renew.mockImplementationOnce(async () => {
      for (let sequence = 2; sequence <= 1_200; sequence++) {
        stored.push(aChange({ sequence }));
        recent.add([aChange({ sequence })], 100);
      }
    });
    recent.add([aChange({ sequence: 1, kind: 'GROUP' })], 100);
    expect((await watcher.next()).value?.sequence).toBe(2);
    expect((await watcher.next()).value?.sequence).toBe(3);
  });
});
