import type { AccessibleAccount } from '../../../auth/caller.js';
import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { connectionComplexity, connectionFromPage, sliceFromArguments } from '../connection.js';
import { selectedPaths } from '../selection.js';
import { lazyFields, objectType } from '../shape-type.js';
import { AccountType } from '../accounts/accounts.js';
import { getDataThrough } from '../../../billing/data-through.js';
import { entryAnswers, summaryAnswer, windowAnswer } from './answers.js';
import type { EntryAnswer } from './answers.js';
import { DimensionEnum, MetricsOrderInput, ResolutionEnum, timeZoneArgument } from './enums.js';
import { SettingsType } from './settings.js';
import { dateTime } from './time.js';
import { groupByMax, metricsLimitDefault } from '../../../billing/metrics-query.js';
import { PagedMetrics } from '../../../billing/paged-metrics.js';
import { groupByLabelsMax, labelKeysMax } from '../../../metering/label-query.js';
import { LabelFilter } from '../filter-argument.js';
import {
  metricsBucket,
  metricsEntry,
  metricsLabel,
  metricsSummary,
  metricsWindow,
  usedLabel,
} from '../../../billing/metrics-shape.js';
import { listResourceTypes, listUsedLabels } from '../../../billing/metrics-enums.js';

const SummaryType = objectType(metricsSummary);

const BucketType = objectType(metricsBucket);

const LabelType = objectType(metricsLabel);

const UsedLabelType = objectType(usedLabel);

const EntryType = objectType<typeof metricsEntry, EntryAnswer>(metricsEntry);

builder.objectFields(EntryType, (t) => ({
  billingDimension: t.exposeString('billingDimension', {
    description: 'Name of the billing dimension, or null unless grouped by BILLING_DIMENSION.',
  }),
  labels: t.field({
    type: [LabelType],
    nullable: { list: false, items: false },
    complexity: { field: 1, multiplier: groupByLabelsMax },
    description: 'The labels of groupByLabels, in the order of their keys.',
    resolve: ({ labels }) => labels,
  }),
  timeseries: t.field({
    type: [BucketType],
    nullable: { list: false, items: false },
    complexity: { field: 5, multiplier: 10 },
    description: 'One bucket for each step of the window, in order, including buckets without activity.',
    resolve: (entry) => entry.buckets(),
  }),
}));

const MetricsType = builder.objectRef<PagedMetrics>('AccountMetrics').implement({
  description: 'Costs of one account in a time window. All fields and pages are read from one snapshot.',
  fields: (t) => ({
    ...lazyFields(metricsWindow, async (paged: PagedMetrics) => windowAnswer((await paged.sums()).query)),
    summary: t.field({
      type: SummaryType,
      nullable: false,
      resolve: async (paged) => summaryAnswer(await paged.sums()),
    }),
    entries: t.connection(
      {
        type: EntryType,
        nullable: false,
        description: `Groups of the metrics; a single group if groupBy is omitted. Default page size: ${metricsLimitDefault}.`,
        complexity: ({ first, last }) => connectionComplexity({ first: first ?? last ?? metricsLimitDefault }),
        resolve: async (paged, args, _ctx, info) => {
          const { size, direction, cursor, fields } = sliceFromArguments(args, metricsLimitDefault);
          const page = await paged.page({ limit: size, direction, cursor, cursorName: fields.cursor });
          const isForward = direction === 'forward';
          const paths = selectedPaths(info);
          const count = paths.has('totalCount') || paths.has('filteredCount') ? await page.countGroups() : 0;
          return {
            ...connectionFromPage(
              {
                items: entryAnswers(page),
                hasNext: isForward ? page.hasMore : cursor !== undefined,
                hasPrevious: isForward ? cursor !== undefined : page.hasMore,
              },
              page.cursors,
            ),
            total: count,
            // Filters are part of the query itself, so both counts are equal.
            filtered: count,
          };
        },
      },
      { name: 'AccountMetricsEntryConnection', description: 'A page of groups.' },
      { name: 'AccountMetricsEntryEdge', description: 'A group and its cursor.' },
    ),
  }),
});

/** The sums of labels have more rows than those of dimensions. */
const labelComplexity = 10;

