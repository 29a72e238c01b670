// A year of usage: first the newest month, which users look at most, then the months before. Each part is recorded in
// the order of time, in batches that are recorded completely or not at all. After an interruption, loading continues
// after the newest recorded event.
import { setTimeout } from 'node:timers/promises';
import type { Account } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { billingDimensions } from '../metering/dimensions.js';
import type { UsageField } from '../metering/usage-shape.js';
import type { UsageMemory } from '../metering/usage-memory.js';
import { usageWorkspaces } from '../metering/usage-workspaces.js';
import { recordEvents } from '../metering/usage.js';
import { endFrom } from './accounts.js';
import { demoAccounts, mainWorkspace } from './company.js';
import { usualAgentCount } from './documents.js';
import { takenOverAt } from './data-plane-takeover.js';
import { demoMeters } from './meters.js';
import type { Meter } from './meters.js';
import { pricedUsage } from './prices.js';
import { idOf } from './random.js';
import { dayMs, hourMs } from './times.js';
import { hourShare, incidentFactor, load } from './usage-shape.js';

/** The source of the events. */
export const demoSource = 'demo-meter';

/**
 * Events cover a week if they are old, then a day, and an hour in the last days, like the resolutions that users
 * request.
 */
const dailyDays = 92;
const hourlyDays = 8;
/** This day is compared to the current one, hour by hour, if the period is the 28 days of the console. */
const comparedDay = 28;
const yearDays = 365;
/** The maximum length of a month (days). */
const newestDays = 31;

/** The process handles no requests while the embedded database records a batch. */
const batchSize = 500;
const pauseMs = 5;

interface UsageServices {
  db: Database;
  usageMemory: UsageMemory;
}

export type DemoUsageEvent = Record<UsageField, string>;

interface Span {
  from: Date;
  until: Date;
}

/** Records the missing usage of the demo accounts for the newest month. Requests for usage wait until it is done. */
export async function loadNewestDemoUsage(services: UsageServices, now: Date): Promise<void> {
  for (const account of await accountsOf(services.db))
    await record(services, account, newestOf(endOf(account), now), now);
}

/** Records the missing usage of the demo accounts. @param signal stops it between two batches */
export async function loadDemoUsage(services: UsageServices, now: Date, signal?: AbortSignal): Promise<void> {
  const isToGoOn = async () => {
    // Requests are answered in the pauses: they share the connection of an embedded database.
    await setTimeout(pauseMs);
    return signal?.aborted !== true;
  };
  for (const account of await accountsOf(services.db)) {
    const newest = newestOf(endOf(account), now);
    await record(services, account, newest, now, isToGoOn);
    await record(services, account, { from: yearBefore(endOf(account)), until: newest.from }, now, isToGoOn);
  }
}

/** The demo accounts that have not been deleted. */
async function accountsOf(db: Database): Promise<Account[]> {
  return db.account.findMany({ where: { id: { in: demoAccounts.map(({ name }) => idOf(name)) } } });
}

function endOf({ createdAt }: Account): Date {
  return endFrom(createdAt);
}

function newestOf(end: Date, now: Date): Span {
  return { from: new Date(startOfDay(end).getTime() - newestDays * dayMs), until: now };
}

function yearBefore(end: Date): Date {
  return new Date(startOfDay(end).getTime() - yearDays * dayMs);
}

/** Records a period from its first missing batch onwards. */
async function record(
  { db, usageMemory }: UsageServices,
  account: Account,
  stretch: Span,
  now: Date,
  isToGoOn = async () => true,
): Promise<void> {
  const from = await recordedUntil(db, account.id, stretch);
  // Usually there is nothing new, because the current hour is not over.
  if (stretch.until.getTime() - from.getTime() < hourMs) return;
  const ends = await takenOverAt(db, account.id, workspacesOf(account.name), endOf(account));
  for (const batch of demoUsage(account.name, endOf(account), now, { ...stretch, from }, ends)) {
    if (!(await isToGoOn())) return;
    const results = await recordEvents(db, usageMemory, batch, () => usageWorkspaces(db, account.id), now);
    // Events of dropped months are rejected.
    const refused = results.find(({ outcome, field }) => outcome !== 'accepted' && field !== 'time');
    if (refused !== undefined) throw new Error(`usage of the demo was not taken: ${JSON.stringify(refused)}`);
  }
}

async function recordedUntil(db: Database, accountId: string, { from, until }: Span): Promise<Date> {
  const newest = await db.usageEvent.findFirst({
    where: { accountId, source: demoSource, id: { gt: afterHour(from), lt: afterHour(until) } },
    orderBy: { id: 'desc' },
    select: { id: true },
  });
  return newest === null ? from : new Date(`${newest.id.slice(0, spanNameLength)}:00:00Z`);
}

