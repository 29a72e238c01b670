// Lists the events behind account metrics: what was recorded, when it arrived, and how it was corrected.
import { authorizeAccount } from '../auth/authorize.js';
import { ApiError } from '../errors.js';
import { costDigits, decimalFromText, usageDigits } from '../metering/amounts.js';
import { timeText, unitPriceText } from '../metering/billed.js';
import { costAt, priceAt } from '../metering/billing-catalog.js';
import type { BillingCatalog } from '../metering/billing-catalog.js';
import { textFromInstant } from '../metering/instant.js';
import { isOfSpecification, requireBilled } from '../metering/metrics-filters.js';
import { catalogOnce, readCatalog } from '../metering/read-catalog.js';
import { usageEventFilter } from '../metering/usage-event-filter.js';
import type { UsageEventParameters, UsageEventState } from '../metering/usage-event-filter.js';
import { correctionHeadStatement, eventsStatement, eventSumsStatement } from '../metering/usage-events-statement.js';
import type { EventContents, EventRow, EventRows, EventSums } from '../metering/usage-events-statement.js';
import { queryCursors } from '../pagination/cursor.js';
import type { QueryCursors } from '../pagination/cursor.js';
import { pageFromRows } from '../pagination/page.js';
import type { Page, Position } from '../pagination/page.js';
import type { UsageContext } from '../metering/usage-memory.js';
import { readPresent, usageSources, waitUntil } from './read-present.js';
import { visibleWorkspaces } from './visible-workspaces.js';

export interface UsageEventsInput {
  size: number;
  direction: 'forward' | 'backward';
  cursor?: string | undefined;
  /** The name of the cursor argument in the API, for errors. */
  fields: { cursor: string };
  wanted: {
    items: boolean;
    /** The number of events and their cost. */
    sums: boolean;
  };
}

/** The contents of an event in the form of the API. */
export interface UsageEventContents {
  time: string;
  workspace: string;
  resourceType: string;
  resourceName: string;
  resourceUuid: string;
  billingDimension: string;
  usage: string;
  cost: string;
}

export interface UsageCorrection {
  isVoid: boolean;
  time: string;
  /** Only for admins of the account. */
  by: string | undefined;
  reason: string | undefined;
  /** Absent for usage of a workspace that the caller does not see. */
  before: UsageEventContents | undefined;
}

export interface ListedUsageEvent extends UsageEventContents {
  source: string;
  eventId: string;
  state: UsageEventState;
  arrivedAt: string;
  corrections: UsageCorrection[];
  position: Position;
  /** Reads the price of a unit. */
  price: () => Promise<UsagePrice | undefined>;
}

export interface UsagePrice {
  /** USD. */
  unitPrice: string;
  /** Whether it is the price of the dimension at the time of the event; otherwise it is the cost divided by the usage. */
  isOfDimension: boolean;
}

export interface UsageEventsPage extends Page<ListedUsageEvent> {
  cursors: QueryCursors;
  /** The number of events; 0 if it was not requested. */
  count: number;
  /** The cost of the events (USD). */
  cost: string;
  /** Earlier events were dropped; undefined if none were. */
  keptFrom: string | undefined;
}

/**
 * Lists the events of an account, newest first. All pages have the contents of one snapshot.
 *
 * @throws 403 `access_denied` for an inaccessible account, and for a filter by workspace unless the caller is an admin
 * of the account; 400 for an invalid filter or cursor.
 */
