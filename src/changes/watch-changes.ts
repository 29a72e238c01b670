import type { RequestContext } from '../auth/context.js';
import { unauthorized } from '../errors.js';
import type { Change } from './change.js';
import { changeCursors, historyGone } from './change-cursor.js';
import type { ChangeCondition } from './change-condition.js';
import { filterConditions } from './change-filter.js';
import type { ChangeFilter } from './change-filter.js';
import { readHistoryStart, readWholeChanges } from './change-page.js';
import { authorizeChanges, canGiveAccess, readWithNewestAccess } from './change-access.js';
import type { WatchContext } from './change-hub.js';
import { ChangeWatcher } from './change-watcher.js';

export interface WatchInput {
  /** The cursor to start after; the current end of the log if it is absent. */
  after?: string | null | undefined;
  filter?: ChangeFilter | null | undefined;
}

/**
 * Watches the changes that the caller may access. The last event that a reconnecting client got (`Last-Event-ID`) comes
 * before `after`, which is still the one of its first request.
 *
 * @throws 400 for an invalid cursor or filter; 403. The iterator throws 401 or 403 when the credential expires or loses
 * its rights, 408 `reader_too_slow`, and 503 when the process stops. Each error has the cursor to resume from.
 */
export async function watchChanges(ctx: WatchContext, { after, filter }: WatchInput): Promise<ChangeWatcher> {
  const { within, access } = authorizeChanges(ctx);
  const { accountId } = access;
  const cursors = changeCursors(ctx.encryption, accountId);
  const sees = conditionsOf(ctx, accountId, filter);
  sees();
  const field = ctx.lastEventId === undefined ? 'after' : 'Last-Event-ID';
  const cursor = ctx.lastEventId ?? after;
  const given = cursor == null ? undefined : cursors.sequenceOf(field, cursor);
  const start = await readHistoryStart(within.db, accountId, given);
  const { last } = start;
  const from = given ?? last;
  if (start.isLost || from < start.removed) throw historyGone(cursors, field, start);
  const view = {
    accountId,
    isSeen: (change: Change) => sees().every(({ isMet }) => isMet(change)),
    canGiveAccess: (change: Change) => canGiveAccess(ctx.caller, change),
    read: async (position: number, limit: number) => {
      const rows = await readWithNewestAccess(ctx, async ({ within: { db } }) =>
        readWholeChanges(db, { accountId, conditions: sees(), from: position, limit }),
      );
      if (position < rows.removed) throw historyGone(cursors, field, rows);
      return rows;
    },
    renew: async (isFresh: boolean) => {
      await ctx.renew(isFresh);
      sees();
    },
    cursorAfter: cursors.after,
  };
  return new ChangeWatcher(ctx.changeHub, view, from, last);
}

/**
 * The conditions of the changes that the caller sees. They are computed again whenever the caller is authenticated
 * again.
 */
function conditionsOf(
  ctx: RequestContext,
  accountId: string,
  filter: ChangeFilter | null | undefined,
): () => readonly ChangeCondition[] {
  let known: { caller: unknown; conditions: ChangeCondition[] } | undefined;
  return () => {
    if (known?.caller === ctx.caller) return known.conditions;
    const { access } = authorizeChanges(ctx);
    if (access.accountId !== accountId) throw unauthorized('The credential belongs to another account now.');
    const conditions = [...access.conditions, ...filterConditions(filter, access)];
    known = { caller: ctx.caller, conditions };
    return conditions;
  };
}

const cursorsByChange = new WeakMap<Change, string>();

/** The cursor after a change, computed once for all watchers. */
export function cursorOf(ctx: RequestContext, change: Change): string {
  const known = cursorsByChange.get(change);
  if (known !== undefined) return known;
  const cursor = changeCursors(ctx.encryption, change.accountId).after(change.sequence);
  cursorsByChange.set(change, cursor);
  return cursor;
}
