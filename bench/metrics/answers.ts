// An answer is measured only when it is right: every group and bucket, and the sum, as a peer has them.
import { startHourOf } from './peers.js';
import type { Rows } from './peers.js';
import type { BenchQuery } from './queries.js';

interface Answer {
  values?: string[];
  summary: { totalCost: number; totalUsage?: number };
  data: (Record<string, string> & {
    summary: { cost: number; usage?: number };
    timeseries: { timestamp: string; cost: number; usage?: number }[];
  })[];
}

const fieldOf = {
  workspace: 'workspace',
  resource_type: 'resourceType',
  billing_dimension: 'billingDimension',
  resource_uuid: 'resourceUuid',
} as const;

/** @throws when the two are not the same, to the nano-dollar. */
export function checkAnswer(
  query: BenchQuery,
  text: string,
  peer: string,
  rows: Rows,
): { groups: number; buckets: number } {
  const answer: Answer = JSON.parse(text);
  if (query.isOfTypes) {
    const types = rows.map(([type]) => String(type));
    expectSame(query, peer, 'types', answer.values?.join(), types.toSorted().join());
    return { groups: types.length, buckets: 1 };
  }
  const found = new Map<string, bigint>();
  let total = 0n;
  for (const row of rows) {
    const [cost, usage] = [BigInt(String(row.at(-2))), BigInt(String(row.at(-1)))];
    const isTotal = query.page !== undefined && row[0] === 'all';
    if (isTotal || query.page === undefined) total += cost;
    if (isTotal) continue;
    const key = [...row.slice(0, -3), startHourOf(query.resolution, row.at(-3))].join('\n');
    found.set(`${key} cost`, cost);
    if (query.groupBy.includes('billing_dimension')) found.set(`${key} usage`, usage);
  }
  const ours = new Map<string, bigint>();
  let sum = 0n;
  for (const { summary, timeseries, ...fields } of answer.data) {
    sum += units(summary.cost, 9);
    const names = query.groupBy.map((dimension) => new Map(Object.entries(fields)).get(fieldOf[dimension]));
    for (const { timestamp, cost, usage } of timeseries) {
      if (cost === 0 && (usage ?? 0) === 0) continue;
      const key = [...names, Date.parse(timestamp) / 3_600_000].join('\n');
      ours.set(`${key} cost`, units(cost, 9));
      if (usage !== undefined) ours.set(`${key} usage`, units(usage, 6));
    }
  }
  expectSame(query, peer, 'buckets', ours.size, found.size);
  for (const [key, amount] of found) expectSame(query, peer, key, ours.get(key), amount);
  expectSame(query, peer, 'totalCost', units(answer.summary.totalCost, 9), total);
  if (query.page === undefined) expectSame(query, peer, 'groups', sum, total);
  return { groups: answer.data.length, buckets: answer.data[0]?.timeseries.length ?? 0 };
}

/** A double holds every amount of the dataset to the last unit, as all are below 2^53 units. */
function units(amount: number, digits: number): bigint {
  const whole = Math.round(amount * 10 ** digits);
  if (!Number.isSafeInteger(whole)) throw new RangeError(`${amount} is too much to be compared`);
  return BigInt(whole);
}

function expectSame(query: BenchQuery, peer: string, what: string, one: unknown, other: unknown): void {
  if (one !== other) throw new Error(`${query.name}: ${what}: ${String(one)} is ${String(other)} with ${peer}`);
}
