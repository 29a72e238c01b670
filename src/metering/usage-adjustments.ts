// Adjusts recorded usage: voids or amends events. Every later answer is exact, even when the event was rolled up long
// ago. Further pages of an earlier answer keep its snapshot.
import { authorizeAccount } from '../auth/authorize.js';
import { readTogether } from '../schema/read-together.js';
import { unkept } from '../schema/text.js';
import type { AuthorizedAccount } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { recordChanges } from '../changes/record-changes.js';
import { runInTransaction } from '../store/write/change.js';
import type { DryRun } from '../store/write/change-input.js';
import { forbidden, invalidParameter } from '../errors.js';
import { costDigits, decimalFromUnits } from './amounts.js';
import { EventCells } from './cell-bounds.js';
import type { CellSums } from './cell-bounds.js';
import { inClosedMonth, namedTwice } from './correction-result.js';
import type { CorrectionResult } from './correction-result.js';
import { amendStatement, voidStatement } from './adjustment-statements.js';
import type { Amended, Voided } from './adjustment-statements.js';
import { catalogOnce } from './read-catalog.js';
import { isName, latestUsageTime } from './usage-event.js';
import { rollUpUsage } from './usage-rollup.js';
import { distinctEvents } from './usage-identity.js';
import { insertionColumns } from './usage-insertion.js';
import { usageWorkspaces } from './usage-workspaces.js';
import { compareIdentities, chunkMax, readChunk } from './usage-chunk.js';
import type { PlacedEvent, UsageWorkspaces } from './usage-chunk.js';
import type { UsageResult } from './usage-result.js';
import { assignSeries, usageBatchMax } from './usage.js';

const reasonLengthMax = 500;

/** The maximum number of identities listed in a change of the change log, which also has the total. */
const namedMax = 100;

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
 * @returns a result for each id, in order.
 * @throws 403 unless the caller is an admin of the account; 400 for a missing or too long reason, or too many ids.
 */
