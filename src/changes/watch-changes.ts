import type { RequestContext } from '../auth/context.js';
import { unauthorized } from '../errors.js';
import type { Change } from './change.js';
import { changeCursors, historyGone } from './change-cursor.js';
import type { ChangeCondition } from './change-condition.js';
import { filterConditions } from './change-filter.js';
import type { ChangeFilter } from './change-filter.js';
import { readHistoryEnds, readWholeChanges } from './change-page.js';
import { authorizeChanges } from './change-reach.js';
import { ChangeWatcher } from './change-watcher.js';

export interface WatchInput {
  /** The cursor to start behind; now, where it is absent. */
  after?: string | null | undefined;
  filter?: ChangeFilter | null | undefined;
}

/**
 * Watches the changes within reach, as long as the caller may.
 *
 * @throws 400 for a cursor or a filter that breaks a rule; 403. Reading it throws 401 or 403 once the credential has
 *   ended or lost its rights, 408 `reader_too_slow`, 503 when the process stops; all with the cursor to go on from.
 */
export async function watchChanges(ctx: RequestContext, { after, filter }: WatchInput): Promise<ChangeWatcher> {
  const { within, reach } = authorizeChanges(ctx);
  const { accountId } = reach;
  const cursors = changeCursors(ctx.seal, accountId);
  const sees = conditionsOf(ctx, accountId, filter);
  sees();
  const { removed, last } = await readHistoryEnds(within.db, accountId);
  const from = after == null ? last : cursors.sequenceOf('after', after);
  if (from < removed || from > last) throw historyGone(cursors, 'after', removed);
  const view = {
    accountId,
    isSeen: (change: Change) => sees().every(({ isMet }) => isMet(change)),
    read: async (position: number, limit: number) => {
      const { db } = authorizeChanges(ctx).within;
      const rows = await readWholeChanges(db, { accountId, conditions: sees(), from: position, limit });
      if (position < rows.removed) throw historyGone(cursors, 'after', rows.removed);
      return rows;
    },
    renew: ctx.renew,
    cursorAfter: cursors.after,
  };
  return new ChangeWatcher(ctx.changeHub, view, from, last);
}

/** What a change has to meet to be told: worked out again whenever the caller has been found out again. */
function conditionsOf(
  ctx: RequestContext,
  accountId: string,
  filter: ChangeFilter | null | undefined,
): () => readonly ChangeCondition[] {
  let known: { caller: unknown; conditions: ChangeCondition[] } | undefined;
  return () => {
    if (known?.caller === ctx.caller) return known.conditions;
    const { reach } = authorizeChanges(ctx);
    if (reach.accountId !== accountId) throw unauthorized('The credential has moved to another account.');
    const conditions = [...reach.conditions, ...filterConditions(filter, reach, ctx.caller)];
    known = { caller: ctx.caller, conditions };
    return conditions;
  };
}

const cursorsByChange = new WeakMap<Change, string>();

/** The cursor behind a change, worked out once for all who are told of it. */
export function cursorOf(ctx: RequestContext, change: Change): string {
  const known = cursorsByChange.get(change);
  if (known !== undefined) return known;
  const cursor = changeCursors(ctx.seal, change.accountId).after(change.sequence);
  cursorsByChange.set(change, cursor);
  return cursor;
}
