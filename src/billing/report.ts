// Converts rows of sums to groups with a bucket for each step of the window, and these to the text of the response.
// Amounts are whole numbers until then, so the text is exact.
import { costDigits, decimalFromText, usageDigits } from '../metering/amounts.js';
import { labelColumns } from '../metering/dimensions.js';
import type { GroupDimension, KeyColumn } from '../metering/dimensions.js';
import { textFromInstant } from '../metering/instant.js';
import { labelValue } from '../metering/label-query.js';
import type { WalkedGroup } from './group-walk.js';
import type { MetricsQuery } from './metrics-query.js';
import type { Grouping, Sums } from './metrics-statements.js';
import { eachRow } from './packed-rows.js';
import type { GroupRows } from './points-statements.js';
import { bucketFromLevel, bucketsOf, ownBuckets, startOf } from '../metering/window.js';
import { orderOf } from './zoned-buckets.js';

/** Cost in nano-dollars and usage in micro-units. */
export interface Amounts {
  cost: bigint;
  usage: bigint;
}

/** The amounts of one bucket, as text: there are many, and few are added up. */
export interface BucketAmounts {
  cost: string;
  usage: string;
}

export interface MetricsGroup extends Amounts {
  /** The group's values of the requested dimensions, in key order. */
  key: string[];
  /** The key's values and the enriching values. */
  values: Partial<Record<KeyColumn, string>>;
  /** Buckets that are not zero, by their index from 0. */
  buckets: Map<number, BucketAmounts>;
}

export interface MetricsReport {
  query: MetricsQuery;
  total: Amounts;
  groups: MetricsGroup[];
  hasMore: boolean;
  nextCursor: string;
}

/** Whether the response has usage. Units differ, so only when grouped by billing dimension. */
export function hasUsage({ groupBy }: Pick<MetricsQuery, 'groupBy'>): boolean {
  return groupBy.includes('billing_dimension');
}

/** Returns the keys of the labels that a query groups by, in the order of groups. */
export function groupedLabels({ groupBy, labels }: Pick<MetricsQuery, 'groupBy' | 'labels'>): string[] {
  return groupBy.flatMap((column) => labels?.keys.filter((_, order) => labelColumns[order] === column) ?? []);
}

/** Returns the labels of a group that its query groups by. A value is undefined for usage without the label. */
export function labelsOf(query: MetricsQuery, { key }: MetricsGroup): { key: string; value: string | undefined }[] {
  const labels = groupedLabels(query);
  // The columns of labels follow those of dimensions.
  const first = query.groupBy.length - labels.length;
  return labels.map((label, order) => ({ key: label, value: labelValue(key[first + order] ?? '') }));
}

/** Returns the groups of sums. Their buckets stay packed. */
export function groupsFromSums({ groups }: Sums, { groupBy, enriched }: Grouping): MetricsGroup[] {
  const dimensions = [...groupBy, ...enriched];
  return groups.map(([cost, usage, , ...found]) => {
    const values: MetricsGroup['values'] = {};
    for (const [index, dimension] of dimensions.entries()) {
      const value = found[index];
      if (value != null) values[dimension] = value;
    }
    const key = groupBy.map((dimension) => values[dimension] ?? '');
    return { key, values, cost: BigInt(cost ?? 0), usage: BigInt(usage ?? 0), buckets: new Map() };
  });
}

/** Returns the groups of a walk, without sums. */
export function groupsFromWalk(walked: readonly WalkedGroup[]): MetricsGroup[] {
  return walked.map(({ key, values }) => ({ key, values, cost: 0n, usage: 0n, buckets: new Map() }));
}

/** Returns the packed rows of each group. */
export function rowsOfSums({ groups }: Sums): string[] {
  return groups.map(([, , rows]) => rows ?? '');
}

/** Returns the packed rows of `count` groups, empty for a group that was not found. */
export function rowsOfGroups(count: number, found: GroupRows): string[] {
  const rows = Array.from({ length: count }, () => '');
  for (const [number, packed] of found) rows[number - 1] = packed;
  return rows;
}

