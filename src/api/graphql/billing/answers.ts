// Converts sums to the GraphQL values of account metrics.
import type { z } from 'zod';
import type { Position } from '../../../pagination/page.js';
import { textFromInstant } from '../../../metering/instant.js';
import { dateTime } from './time.js';
import { timeZoneName } from '../../../billing/metrics-query.js';
import type { MetricsQuery } from '../../../billing/metrics-query.js';
import type {
  MetricsBucket,
  MetricsEntry,
  MetricsLabel,
  metricsSummary,
  metricsWindow,
} from '../../../billing/metrics-shape.js';
import type { MetricsPage } from '../../../billing/read-metrics.js';
import { bucketTimes, costText, hasUsage, labelsOf, usageText } from '../../../billing/report.js';
import type { BucketAmounts, MetricsGroup, MetricsReport } from '../../../billing/report.js';

export function windowAnswer(query: MetricsQuery): z.output<typeof metricsWindow> {
  const { window, resolution } = query;
  return {
    startTime: dateTime(textFromInstant(window.start)),
    endTime: dateTime(textFromInstant(window.end)),
    resolution,
    timeZone: timeZoneName(query),
  };
}

export function summaryAnswer({ query, total }: MetricsReport): z.output<typeof metricsSummary> {
  return { totalCost: costText(total), totalUsage: hasUsage(query) ? usageText(total) : undefined };
}

/** A group of account metrics with its position in the list and its buckets. */
export interface EntryAnswer extends MetricsEntry {
  position: Position;
  billingDimension: string | undefined;
  labels: MetricsLabel[];
  buckets: () => MetricsBucket[];
}

export function entryAnswers(page: MetricsPage): EntryAnswer[] {
  const { query } = page;
  const withUsage = hasUsage(query);
  let known: string[] | undefined;
  // All groups of a page have the same bucket times.
  const times = () => (known ??= bucketTimes(query).map(dateTime));
  return page.groups.map((group) => {
    const { values } = group;
    return {
      workspace: values.workspace,
      resourceType: values.resource_type,
      resourceName: values.resource_name,
      resourceUuid: values.resource_uuid,
      billingDimension: values.billing_dimension,
      labels: labelsOf(query, group),
      cost: costText(group),
      usage: withUsage ? usageText(group) : undefined,
      position: page.positionOf(group),
      buckets: () => bucketAnswers(times(), group.buckets, withUsage),
    };
  });
}

const nothing: BucketAmounts = { cost: '0', usage: '0' };

function bucketAnswers(
  times: readonly string[],
  amounts: MetricsGroup['buckets'],
  withUsage: boolean,
): MetricsBucket[] {
  return times.map((timestamp, order) => {
    const bucket = amounts.get(order) ?? nothing;
    return { timestamp, cost: costText(bucket), usage: withUsage ? usageText(bucket) : undefined };
  });
}
