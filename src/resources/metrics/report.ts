// From rows of sums to groups with a bucket for every step of the window, and from those to the text of the
// answer. Amounts stay whole numbers up to there, so the text is exact to the last digit.
import { costDigits, decimalFromUnits, usageDigits } from './amounts.js';
import type { GroupDimension } from './dimensions.js';
import { textFromInstant } from './instant.js';
import type { MetricsQuery } from './metrics-query.js';
import { bucketFromLevel, bucketsOf, startOf } from './window.js';

/** Cost in nano-dollars and usage in micro-units. */
export interface Amounts {
  cost: bigint;
  usage: bigint;
}

export interface MetricsGroup extends Amounts {
  /** Its values of the requested dimensions, in the order of keys. */
  key: string[];
  /** Those, and what it is enriched with. */
  values: Partial<Record<GroupDimension, string>>;
  /** What is not zero, by the order of the bucket from the first. */
  buckets: Map<number, Amounts>;
}

export interface MetricsReport {
  query: MetricsQuery;
  total: Amounts;
  groups: MetricsGroup[];
  hasMore: boolean;
  nextCursor: string;
}

/** Whether usage is answered: only of one unit at a time, so only beside billing dimensions. */
export function hasUsage({ groupBy }: Pick<MetricsQuery, 'groupBy'>): boolean {
  return groupBy.includes('billing_dimension');
}

/** Adds packed rows "group,level,bucket,cost,usage;…" to the buckets of their groups, which count from one. */
export function addRows(query: MetricsQuery, groups: readonly MetricsGroup[], rows: string): void {
  if (rows === '') return;
  const { first } = bucketsOf(query.window, query.resolution);
  for (const row of rows.split(';')) {
    const [number = '', level = '', bucket = '', cost = '', usage = ''] = row.split(',');
    const group = groups[Number(number) - 1];
    if (group === undefined) continue;
    const order = bucketFromLevel(query.resolution, Number(level), Number(bucket)) - first;
    const before = group.buckets.get(order);
    group.buckets.set(
      order,
      before === undefined
        ? { cost: BigInt(cost), usage: BigInt(usage) }
        : { cost: before.cost + BigInt(cost), usage: before.usage + BigInt(usage) },
    );
  }
}

/** When each bucket begins, in RFC 3339 UTC. The first may begin before the window (decision 33). */
export function bucketTimes({ window, resolution }: MetricsQuery): string[] {
  const { first, count } = bucketsOf(window, resolution);
  return Array.from({ length: count }, (_, order) =>
    textFromInstant({ hour: startOf(resolution, first + order), nano: 0 }),
  );
}

const fieldNames: Readonly<Record<GroupDimension, string>> = {
  workspace: 'workspace',
  resource_type: 'resourceType',
  resource_name: 'resourceName',
  resource_uuid: 'resourceUuid',
  billing_dimension: 'billingDimension',
};

const fieldOrder = ['workspace', 'resource_type', 'resource_name', 'resource_uuid', 'billing_dimension'] as const;

/** The body of AccountMetricsResponse. */
export function textFromReport(report: MetricsReport): string {
  const { query, total } = report;
  const withUsage = hasUsage(query);
  const starts = bucketTimes(query).map((time) => `{"timestamp":"${time}","cost":`);
  const summary = `"totalCost":${costText(total)}${withUsage ? `,"totalUsage":${usageText(total)}` : ''}`;
  const data = report.groups.map((group) => entryText(group, starts, withUsage));
  return (
    `{"startTime":"${textFromInstant(query.window.start)}","endTime":"${textFromInstant(query.window.end)}",` +
    `"resolution":"${query.resolution}","summary":{${summary}},"data":[${data.join(',')}],` +
    `"meta":{"hasMore":${report.hasMore},"nextCursor":${JSON.stringify(report.nextCursor)}}}`
  );
}

function entryText(group: MetricsGroup, starts: readonly string[], withUsage: boolean): string {
  const values = fieldOrder.map((dimension) => {
    const value = group.values[dimension];
    return value === undefined ? '' : `"${fieldNames[dimension]}":${JSON.stringify(value)},`;
  });
  const end = withUsage ? ',"usage":0}' : '}';
  const series = starts.map((start, order) => {
    const amounts = group.buckets.get(order);
    if (amounts === undefined) return `${start}0${end}`;
    return `${start}${costText(amounts)}${withUsage ? `,"usage":${usageText(amounts)}` : ''}}`;
  });
  const summary = `"cost":${costText(group)}${withUsage ? `,"usage":${usageText(group)}` : ''}`;
  return `{${values.join('')}"summary":{${summary}},"timeseries":[${series.join(',')}]}`;
}

export function costText({ cost }: Pick<Amounts, 'cost'>): string {
  return decimalFromUnits(cost, costDigits);
}

export function usageText({ usage }: Pick<Amounts, 'usage'>): string {
  return decimalFromUnits(usage, usageDigits);
}