export async function listUsageEvents(
  ctx: UsageContext,
  accountId: string,
  parameters: UsageEventParameters,
  { size, direction, cursor, fields, wanted }: UsageEventsInput,
): Promise<UsageEventsPage> {
  const authorized = authorizeAccount(ctx, 'metrics:read', accountId);
  const filter = usageEventFilter(parameters);
  const workspaces = visibleWorkspaces(authorized);
  if (workspaces !== undefined && filter.filters.workspace !== undefined) {
    throw new ApiError('access_denied', 'Access denied.');
  }
  if (!isOfSpecification(filter)) requireBilled(filter, await readCatalog(authorized.db));
  const cursors = queryCursors(ctx.encryption, ctx.now, {
    list: 'usage-events',
    account: accountId,
    filter: JSON.stringify(filter),
    workspaces: JSON.stringify(workspaces ?? null),
  });
  const start = cursor === undefined ? undefined : startFromPosition(cursors.decode(fields.cursor, cursor));
  const scope = { accountId, filter, workspaces, asOf: start?.asOf };
  const sources = usageSources(ctx, authorized);
  // The pages after the first have its corrections, also on a replica.
  if (start !== undefined) {
    await waitUntil(sources.reads, async () => {
      const head = await sources.reads.$text(correctionHeadStatement(accountId));
      return BigInt(head) >= BigInt(start.asOf);
    });
  }
  const slice = { direction, limit: (wanted.items ? size : 0) + 1, from: start?.from };
  const [found, sums] = await Promise.all([
    readPresent<EventRows>(sources, accountId, eventsStatement(scope, slice), ctx.now),
    wanted.sums ? readPresent<EventSums>(sources, accountId, eventSumsStatement(scope), ctx.now) : undefined,
  ]);
  const asOf = start?.asOf ?? found.head;
  const catalog = catalogOnce(authorized.db);
  const items = found.rows.map((row) => listed(row, asOf, workspaces, catalog));
  const from = cursor === undefined ? undefined : { key: '', id: '' };
  return {
    ...pageFromRows({ size, direction, from }, items),
    cursors,
    count: Number(sums?.count ?? 0),
    cost: decimalFromText(sums?.cost ?? '0', costDigits),
    keptFrom: found.closedBefore === 0 ? undefined : textFromInstant({ hour: found.closedBefore, nano: 0 }),
  };
}

/** The start of a page, and the last correction of the snapshot that all pages share. */
interface EventsStart {
  asOf: string;
  from: Pick<EventRow, 'hour' | 'nano' | 'source' | 'id'>;
}

function positionOf({ hour, nano, source, id }: EventRow, asOf: string): Position {
  const start: EventsStart = { asOf, from: { hour, nano, source, id } };
  return { key: JSON.stringify(start), id: '' };
}

function startFromPosition({ key }: Position): EventsStart {
  return JSON.parse(key);
}

function listed(
  row: EventRow,
  asOf: string,
  workspaces: string[] | undefined,
  readPrices: () => Promise<BillingCatalog>,
): ListedUsageEvent {
  const isVisible = ({ workspace }: EventContents) => workspaces === undefined || workspaces.includes(workspace);
  return {
    ...contentsOf(row),
    // A voided event adds nothing to a sum.
    ...(row.voided && { usage: '0', cost: '0' }),
    source: row.source,
    eventId: row.id,
    state: stateOf(row),
    arrivedAt: timeText(row.arrivedAt),
    corrections: row.corrections.map(({ isVoid, at, by, reason, before }) => ({
      isVoid,
      time: timeText(at),
      by: workspaces === undefined ? by : undefined,
      reason: workspaces === undefined ? reason : undefined,
      before: isVisible(before) ? contentsOf(before) : undefined,
    })),
    position: positionOf(row, asOf),
    price: async () => priceOf(row, await readPrices()),
  };
}

function stateOf({ voided, corrections }: EventRow): UsageEventState {
  if (voided) return 'voided';
  return corrections.length > 0 ? 'amended' : 'active';
}

function contentsOf({ usage, cost, hour, nano, ...contents }: EventContents): UsageEventContents {
  return {
    workspace: contents.workspace,
    resourceType: contents.resourceType,
    resourceName: contents.resourceName,
    resourceUuid: contents.resourceUuid,
    billingDimension: contents.billingDimension,
    time: textFromInstant({ hour, nano }),
    usage: decimalFromText(usage, usageDigits),
    cost: decimalFromText(cost, costDigits),
  };
}

/** Pico-dollars in a nano-dollar, times micro-units in a unit. */
const picoOfNanoMicro = 1_000_000_000n;

/** The price of a unit: that of the dimension, if the cost follows from it; undefined without usage (voided events). */
function priceOf(row: EventRow, catalog: BillingCatalog): UsagePrice | undefined {
  const [usage, cost] = [BigInt(row.usage), BigInt(row.cost)];
  if (usage === 0n || row.voided) return undefined;
  const price = priceAt(catalog, row.billingDimension, row);
  if (price !== undefined && costAt(price, usage) === cost) {
    return { unitPrice: unitPriceText(price.unitPrice), isOfDimension: true };
  }
  return { unitPrice: unitPriceText((cost * picoOfNanoMicro) / usage), isOfDimension: false };
}