builder.objectFields(AccountType, (t) => ({
  metrics: t.field({
    type: MetricsType,
    extensions: requiresScopes([['metrics:read']]),
    description:
      'Costs in a time window, in time buckets, grouped by up to three dimensions. Grouping or filtering by ' +
      'workspace needs an account admin.',
    args: {
      startTime: t.arg({ type: 'DateTime', required: true, description: 'Start of the window, inclusive.' }),
      endTime: t.arg({ type: 'DateTime', required: true, description: 'End of the window, exclusive.' }),
      resolution: t.arg({
        type: ResolutionEnum,
        description: 'Size of a bucket. Omitted: chosen by the length of the window.',
      }),
      ...timeZoneArgument,
      groupBy: t.arg({
        type: [DimensionEnum],
        description: `Dimensions to group by (at most ${groupByMax}, in any order).`,
      }),
      groupByLabels: t.arg.stringList({
        description:
          `Keys of labels to group by (at most ${groupByLabelsMax}), in addition to groupBy. Usage counts with the ` +
          'labels that its resource had at the time.',
      }),
      labels: t.arg({
        type: [LabelFilter],
        description:
          'Only usage of resources that had all of these labels at the time. A query has at most ' +
          `${labelKeysMax} different labels.`,
      }),
      workspace: t.arg.string({ description: 'Only this workspace.' }),
      resourceType: t.arg.string({ description: 'Only this raw resource type.' }),
      resourceName: t.arg.string({ description: 'Only resources of this name.' }),
      resourceUuid: t.arg.string({ description: 'Only this UUID or instance id.' }),
      billingDimension: t.arg.string({ description: 'Only the billing dimension of this name.' }),
      orderBy: t.arg({
        type: MetricsOrderInput,
        description: 'Order of the groups (default: by their values, in byte order, which new usage never changes).',
      }),
    },
    complexity: ({ groupByLabels, labels }) => ({
      field: 1 + labelComplexity * ((groupByLabels?.length ?? 0) + (labels?.length ?? 0)),
      multiplier: 1,
    }),
    resolve: (account, { groupBy, orderBy, ...fields }, ctx) => {
      const parameters = Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
      const grouped = groupBy == null || groupBy.length === 0 ? {} : { groupBy: groupBy.join(',') };
      return new PagedMetrics(
        ctx,
        account.id,
        { ...parameters, ...grouped },
        orderBy == null ? 'key' : `cost:${orderBy.direction}`,
      );
    },
  }),
  metricsResourceTypes: t.stringList({
    nullable: { list: true, items: false },
    complexity: { field: 5, multiplier: 1 },
    extensions: requiresScopes([['metrics:read']]),
    description: 'Resource types with usage in a time window, ordered by name.',
    args: {
      startTime: t.arg({ type: 'DateTime', required: true, description: 'Start of the window, inclusive.' }),
      endTime: t.arg({ type: 'DateTime', required: true, description: 'End of the window, exclusive.' }),
    },
    resolve: (account, window, ctx) => listResourceTypes(ctx, account.id, () => window),
  }),
  metricsLabels: t.field({
    type: [UsedLabelType],
    nullable: { list: true, items: false },
    complexity: { field: 5, multiplier: 10 },
    extensions: requiresScopes([['metrics:read']]),
    description: 'Labels that resources with usage in a time window had at the time, ordered by key.',
    args: {
      startTime: t.arg({ type: 'DateTime', required: true, description: 'Start of the window, inclusive.' }),
      endTime: t.arg({ type: 'DateTime', required: true, description: 'End of the window, exclusive.' }),
    },
    resolve: (account, window, ctx) => listUsedLabels(ctx, account.id, window),
  }),
  metricsSettings: t.field({
    type: SettingsType,
    nullable: false,
    description: 'Supported dimensions, resolutions and limits of account metrics.',
    resolve: () => ({}),
  }),
  dataThrough: t.field({
    type: 'DateTime',
    extensions: requiresScopes([['metrics:read']]),
    description:
      'The time of the latest usage in the workspaces whose usage the caller sees, or null before the first.',
    resolve: async (account: AccessibleAccount, _args, ctx) => {
      const through = await getDataThrough(ctx, account.id);
      return through === null ? null : dateTime(through);
    },
  }),
}));
