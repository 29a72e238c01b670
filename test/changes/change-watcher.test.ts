// A watcher of changes, with access to the change log that the test controls.
import { describe, expect, it, vi } from 'vitest';
import type { Change } from '../../src/changes/change.js';
import { ChangeWatcher } from '../../src/changes/change-watcher.js';
import { RecentChanges } from '../../src/changes/recent-changes.js';

function aChange(sequence: number, kind: Change['kind'] = 'AGENT'): Change {
  return {
    accountId: 'a',
    sequence,
    time: '2026-11-20T12:00:00.000Z',
    workspaceId: 'w',
    kind,
    verb: 'updated',
    resourceId: null,
    name: null,
    version: null,
    actorKind: 'user',
    actorName: null,
    client: null,
    requestId: null,
    address: null,
    fields: [],
    status: null,
    message: null,
    count: null,
    position: { key: '', id: '' },
  };
}

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
    read: async (from: number) => ({
      changes: stored.filter(({ sequence }) => sequence > from),
      removed: 0,
      last: stored.length,
    }),
    renew,
    cursorAfter: String,
  };
  return { watcher: new ChangeWatcher(hub, view, 0, stored.length), recent, renew };
}

describe('A watcher', () => {
  it('does not deliver changes that its caller lost access to after they were read from the database', async () => {
    const lost = new Set<number>();
    const stored = [1, 2, 3, 4].map((sequence) => aChange(sequence));
    const { watcher } = aWatcher({ stored, isSeen: ({ sequence }) => !lost.has(sequence) });
    expect((await watcher.next()).value?.sequence).toBe(1);
    lost.add(2);
    expect((await watcher.next()).value?.sequence).toBe(3);
    lost.add(4);
    void watcher.next();
    await vi.waitUntil(() => watcher.cursor() === '4');
  });
});
