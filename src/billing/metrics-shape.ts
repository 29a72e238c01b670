// The schema of metrics for both transports. GraphQL derives its types from it. REST, which writes its text directly
// from sums (report.ts), uses it for its description.
import { z } from 'zod';
import { asDecimal } from '../schema/shape.js';
import { oneOf } from '../schema/values.js';
import { resolutions } from '../metering/window.js';

/** A JSON number in REST and text in GraphQL, so that it is exact for every client. */
const amount = (description: string) => asDecimal(z.string().meta({ description, override: { type: 'number' } }));

const usageDescription =
  'Usage in the unit of the billing dimension. Returned only if groupBy has BILLING_DIMENSION, because units are never mixed.';

export const resolutionWord = oneOf(resolutions).meta({
  id: 'MetricsResolution',
  description: 'Size of a time bucket.',
});

/** The parsed parameters. */
export const metricsWindow = z.object({
  startTime: z.iso.datetime().meta({ description: 'Start of the window (inclusive).' }),
  endTime: z.iso.datetime().meta({ description: 'End of the window (exclusive).' }),
  resolution: resolutionWord.readonly().meta({ description: 'Requested resolution, or the default of the window.' }),
  timeZone: z.string().meta({ description: 'Time zone of the hours, days, weeks and months of the buckets.' }),
});

const bucketDescription =
  'One time bucket. The first bucket can start before the window, but counts only usage within the window.';

/** A bucket of a resource's cost, without usage. */
export const costBucket = z
  .object({
    timestamp: z.iso.datetime().meta({ description: 'Start of the bucket.' }),
    cost: amount('Cost (USD, exact). 0 without activity.'),
  })
  .meta({ id: 'CostBucket', description: bucketDescription });

export const metricsBucket = costBucket
  .extend({ usage: amount(usageDescription).optional() })
  .meta({ id: 'AccountMetricsBucket', description: bucketDescription });

export type MetricsBucket = z.output<typeof metricsBucket>;

export const metricsSummary = z
  .object({ totalCost: amount('Cost (USD, exact).'), totalUsage: amount(usageDescription).optional() })
  .meta({ id: 'AccountMetricsSummary', description: 'Totals over the whole window and all groups.' });

/** A group without its buckets. REST has the sums in `summary`, GraphQL next to the values. */
export const metricsEntry = z
  .object({
    workspace: z
      .string()
      .optional()
      .meta({ description: 'Workspace of the group. Set by WORKSPACE, RESOURCE_UUID and RESOURCE_NAME.' }),
    resourceType: z.string().optional().meta({
      description:
        'Resource type of the group. Set by RESOURCE_TYPE, RESOURCE_UUID, RESOURCE_NAME and BILLING_DIMENSION.',
    }),
    resourceName: z
      .string()
      .optional()
      .meta({ description: 'Resource name of the group. Set by RESOURCE_NAME and RESOURCE_UUID.' }),
    resourceUuid: z
      .string()
      .optional()
      .meta({ description: 'Resource UUID of the group. Set by RESOURCE_UUID; empty if the resource type has none.' }),
    cost: amount('Cost over the window (USD, exact).'),
    usage: amount(usageDescription).optional(),
  })
  .meta({
    id: 'AccountMetricsEntry',
    description: 'One group. Fields with the same value throughout the group are set in addition to those of groupBy.',
  });

export const metricsLabel = z
  .object({
    key: z.string().meta({ description: 'Key of the label.' }),
    value: z.string().optional().meta({ description: 'Value of the label. Null for usage of resources without it.' }),
  })
  .meta({ id: 'AccountMetricsLabel', description: 'A label of a group, as the resources had it when they were used.' });

export type MetricsLabel = z.output<typeof metricsLabel>;

export const usedLabel = z
  .object({
    key: z.string().meta({ description: 'Key of the label.' }),
    values: z.array(z.string()).meta({ description: 'Values of the label, ordered by name (the first 100).' }),
  })
  .meta({ id: 'UsedLabel', description: 'A label that resources had when they were used.' });

export type UsedLabel = z.output<typeof usedLabel>;

export type MetricsEntry = z.output<typeof metricsEntry>;