export async function voidUsage(
  ctx: RequestContext,
  { account, source, ids, reason, validateOnly }: VoidedUsage,
): Promise<CorrectionResult[]> {
  const authorized = authorizeAdmin(ctx, account);
  readTogether({ reason: () => requireReason(reason), ids: () => requireBatch('ids', ids) });
  // An invalid name has no events. PostgreSQL would replace a lone surrogate and match another name.
  if (!isName(source)) return ids.map(() => ({ outcome: 'not_found' }));
  const distinct = [...new Set(ids)].filter(isName).toSorted();
  const voided = await runInTransaction(authorized, validateOnly, async (within) => {
    const answer: Voided = JSON.parse(await within.db.$text(voidStatement(within.account.id, source, distinct)));
    if (answer.voided.length > 0) {
      const count = answer.voided.length;
      await recordChanges(within, [
        {
          kind: 'USAGE',
          verb: 'voided',
          resourceId: within.account.id,
          name: source,
          before: { source, events: count, cost: usd(answer.cost), ids: answer.voided.toSorted().slice(0, namedMax) },
          after: { reason },
          event: { type: 'usage', status: 'VOIDED', message: `Voided ${eventsText(count)} of ${source}: ${reason}` },
        },
      ]);
    }
    return answer;
  });
  const outcomes = new Map<string, CorrectionResult>([
    ...voided.voided.map((id) => [id, { outcome: 'voided' }] as const),
    ...voided.before.map((id) => [id, { outcome: 'already_voided' }] as const),
    ...voided.closed.map((id) => [id, inClosedMonth] as const),
  ]);
  return ids.map((id) => {
    const result = outcomes.get(id) ?? { outcome: 'not_found' };
    // If the request repeats an id, only its first result is `voided`, so that the count is right.
    if (result.outcome === 'voided') outcomes.set(id, { outcome: 'already_voided' });
    return result;
  });
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
 * @returns a result for each event, in order.
 * @throws 403 unless the caller is an admin of the account; 400 for a missing or too long reason, or too many events.
 */
export async function amendUsage(
  ctx: RequestContext,
  { account, events, reason, validateOnly }: AmendedUsage,
): Promise<CorrectionResult[]> {
  const authorized = authorizeAdmin(ctx, account);
  readTogether({ reason: () => requireReason(reason), events: () => requireBatch('events', events) });
  const amend = (within: AuthorizedAccount) => amendWithin(within, account, events, reason);
  return validateOnly === true ? runInTransaction(authorized, true, amend) : amend(authorized);
}

async function amendWithin(
  authorized: AuthorizedAccount,
  account: string,
  events: readonly unknown[],
  reason: string,
): Promise<CorrectionResult[]> {
  const { ctx } = authorized;
  const rules = {
    placeOf: placeWithin(authorized, account),
    latest: latestUsageTime(ctx.now()),
    catalog: catalogOnce(authorized.db),
    areCorrections: true,
  };
  const invalid: UsageResult[] = [];
  const placed: PlacedEvent[] = [];
  for (let from = 0; from < events.length; from += chunkMax) {
    for (const group of await readChunk(events, from, rules, invalid)) {
      await assignSeries(authorized.db, ctx.usageMemory, group.accountId, group.events);
      placed.push(...group.events);
    }
  }
  const { firsts, repeated } = distinctEvents(placed.toSorted(compareIdentities));
  const results = invalid.map((result): CorrectionResult => ({ ...result, outcome: 'invalid' }));
  for (const { each } of repeated) results[each.index] = namedTwice;
  await amendEvents(authorized, firsts, reason, results);
  return results;
}

async function amendEvents(
  authorized: AuthorizedAccount,
  events: readonly PlacedEvent[],
  reason: string,
  results: CorrectionResult[],
): Promise<void> {
  if (events.length === 0) return;
  const amended = await amendUnder(authorized, events, reason, false);
  if (amended.isDone) {
    settle(events, amended, results);
    return;
  }
  // Near the limit of a sum: amend only the events that fit.
  const { db, account, ctx } = authorized;
  await rollUpUsage(db, ctx.usageMemory, account.id, ctx.now());
  const cells = new EventCells(
    account.id,
    events.map(({ event }) => event),
  );
  const sums: CellSums = JSON.parse(await db.$text(cells.statement()));
  const refusals = cells.refusals(
    events.map(({ event }) => event),
    sums,
  );
  for (const [position, { index }] of events.entries()) {
    const refusal = refusals[position];
    if (refusal !== undefined) results[index] = { ...refusal, outcome: 'invalid' };
  }
  const fitting = events.filter((_, position) => refusals[position] === undefined);
  if (fitting.length > 0) settle(fitting, await amendUnder(authorized, fitting, reason, true), results);
}

/** @param isChecked whether the sums are known to stay within their bounds. */
function amendUnder(
  authorized: AuthorizedAccount,
  events: readonly PlacedEvent[],
  reason: string,
  isChecked: boolean,
): Promise<Amended> {
  return authorized.transaction(async (within) => {
    const statement = amendStatement(within.account.id, insertionColumns(events), isChecked);
    const amended: Amended = JSON.parse(await within.db.$text(statement));
    const count = amended.amended.length;
    if (count > 0) {
      const identities = amended.amended.flatMap((order) => identityIn(events[order - 1]));
      const [before, after] = amended.cost;
      await recordChanges(within, [
        {
          kind: 'USAGE',
          verb: 'amended',
          resourceId: within.account.id,
          before: { events: count, cost: usd(before) },
          after: { events: count, cost: usd(after), reason, identities: identities.slice(0, namedMax) },
          event: { type: 'usage', status: 'AMENDED', message: `Amended ${eventsText(count)}: ${reason}` },
        },
      ]);
    }
    return amended;
  });
}

function identityIn(placed: PlacedEvent | undefined): { source: string; id: string }[] {
  return placed === undefined ? [] : [{ source: placed.event.source, id: placed.event.id }];
}

function settle(events: readonly PlacedEvent[], amended: Amended, results: CorrectionResult[]): void {
  for (const { index } of events) results[index] = { outcome: 'not_found' };
  const tell = (orders: number[], result: CorrectionResult) => {
    for (const order of orders) {
      const each = events[order - 1];
      if (each === undefined) continue;
      const { rounded } = each.event;
      results[each.index] = rounded.length === 0 ? result : { ...result, rounded };
    }
  };
  tell(amended.amended, { outcome: 'amended' });
  tell(amended.unchanged, { outcome: 'unchanged' });
  tell(amended.voided, { outcome: 'already_voided' });
  tell(amended.closed, inClosedMonth);
}

/** Authorizes an admin of the account, by name or id. A caller confined to a workspace is rejected. */
function authorizeAdmin(ctx: RequestContext, account: string): AuthorizedAccount {
  const named = ctx.caller.accounts.find(({ id, name }) => id === account || name === account);
  const authorized = authorizeAccount(ctx, 'admin', named?.id ?? account);
  if (authorized.account.role === 'admin' && ctx.caller.confinedTo === undefined) return authorized;
  throw forbidden('Only an admin of the account can correct its usage.');
}

/** Resolves the account name of an event: the name that the request uses, the account's own name, or its id. */
function placeWithin(
  { db, account }: AuthorizedAccount,
  workspaceOrId: string,
): (name: string) => UsageWorkspaces | undefined {
  const place = usageWorkspaces(db, account.id);
  return (name) => ([workspaceOrId, account.id, account.name].includes(name) ? place : undefined);
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
}

function usd(nanoUsd: string): string {
  return decimalFromUnits(BigInt(nanoUsd), costDigits);
}

function eventsText(count: number): string {
  return count === 1 ? '1 event' : `${count} events`;
}
