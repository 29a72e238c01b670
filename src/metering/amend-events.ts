// Amends usage events in the account that they belong to.
import type { AuthorizedAccount } from '../auth/authorize.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import { recordChanges } from '../changes/record-changes.js';
import { readJson } from '../database/read-json.js';
import { amendStatement } from './adjustment-statements.js';
import type { Amended } from './adjustment-statements.js';
import { EventCells } from './cell-bounds.js';
import type { CellSums } from './cell-bounds.js';
import { eventsText, identitiesAt, namedMax, recordOf, usd } from './corrected-usage.js';
import type { CorrectedUsage } from './corrected-usage.js';
import { alreadyVoided, inClosedMonth, namedTwice, notFound, unchanged } from './correction-result.js';
import type { CorrectionResult } from './correction-result.js';
import { catalogOnce } from './read-catalog.js';
import { compareIdentities, chunkMax, parseChunk, placeChunk } from './usage-chunk.js';
import type { PlacedEvent, UsageWorkspaces } from './usage-chunk.js';
import { latestUsageTime } from './usage-event.js';
import type { UsageEventParameters } from './usage-event-filter.js';
import { distinctEvents } from './usage-identity.js';
import { insertionColumns } from './usage-insertion.js';
import type { UsageMemory } from './usage-memory.js';
import { rollUpUsage } from './usage-rollup.js';
import { SeriesCache } from './usage-series.js';
import { usageWorkspaces } from './usage-workspaces.js';
import { assignSeries } from './usage.js';

export async function amendWithin(
  authorized: AuthorizedAccount,
  memory: UsageMemory,
  account: string,
  events: readonly unknown[],
  reason: string,
  filter?: UsageEventParameters,
): Promise<CorrectedUsage> {
  const { ctx } = authorized;
  const rules = {
    placeOf: placeWithin(authorized, account),
    latest: latestUsageTime(ctx.now()),
    catalog: catalogOnce(authorized.db),
    areCorrections: true,
    sending: { counting: 'uncounted' as const },
  };
  const results: CorrectionResult[] = [];
  const refuse = (index: number, result: CorrectionResult) => {
    results[index] = result;
  };
  const placed: PlacedEvent[] = [];
  const series = new SeriesCache();
  for (let from = 0; from < events.length; from += chunkMax) {
    for (const group of await placeChunk(await parseChunk(events, from, rules, refuse), rules, refuse)) {
      await assignSeries(authorized.db, series, group.accountId, group.events);
      placed.push(...group.events);
    }
  }
  const { firsts, repeated } = distinctEvents(placed.toSorted(compareIdentities));
  for (const { each } of repeated) results[each.index] = namedTwice;
  const [before, after] = await amendEvents(authorized, memory, firsts, { reason, filter }, results);
  const count = results.filter(({ outcome }) => outcome === 'amended').length;
  return { count, results, costBefore: usd(before), costAfter: usd(after) };
}

/** Why events are amended, and with which filter they were selected. */
interface AmendmentReason {
  reason: string;
  filter: UsageEventParameters | undefined;
}

/** @returns the cost of the amended events before and after (nano-dollars). */
async function amendEvents(
  authorized: AuthorizedAccount,
  memory: UsageMemory,
  events: readonly PlacedEvent[],
  why: AmendmentReason,
  results: CorrectionResult[],
): Promise<Amended['cost']> {
  if (events.length === 0) return ['0', '0'];
  const amended = await amendUnder(authorized, events, why, false);
  if (amended.isDone) {
    settle(events, amended, results);
    return amended.cost;
  }
  // Near the limit of a sum: amend only the events that fit.
  const { db, account, ctx } = authorized;
  await rollUpUsage(db, memory, account.id, ctx.now());
  const cells = new EventCells(
    account.id,
    events.map(({ event }) => event),
  );
  const sums = await readJson<CellSums>(db, cells.statement());
  const refusals = cells.refusals(
    events.map(({ event }) => event),
    sums,
  );
  for (const [position, { index }] of events.entries()) {
    const refusal = refusals[position];
    if (refusal !== undefined) results[index] = refusal;
  }
  const fitting = events.filter((_, position) => refusals[position] === undefined);
  if (fitting.length === 0) return ['0', '0'];
  const fitted = await amendUnder(authorized, fitting, why, true);
  settle(fitting, fitted, results);
  return fitted.cost;
}

/** @param isChecked whether the sums are known to stay within their bounds. */
function amendUnder(
  authorized: AuthorizedAccount,
  events: readonly PlacedEvent[],
  { reason, filter }: AmendmentReason,
  isChecked: boolean,
): Promise<Amended> {
  return runInTransaction(authorized, false, async (within) => {
    const statement = amendStatement(within.account.id, insertionColumns(events), recordOf(within, reason), isChecked);
    const amended = await readJson<Amended>(within.db, statement);
    const count = amended.amended.length;
    if (count > 0) {
      const identities = identitiesAt(
        events.map(({ event }) => event),
        amended.amended,
      ).slice(0, namedMax);
      const [before, after] = amended.cost;
      await recordChanges(within, [
        {
          kind: 'USAGE',
          verb: 'amended',
          resourceId: within.account.id,
          before: { events: count, cost: usd(before) },
          after: { events: count, cost: usd(after), reason, ...(filter && { filter }), identities },
          event: { type: 'usage', status: 'AMENDED', message: `Amended ${eventsText(count)}: ${reason}` },
        },
      ]);
    }
    return amended;
  });
}

function settle(events: readonly PlacedEvent[], amended: Amended, results: CorrectionResult[]): void {
  for (const { index } of events) results[index] = notFound;
  const tell = (orders: number[], result: CorrectionResult) => {
    for (const order of orders) {
      const each = events[order - 1];
      if (each === undefined) continue;
      const { rounded } = each.event;
      results[each.index] = rounded.length === 0 ? result : { ...result, rounded };
    }
  };
  tell(amended.amended, { outcome: 'amended' });
  tell(amended.unchanged, unchanged);
  tell(amended.voided, alreadyVoided);
  tell(amended.closed, inClosedMonth);
}

/** Resolves the account name of an event: the name that the request uses, the account's own name, or its id. */
function placeWithin(
  { db, account }: AuthorizedAccount,
  workspaceOrId: string,
): (name: string) => UsageWorkspaces | undefined {
  const place = usageWorkspaces(db, account.id);
  return (name) => ([workspaceOrId, account.id, account.name].includes(name) ? place : undefined);
}
