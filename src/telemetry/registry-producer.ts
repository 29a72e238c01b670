// Reads the metrics of a Prometheus registry as those of OpenTelemetry, so that both have the same figures.
import { ValueType } from '@opentelemetry/api';
import type { Attributes, HrTime } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import { AggregationTemporality, DataPointType } from '@opentelemetry/sdk-metrics';
import type { DataPoint, Histogram, MetricData, MetricProducer } from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue, MetricValueWithName, Registry } from 'prom-client';

type Metric = MetricObjectWithValues<MetricValue<string>>;
type Value = MetricValue<string> & Pick<Partial<MetricValueWithName<string>>, 'metricName'>;

/** The period that sums cover: from the start of the process until now. */
interface Period {
  startTime: HrTime;
  endTime: HrTime;
}

export function registryProducer(registry: Registry, version: string): MetricProducer {
  const startTime = millisToHrTime(performance.timeOrigin);
  return {
    collect: async () => {
      const found = await registry.getMetricsAsJSON();
      const period = { startTime, endTime: millisToHrTime(Date.now()) };
      const metrics = found
        .flatMap((metric) => metricData(metric, period))
        .filter(({ dataPoints }) => dataPoints.length > 0);
      const scopeMetrics = [{ scope: { name: 'workload-control-plane', version }, metrics }];
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
    },
  };
}

/** Counters and histograms are cumulative. The registry has no summaries. */
function metricData({ name, help, type, values }: Metric, period: Period): MetricData[] {
  const descriptor = { name, description: help, unit: '', valueType: ValueType.DOUBLE };
  const shared = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  // The types of prom-client say that `type` is an enum of numbers, but it is a text.
  switch (String(type)) {
    case 'counter':
      return [{ ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points(values, period) }];
    case 'gauge':
      return [{ ...shared, dataPointType: DataPointType.GAUGE, dataPoints: points(values, period) }];
    case 'histogram':
      return [{ ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(name, values, period) }];
    default:
      return [];
  }
}

/** Leaves out values such as infinity, which JSON has no number for. */
function points(values: readonly Value[], period: Period): DataPoint<number>[] {
  return values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value, labels }) => ({ ...period, attributes: attributesOf(labels), value }));
}

/** A histogram of Prometheus has a value for each bound, which includes those of lower bounds, and the sum and count. */
function histograms(name: string, values: readonly Value[], period: Period): DataPoint<Histogram>[] {
  const found = new Map<string, { attributes: Attributes; bounds: number[]; totals: number[]; sum: number }>();
  for (const { metricName, labels, value } of values) {
    const { le, ...attributes } = attributesOf(labels);
    const key = JSON.stringify(attributes);
    const each = found.get(key) ?? { attributes, bounds: [], totals: [], sum: 0 };
    found.set(key, each);
    if (metricName === `${name}_sum`) each.sum = value;
    if (metricName !== `${name}_bucket`) continue;
    if (le !== '+Inf') each.bounds.push(Number(le));
    each.totals.push(value);
  }
  return [...found.values()].map(({ attributes, bounds, totals, sum }) => {
    const counts = totals.map((total, order) => total - (totals[order - 1] ?? 0));
    const value = { buckets: { boundaries: bounds, counts }, sum, count: totals.at(-1) ?? 0 };
    return { ...period, attributes, value };
  });
}

function attributesOf(labels: Value['labels']): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
}
