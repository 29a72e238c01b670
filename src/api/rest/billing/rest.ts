import { z } from 'zod';
import { noParameters, onlyParameters } from '../input.js';
import { route } from '../route.js';
import type { Route } from '../route.js';
import { billingDimensions, groupDimensions } from '../../../metering/dimensions.js';
import { exportFormOf, exportForms, exportProfileOf, exportProfiles, isRawExport } from '../../../billing/export.js';
import { streamMetrics } from '../../../billing/exports.js';
import { askedInRest, groupByMax, metricsLimitDefault, metricsLimitMax } from '../../../billing/metrics-query.js';
import { metricsBucket, metricsEntry } from '../../../billing/metrics-shape.js';
import { listGroupDimensions, listResourceTypes } from '../../../billing/metrics-enums.js';
import { getMetrics } from '../../../billing/metrics.js';
import { textFromReport } from '../../../billing/report.js';
import { resolutions } from '../../../metering/window.js';

/** A field of a shape, in REST's words. */
const described = <Schema extends z.ZodType>(field: Schema, description: string) => field.meta({ description });

const instant = described(metricsBucket.shape.timestamp, 'RFC 3339 timestamp in UTC.');
const cost = described(metricsBucket.shape.cost, 'Cost (USD, exact to the nano-dollar).');
const usage = described(
  metricsBucket.shape.usage,
  'Usage in the unit of the billing dimension. Returned only if groupBy has billing_dimension.',
);
const { workspace, resourceType, resourceName, resourceUuid } = metricsEntry.shape;

const entry = z
  .object({
    workspace: described(workspace, 'Workspace of the group. Set by workspace, resource_uuid and resource_name.'),
    resourceType: described(
      resourceType,
      'Resource type of the group. Set by resource_type, resource_uuid, resource_name and billing_dimension.',
    ),
    resourceName: described(resourceName, 'Resource name of the group. Set by resource_name and resource_uuid.'),
    resourceUuid: described(
      resourceUuid,
      'Resource UUID of the group. Set by resource_uuid; empty if the resource type has none.',
    ),
    billingDimension: z
      .string()
      .optional()
      .meta({ description: 'Billing dimension of the group. Set by billing_dimension.' }),
    summary: z.object({ cost, usage }),
    timeseries: z.array(z.object({ timestamp: instant, cost, usage })),
  })
  .meta({ id: 'AccountMetricsDataEntry' });

const metricsBody = z
  .object({
    startTime: instant,
    endTime: instant,
    resolution: z.string(),
    summary: z.object({ totalCost: cost, totalUsage: usage }),
    data: z.array(entry),
    meta: z.object({ hasMore: z.boolean(), nextCursor: z.string() }),
  })
  .meta({ id: 'AccountMetricsResponse' });

const values = z.object({ values: z.array(z.string()) });

const accountParameters = z.object({
  accountId: z.string().meta({ description: 'ID of the account, as returned by /accounts.' }),
});

/** Required parameters. A missing one is reported together with other errors, after the authorization. */
const requiredTime = (edge: string) =>
  z
    .string()
    .optional()
    .meta({
      description: `${edge} (RFC 3339, years 2000 to 2100).`,
      override: { type: 'string', format: 'date-time' },
      param: { required: true },
    });

const windowQuery = {
  startTime: requiredTime('Start of the window, inclusive'),
  endTime: requiredTime('End of the window, exclusive'),
};

const text = (description: string, override: Record<string, unknown> = { type: 'string' }) =>
  z.string().optional().meta({ description, override });

