// Adjusts recorded usage: voids or amends events. Every later answer is exact, even when the event was rolled up long
// ago. Further pages of an earlier answer keep its snapshot.
import { authorizeAccountAdmin } from '../auth/authorize.js';
import type { AuthorizedAccount } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import { recordChanges } from '../changes/record-changes.js';
import { readJson } from '../database/read-json.js';
import { invalidParameter } from '../errors.js';
import { readTogether } from '../schema/read-together.js';
import { disguise, unkept } from '../schema/text.js';
import type { DryRun } from '../store/write/change-input.js';
import { lockCorrectionsStatement, voidStatement } from './adjustment-statements.js';
import type { EventIdentity, Voided } from './adjustment-statements.js';
import { amendWithin } from './amend-events.js';
import { eventsText, identitiesAt, namedMax, nothingCorrected, recordOf, usd } from './corrected-usage.js';
import type { CorrectedUsage } from './corrected-usage.js';
import { alreadyVoided, inClosedMonth, notFound } from './correction-result.js';
import type { CorrectionResult } from './correction-result.js';
import { usageChange } from './usage-change.js';
import type { UsageChange } from './usage-change.js';
import { isName } from './usage-event.js';
import { usageEventFilter } from './usage-event-filter.js';
import type { UsageEventFilter, UsageEventParameters } from './usage-event-filter.js';
import { eventsStatement } from './usage-events-statement.js';
import type { EventRow, EventRows } from './usage-events-statement.js';
import type { UsageContext, UsageMemory } from './usage-memory.js';
import { rollUpUsage } from './usage-rollup.js';
import { usageBatchMax } from './usage.js';

const reasonLengthMax = 500;

export interface VoidedUsage extends DryRun {
  account: string;
  source: string;
  ids: readonly string[];
  reason: string;
}

/**
 * Voids events of one source, so that they no longer count. Their identities remain: an event sent again counts
 * nothing. The change log of the account records the events, the caller and the reason.
 *
 * @param input.account the name or id of an account of which the caller is an admin.
 * @param input.ids at most 10,000 ids.
 * @throws 403 without the scope usage:correct, and unless the caller is an admin of the account; 400 for a missing or
 * too long reason, or too many ids.
 */
export async function voidUsage(
  ctx: UsageContext,
  { account, source, ids, reason, validateOnly }: VoidedUsage,
): Promise<CorrectedUsage> {
  const authorized = authorizeAdmin(ctx, account);
  readTogether({ reason: () => requireReason(reason), ids: () => requireBatch('ids', ids) });
  // An invalid name has no events. PostgreSQL would replace a lone surrogate and match another name.
  const distinct = isName(source) ? [...new Set(ids)].filter(isName).toSorted() : [];
  const { voided, before, closed, cost } = await runInTransaction(authorized, validateOnly, async (within) => {
    const events = distinct.map((id) => ({ source, id }));
    const answer = await voidEvents(within, events, reason);
    const named = identitiesAt(events, answer.voided).map(({ id }) => id);
    if (named.length > 0) {
      await recordChanges(within, [
        {
          kind: 'USAGE',
          verb: 'voided',
          resourceId: within.account.id,
          name: source,
          before: { source, events: named.length, cost: usd(answer.cost), ids: named.slice(0, namedMax) },
          after: { reason },
          event: {
            type: 'usage',
            status: 'VOIDED',
            message: `Voided ${eventsText(named.length)} of ${source}: ${reason}`,
          },
        },
      ]);
    }
    return answer;
  });
  const outcomes = new Map<string | undefined, CorrectionResult>([
    ...voided.map((order) => [distinct[order - 1], { outcome: 'voided' }] as const),
    ...before.map((order) => [distinct[order - 1], alreadyVoided] as const),
    ...closed.map((order) => [distinct[order - 1], inClosedMonth] as const),
  ]);
  const results = ids.map((id): CorrectionResult => {
    const result = outcomes.get(id) ?? notFound;
    // If the request repeats an id, only its first result is `voided`, so that the count is right.
    if (result.outcome === 'voided') outcomes.set(id, alreadyVoided);
    return result;
  });
  return { count: voided.length, results, costBefore: usd(cost), costAfter: '0' };
}

