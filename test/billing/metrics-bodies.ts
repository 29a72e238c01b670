// Account metrics through REST: how they are asked for, and the whole body that a recount of the events expects.
import { expect } from 'vitest';
import { rest } from '../harness.js';
import type { Answer, TestApp } from '../harness.js';
import { recount } from './recount.js';
import type { PlainEvent, PlainQuery } from './recount.js';

export type Words = Record<string, string>;

/** One query with an API key. */
export function askMetrics(app: TestApp, who: { accountId: string; key: string }, words: Words): Promise<Answer> {
  return rest(app, `/accounts/${who.accountId}/metrics?${new URLSearchParams(words).toString()}`, { key: who.key });
}

/** The parameters of a query in words. */
export function wordsOf({ groupBy, filters, ...rest }: PlainQuery): Words {
  return { ...rest, ...filters, ...(groupBy.length === 0 ? {} : { groupBy: groupBy.join(',') }) };
}

/** The body of one page, to the last digit. */
export function expectedBody(
  events: readonly PlainEvent[],
  query: PlainQuery,
  page: { from: number; size: number } = { from: 0, size: 100 },
): unknown {
  const entries = recount(events, query);
  const hasUsage = query.groupBy.includes('billing_dimension');
  const { startTime, endTime, resolution } = query;
  const usage = (units: bigint) => (hasUsage ? { usage: numberFrom(units, 6) } : {});
  const hasMore = page.from + page.size < entries.length;
  const total = (field: 'cost' | 'usage') => entries.reduce((sum, entry) => sum + entry[field], 0n);
  return {
    startTime,
    endTime,
    resolution,
    summary: {
      totalCost: numberFrom(total('cost'), 9),
      ...(hasUsage ? { totalUsage: numberFrom(total('usage'), 6) } : {}),
    },
    data: entries.slice(page.from, page.from + page.size).map((entry) => ({
      ...entry.fields,
      summary: { cost: numberFrom(entry.cost, 9), ...usage(entry.usage) },
      timeseries: entry.timeseries.map((bucket) => ({
        timestamp: bucket.timestamp,
        cost: numberFrom(bucket.cost, 9),
        ...usage(bucket.usage),
      })),
    })),
    meta: { hasMore, nextCursor: hasMore ? expect.stringMatching(/^[\w.~-]+$/) : '' },
  };
}

/** The double that a JSON number of so many units is read as. */
function numberFrom(units: bigint, digits: number): number {
  const scale = 10n ** BigInt(digits);
  return Number(`${units / scale}.${String(units % scale).padStart(digits, '0')}`);
}

export async function expectRefusal(answer: Promise<Answer>, error: string, message: string): Promise<void> {
  const { status, body } = await answer;
  expect({ status, error: body.error, message: body.message }).toEqual({
    status: error === 'access_denied' ? 403 : 400,
    error,
    message,
  });
}