const metricsParameters = onlyParameters(
  z.object({
    ...windowQuery,
    resolution: text('Size of a time bucket. Chosen from the length of the window if omitted.', {
      type: 'string',
      enum: Object.keys(resolutions),
    }),
    timeZone: text('IANA time zone of the buckets, such as Europe/Berlin (default: UTC).'),
    groupBy: text(
      `Dimensions to group by, separated by commas: at most ${groupByMax} of ${Object.keys(groupDimensions).join(', ')}.`,
    ),
    workspace: text('Filter by workspace. Account admins only.'),
    resourceType: text('Filter by raw resource type.'),
    resourceName: text('Filter by resource name.'),
    resourceUuid: text('Filter by resource UUID or instance ID.'),
    billingDimension: text(
      `Filter by billing dimension: ${Object.keys(billingDimensions).join(', ')}, or a custom dimension.`,
    ),
    limit: text(
      `Groups per page (default: ${metricsLimitDefault}). Values above ${metricsLimitMax} are treated as ${metricsLimitMax}.`,
      {
        type: 'integer',
        minimum: 1,
        default: metricsLimitDefault,
      },
    ),
    cursor: text('Value of meta.nextCursor of the previous page of the same query.'),
    profile: text('Profile of a CSV export; not available for JSON. focus: charges in the columns of FOCUS 1.2.', {
      type: 'string',
      enum: Object.keys(exportProfiles),
    }),
    raw: text(
      'Whether a CSV export has texts unchanged. By default, a text that a spreadsheet would run as a formula gets an ' +
        'apostrophe in front.',
      { type: 'boolean', default: false },
    ),
    label: text('Not supported. Returns 400.'),
    unit: text('Not supported. Returns 400.'),
  }),
);

const example = {
  startTime: '2026-11-01T00:00:00Z',
  endTime: '2026-11-03T00:00:00Z',
  resolution: 'daily',
  summary: { totalCost: 2.5, totalUsage: 1200.25 },
  data: [
    {
      resourceType: 'agent',
      billingDimension: 'agent_compute_runtime_gbs',
      summary: { cost: 2.5, usage: 1200.25 },
      timeseries: [
        { timestamp: '2026-11-01T00:00:00Z', cost: 2.5, usage: 1200.25 },
        { timestamp: '2026-11-02T00:00:00Z', cost: 0, usage: 0 },
      ],
    },
  ],
  meta: { hasMore: false, nextCursor: '' },
};

const common = { method: 'GET', scope: 'metrics:read', isInWorkspace: false, errors: [] } as const;

export const metricsRoutes: Route[] = [
  route({
    ...common,
    errors: [],
    path: '/accounts/{accountId}/metrics',
    operation: 'GetAccountMetrics',
    summary: 'Returns the cost and usage of an account in a window, in time buckets, by up to three dimensions.',
    parameters: accountParameters,
    query: metricsParameters,
    body: metricsBody,
    example,
    otherForms: exportForms,
    answer: async ({ ctx, parameters: { accountId }, query, accept }) => {
      const form = exportFormOf(accept);
      const parse = () => askedInRest(query());
      const optionsOf = () => {
        const { profile, raw } = query();
        return { profile: exportProfileOf(profile, form), isRaw: isRawExport(raw, form) };
      };
      if (form !== undefined) {
        const pieces = streamMetrics(ctx, accountId, parse, () => ({ form, ...optionsOf() }));
        return { pieces, mediaType: form };
      }
      const parseJson = () => {
        optionsOf();
        return parse();
      };
      return { text: textFromReport(await getMetrics(ctx, accountId, parseJson)) };
    },
  }),
  route({
    ...common,
    errors: [],
    path: '/accounts/{accountId}/metrics/enums/group-by',
    operation: 'ListAccountMetricsGroupBy',
    summary: 'Lists the dimensions that metrics can be grouped by.',
    parameters: accountParameters,
    query: onlyParameters(noParameters),
    body: values,
    example: { values: Object.keys(groupDimensions) },
    answer: async ({ ctx, parameters: { accountId }, query }) => {
      const dimensions = listGroupDimensions(ctx, accountId);
      query();
      return { body: { values: dimensions } };
    },
  }),
  route({
    ...common,
    errors: [],
    path: '/accounts/{accountId}/metrics/enums/resource-types',
    operation: 'ListAccountMetricsResourceTypes',
    summary: 'Lists the resource types with usage in a window.',
    parameters: accountParameters,
    query: onlyParameters(z.object(windowQuery)),
    body: values,
    example: { values: ['agent', 'sandbox'] },
    answer: async ({ ctx, parameters: { accountId }, query }) => ({
      body: { values: await listResourceTypes(ctx, accountId, query) },
    }),
  }),
];