/** The events that a correction selects with a filter. */
export interface SelectedUsage extends DryRun {
  account: string;
  filter: UsageEventParameters;
  reason: string;
}

/**
 * Voids the events that match a filter and still count. See voidUsage().
 *
 * @throws the errors of voidUsage(); 400 for an invalid filter, and for one that matches more than 10,000 events.
 */
export async function voidSelectedUsage(
  ctx: UsageContext,
  { account, filter, reason, validateOnly }: SelectedUsage,
): Promise<CorrectedUsage> {
  const authorized = authorizeAdmin(ctx, account);
  const read = readTogether({ reason: () => requireReason(reason), filter: () => selectingFilter(filter) });
  await rollUpOutside(authorized, ctx.usageMemory);
  return runInTransaction(authorized, validateOnly, async (within) => {
    const events = (await selectEvents(within, read.filter)).toSorted(compareNames);
    const { voided, cost } = await voidEvents(within, events, reason);
    const identities = identitiesAt(events, voided);
    const count = identities.length;
    if (count === 0) return nothingCorrected;
    await recordChanges(within, [
      {
        kind: 'USAGE',
        verb: 'voided',
        resourceId: within.account.id,
        before: { events: count, cost: usd(cost), identities: identities.slice(0, namedMax) },
        after: { reason, filter },
        event: { type: 'usage', status: 'VOIDED', message: `Voided ${eventsText(count)}: ${reason}` },
      },
    ]);
    const results = voided.map((): CorrectionResult => ({ outcome: 'voided' }));
    return { count, results, costBefore: usd(cost), costAfter: '0' };
  });
}

async function voidEvents(
  within: AuthorizedAccount,
  events: readonly EventIdentity[],
  reason: string,
): Promise<Voided> {
  return readJson(within.db, voidStatement(within.account.id, events, recordOf(within, reason)));
}

export interface AmendedUsage extends DryRun {
  account: string;
  /** The corrected events, under their existing identities. */
  events: readonly unknown[];
  reason: string;
}

/**
 * Replaces all contents of events, as if they had been recorded so. The old contents sent again are conflicts, the new
 * ones duplicates. The change log of the account records the events, the caller and the reason.
 *
 * @param input.account the name or id of an account of which the caller is an admin.
 * @param input.events at most 10,000 events.
 * @throws 403 without the scope usage:correct, and unless the caller is an admin of the account; 400 for a missing or
 * too long reason, or too many events.
 */
export async function amendUsage(
  ctx: UsageContext,
  { account, events, reason, validateOnly }: AmendedUsage,
): Promise<CorrectedUsage> {
  const authorized = authorizeAdmin(ctx, account);
  readTogether({ reason: () => requireReason(reason), events: () => requireBatch('events', events) });
  const amend = (within: AuthorizedAccount) => amendWithin(within, ctx.usageMemory, account, events, reason);
  return validateOnly === true ? runInTransaction(authorized, true, amend) : amend(authorized);
}

export interface AmendedSelection extends SelectedUsage {
  change: UsageChange;
}

/**
 * Makes the same change to all events that match a filter and still count, or to none of them. See amendUsage().
 *
 * @throws the errors of amendUsage(); 400 for an invalid filter, for one that matches more than 10,000 events, and for a
 * change that makes an event invalid.
 */
