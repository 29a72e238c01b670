// What metrics answer, once for both doors. GraphQL's types are made from these shapes; REST, whose text is written
// straight from sums (report.ts), describes itself by the same fields.
import { z } from 'zod';
import { asDecimal } from '../schema/shape.js';
import { oneOf } from '../schema/values.js';
import { resolutions } from '../metering/window.js';

/** A number of JSON, and as a text exact whatever a client's numbers are. */
const amount = (description: string) => asDecimal(z.string().meta({ description, override: { type: 'number' } }));

const usageDescription = 'Only when groupBy has BILLING_DIMENSION: units are never mixed.';

export const resolutionWord = oneOf(resolutions).meta({
  id: 'MetricsResolution',
  description: 'The size of a bucket of time.',
});

/** What was asked for, as it was understood. */
export const metricsWindow = z.object({
  startTime: z.iso.datetime().meta({ description: 'Start of the window, inclusive.' }),
  endTime: z.iso.datetime().meta({ description: 'End of the window, exclusive.' }),
  resolution: resolutionWord
    .readonly()
    .meta({ description: 'The one that was asked for, or the default of the window.' }),
  timeZone: z.string().meta({ description: 'The zone whose hours, days, weeks and months the buckets are.' }),
});

const bucketDescription =
  'One step of the window. The first may begin before the window, but counts only what is in it.';

/** A step of the window in what one resource costs, of which no usage is told. */
export const costBucket = z
  .object({
    timestamp: z.iso.datetime().meta({ description: 'When the bucket begins.' }),
    cost: amount('USD, exact; 0 without activity.'),
  })
  .meta({ id: 'CostBucket', description: bucketDescription });

export const metricsBucket = costBucket
  .extend({ usage: amount(usageDescription).optional() })
  .meta({ id: 'AccountMetricsBucket', description: bucketDescription });

export type MetricsBucket = z.output<typeof metricsBucket>;

export const metricsSummary = z
  .object({ totalCost: amount('USD, exact.'), totalUsage: amount(usageDescription).optional() })
  .meta({ id: 'AccountMetricsSummary', description: 'Sums over the whole window, of all groups.' });

/** One group, but for its buckets. REST has its sums in a `summary`, GraphQL beside its values. */
export const metricsEntry = z
  .object({
    workspace: z.string().optional().meta({ description: 'Filled by WORKSPACE, RESOURCE_UUID and RESOURCE_NAME.' }),
    resourceType: z
      .string()
      .optional()
      .meta({ description: 'Filled by RESOURCE_TYPE, RESOURCE_UUID, RESOURCE_NAME and BILLING_DIMENSION.' }),
    resourceName: z.string().optional().meta({ description: 'Filled by RESOURCE_NAME and RESOURCE_UUID.' }),
    resourceUuid: z
      .string()
      .optional()
      .meta({ description: 'Filled by RESOURCE_UUID; empty where the resource type has none.' }),
    cost: amount('USD over the window, exact.'),
    usage: amount(usageDescription).optional(),
  })
  .meta({
    id: 'AccountMetricsEntry',
    description: 'One group. Beside what was asked for, fields are filled that are the same throughout it.',
  });

export type MetricsEntry = z.output<typeof metricsEntry>;