/** Adds the packed rows of each group to its buckets. */
export function addRows(
  query: MetricsQuery,
  groups: readonly Pick<MetricsGroup, 'buckets'>[],
  rows: readonly string[],
): void {
  const orderIn = bucketOrder(query);
  for (const [index, { buckets }] of groups.entries()) {
    eachRow(rows[index] ?? '', (level, bucket, cost, usage) => {
      const order = orderIn(level, bucket);
      const before = buckets.get(order);
      buckets.set(
        order,
        before === undefined ? { cost, usage } : { cost: sumOf(before.cost, cost), usage: sumOf(before.usage, usage) },
      );
    });
  }
}

/** Adds two whole numbers. */
export function sumOf(one: string, other: string): string {
  return (BigInt(one) + BigInt(other)).toString();
}

/** Whether a bucket is empty, because its events were voided or moved to another bucket. */
export function isZero({ cost, usage }: BucketAmounts): boolean {
  return cost === '0' && usage === '0';
}

/** Adds all buckets to a total. */
export function addUp(total: Amounts, buckets: MetricsGroup['buckets']): void {
  for (const { cost, usage } of buckets.values()) {
    total.cost += BigInt(cost);
    total.usage += BigInt(usage);
  }
}

/** Returns a function from a bucket of a level to the index of the window's bucket that contains it. */
export function bucketOrder({ window, resolution, zoned }: MetricsQuery): (level: number, bucket: number) => number {
  if (zoned !== undefined) return (level, bucket) => (level === ownBuckets ? bucket : orderOf(zoned, level, bucket));
  const { first } = bucketsOf(window, resolution);
  return (level, bucket) => bucketFromLevel(resolution, level, bucket) - first;
}

/** Returns the start of each bucket (RFC 3339, UTC). The first can be before the window (decision 33). */
export function bucketTimes({ window, resolution, zoned }: MetricsQuery): string[] {
  if (zoned !== undefined) return zoned.starts.map(textFromInstant);
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

/** Returns the body of AccountMetricsResponse. */
export function textFromReport(report: MetricsReport): string {
  const { query, total } = report;
  const withUsage = hasUsage(query);
  const summary = `"totalCost":${costText(total)}${withUsage ? `,"totalUsage":${usageText(total)}` : ''}`;
  const data = entriesText(report);
  return (
    `{"startTime":"${textFromInstant(query.window.start)}","endTime":"${textFromInstant(query.window.end)}",` +
    `"resolution":"${query.resolution}","summary":{${summary}},"data":[${data.join(',')}],` +
    `"meta":{"hasMore":${report.hasMore},"nextCursor":${JSON.stringify(report.nextCursor)}}}`
  );
}

/** Returns each group as an entry of the response. */
export function entriesText({ query, groups }: Pick<MetricsReport, 'query' | 'groups'>): string[] {
  const starts = bucketTimes(query).map((time) => `{"timestamp":"${time}","cost":`);
  return groups.map((group) => entryText(query, group, starts));
}

function entryText(query: MetricsQuery, group: MetricsGroup, starts: readonly string[]): string {
  const withUsage = hasUsage(query);
  const labels = labelsOf(query, group).map(
    ({ key, value }) => `${JSON.stringify(key)}:${JSON.stringify(value ?? null)}`,
  );
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
  const labelsText = labels.length === 0 ? '' : `"labels":{${labels.join(',')}},`;
  return `{${values.join('')}${labelsText}"summary":{${summary}},"timeseries":[${series.join(',')}]}`;
}

export function costText({ cost }: Pick<Amounts | BucketAmounts, 'cost'>): string {
  return decimalFromText(cost.toString(), costDigits);
}

export function usageText({ usage }: Pick<Amounts | BucketAmounts, 'usage'>): string {
  return decimalFromText(usage.toString(), usageDigits);
}