export async function amendSelectedUsage(
  ctx: UsageContext,
  { account, filter, change, reason, validateOnly }: AmendedSelection,
): Promise<CorrectedUsage> {
  const authorized = authorizeAdmin(ctx, account);
  const read = readTogether({
    reason: () => requireReason(reason),
    filter: () => selectingFilter(filter),
    change: () => usageChange(change),
  });
  await rollUpOutside(authorized, ctx.usageMemory);
  return runInTransaction(authorized, validateOnly, async (within) => {
    const events = (await selectEvents(within, read.filter)).map((event) => read.change(within.account.id, event));
    const amended = await amendWithin(within, ctx.usageMemory, within.account.id, events, reason, filter);
    const invalid = amended.results.find(({ outcome }) => outcome === 'invalid');
    if (invalid !== undefined) throw invalidParameter('change', `makes an event invalid: ${invalid.message}`);
    return amended;
  });
}

/** Parses a filter. @throws 400 for a filter without a condition, which would select all usage by mistake. */
function selectingFilter(filter: UsageEventParameters): UsageEventFilter {
  const { labels, ...others } = filter;
  if (Object.keys(others).length === 0 && (labels ?? []).length === 0)
    throw invalidParameter('filter', 'must have at least one condition');
  return usageEventFilter(filter);
}

/**
 * Reads the events that match a filter and are not voided. Locks the corrections of the account, so that the events do
 * not change until the transaction ends. Usage that waits to be rolled up may not be found: rollUpOutside() comes before the
 * transaction.
 *
 * @throws 400 if more than 10,000 match.
 */
async function selectEvents({ db, account }: AuthorizedAccount, filter: UsageEventFilter): Promise<EventRow[]> {
  await db.$text(lockCorrectionsStatement(account.id));
  const statement = eventsStatement(
    { accountId: account.id, filter, workspaces: undefined, asOf: undefined, withoutVoided: true },
    { direction: 'forward', limit: usageBatchMax + 1, from: undefined },
  );
  const { rows } = await readJson<EventRows>(db, statement);
  if (rows.length > usageBatchMax) {
    throw invalidParameter('filter', `must match at most ${usageBatchMax} events. Correct a shorter period at a time`, {
      limit: usageBatchMax,
    });
  }
  return rows;
}

/** Compares identities in the order of all writers, to prevent deadlocks. */
function compareNames(one: EventIdentity, other: EventIdentity): number {
  if (one.id !== other.id) return one.id < other.id ? -1 : 1;
  return one.source < other.source ? -1 : Number(one.source > other.source);
}

/**
 * Rolls up waiting usage, so that a filter finds it. Does nothing in a transaction, in which other rollups of the account,
 * and all that wait for them, would wait for its end.
 */
async function rollUpOutside({ db, account, ctx }: AuthorizedAccount, memory: UsageMemory): Promise<void> {
  if (db.isTransaction !== true) await rollUpUsage(db, memory, account.id, ctx.now());
}

/** Rolls up usage before the transaction of a correction by filter. @throws 403 like the correction. */
export async function prepareCorrection(ctx: UsageContext, account: string): Promise<void> {
  await rollUpOutside(authorizeAdmin(ctx, account), ctx.usageMemory);
}

/** Authorizes an admin of the account, by name or id. A caller confined to a workspace is rejected. */
function authorizeAdmin(ctx: RequestContext, account: string): AuthorizedAccount {
  return authorizeAccountAdmin(ctx, 'usage:correct', account, 'can correct its usage');
}

function requireBatch(field: 'ids' | 'events', { length }: readonly unknown[]): void {
  if (length > usageBatchMax)
    throw invalidParameter(field, `must be at most ${usageBatchMax} ${field}`, {
      limit: usageBatchMax,
      actual: length,
    });
}

function requireReason(reason: string): void {
  if (reason.trim() === '') throw invalidParameter('reason', 'must not be empty');
  if (reason.length > reasonLengthMax || unkept.test(reason)) {
    throw invalidParameter('reason', `must be at most ${reasonLengthMax} characters, without control characters`);
  }
  const rule = disguise(reason);
  if (rule !== undefined) throw invalidParameter('reason', rule);
}