/** An id greater than those of all events that end by this time, and less than those of all others. */
function afterHour(time: Date): string {
  return spanName(new Date(time.getTime() + hourMs));
}

/**
 * The usage of a demo account in batches, in the order of time. The same arguments return the same usage.
 *
 * @param end the end of the demo data when its accounts were loaded.
 * @param span the period; a year up to the present by default.
 * @param ends when the data plane took over each resource, by id.
 */
export function* demoUsage(
  account: string,
  end: Date,
  now: Date,
  { from = yearBefore(end), until = now }: Partial<Span> = {},
  ends: ReadonlyMap<string, Date> = new Map(),
): Generator<DemoUsageEvent[]> {
  const all = workspacesOf(account).flatMap((workspace) => demoMeters(workspace, usualAgentCount(workspace), end));
  const meters = all.map((meter) => ({ ...meter, endsAt: ends.get(meter.resourceUuid) }));
  let batch: DemoUsageEvent[] = [];
  for (const span of spansOf({ from, until }, now)) {
    for (const meter of meters) batch.push(...eventsOf(account, meter, span, end));
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function workspacesOf(account: string): string[] {
  return demoAccounts.find(({ name }) => name === account)?.workspaces ?? [];
}

function startOfDay(time: Date): Date {
  return new Date(Math.floor(time.getTime() / dayMs) * dayMs);
}

/** Complete weeks, then days, then hours. A week ends at the latest with its month or the period. */
function* spansOf(stretch: Span, now: Date): Generator<Span> {
  const today = startOfDay(now);
  for (let { from } = stretch; ;) {
    const until = endOfSpan(from, today, stretch.until);
    if (until > stretch.until) return;
    yield { from, until };
    from = until;
  }
}

function endOfSpan(from: Date, today: Date, last: Date): Date {
  const ageDays = (today.getTime() - from.getTime()) / dayMs;
  const isMidnight = from.getTime() === startOfDay(from).getTime();
  if (!isMidnight || ageDays <= hourlyDays || ageDays === comparedDay) return new Date(from.getTime() + hourMs);
  const until = new Date(from.getTime() + dayMs);
  if (ageDays <= dailyDays) return until;
  const monday = 1;
  while (until.getTime() < last.getTime() && until.getUTCDay() !== monday && until.getUTCDate() !== 1) {
    until.setUTCDate(until.getUTCDate() + 1);
  }
  return until;
}

/** The end is not known before. */
interface EndingMeter extends Meter {
  endsAt: Date | undefined;
}

/** Smaller amounts (in the unit of the dimension) would have a rounded cost of zero, so they have no event. */
const amountMin = 0.001;

/** The length of `2026-11-20T07`. */
const spanNameLength = 13;

function spanName(until: Date): string {
  return until.toISOString().slice(0, spanNameLength);
}

/** One event; undefined without usage. Its id starts with the end of its period, so that ids sort by time. */
function eventsOf(account: string, meter: EndingMeter, span: Span, end: Date): DemoUsageEvent[] {
  const { workspace, resourceName, resourceUuid, billingDimension } = meter;
  const { resourceType } = billingDimensions[billingDimension];
  const seed = `${workspace} ${resourceName} ${billingDimension}`;
  const amount = amountOf(meter, span, seed, end);
  if (amount < amountMin) return [];
  return [
    {
      source: demoSource,
      id: `${spanName(span.until)} ${seed}`,
      account,
      workspace,
      resourceType,
      resourceName,
      resourceUuid,
      billingDimension,
      time: span.from.toISOString(),
      ...pricedUsage(billingDimension, amount),
    },
  ];
}

function perDayAt({ before, perDay }: Meter, at: Date): number {
  return before !== undefined && at < before.until ? before.perDay : perDay;
}

function amountOf(meter: EndingMeter, { from, until }: Span, seed: string, end: Date): number {
  const isHour = until.getTime() - from.getTime() === hourMs;
  const stepMs = isHour ? hourMs : dayMs;
  const isHit = meter.workspace === mainWorkspace && meter.resourceName.startsWith('invoice-');
  let amount = 0;
  for (let time = from.getTime(); time < until.getTime(); time += stepMs) {
    const at = new Date(time);
    if (at < meter.from || at >= meter.to) continue;
    const share = Math.min(1, ((meter.endsAt?.getTime() ?? Number.POSITIVE_INFINITY) - time) / stepMs);
    if (share <= 0) continue;
    // Storage is charged by the day, at midnight.
    const perDay = perDayAt(meter, at);
    if (meter.rhythm === 'steady') amount += at.getUTCHours() === 0 ? perDay * share : 0;
    else {
      const part = isHour ? hourShare(meter.rhythm, at) : 1;
      amount += perDay * share * part * load(meter.rhythm, at, seed, end) * (isHit ? incidentFactor(at, end) : 1);
    }
  }
  return amount;
}
