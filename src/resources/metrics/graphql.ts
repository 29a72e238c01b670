import type { ReachableAccount } from '../../access/caller.js';
import { builder } from '../../graphql/builder.js';
import { AccountType } from '../accounts/graphql.js';
import { getDataThrough } from './data-through.js';
import type { GroupDimension } from './dimensions.js';
import { BillingDimensionEnum, DimensionEnum, OrderEnum, ResolutionEnum } from './graphql-enums.js';
import { SettingsType } from './graphql-settings.js';
import { textFromInstant } from './instant.js';
import { groupByMax, metricsLimitDefault } from './metrics-query.js';
import { MetricsQuestion } from './metrics-question.js';
import { listResourceTypes } from './metrics.js';
import type { MetricsPage } from './metrics.js';
import { bucketTimes, costText, hasUsage, usageText } from './report.js';
import type { Amounts, MetricsGroup } from './report.js';

/** With milliseconds, as DateTime has them. */
function dateTime(text: string): string {
  return text.includes('.') ? text : text.replace('Z', '.000Z');
}

interface Summed {
  amounts: Amounts;
  page: MetricsPage;
}

const usageDescription = 'Only when groupBy has BILLING_DIMENSION: units are never mixed.';

const SummaryType = builder.objectRef<Summed>('AccountMetricsSummary').implement({
  description: 'Sums over the whole window, of all groups.',
  fields: (t) => ({
    totalCost: t.field({
      type: 'Decimal',
      nullable: false,
      description: 'USD, exact.',
      resolve: ({ amounts }) => costText(amounts),
    }),
    totalUsage: t.field({
      type: 'Decimal',
      description: usageDescription,
      resolve: ({ amounts, page }) => (hasUsage(page.query) ? usageText(amounts) : null),
    }),
  }),
});

interface Bucket extends Summed {
  time: string;
}

const nothing: Amounts = { cost: 0n, usage: 0n };

const BucketType = builder.objectRef<Bucket>('AccountMetricsBucket').implement({
  description: 'One step of the window. The first may begin before the window, but counts only what is in it.',
  fields: (t) => ({
    timestamp: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the bucket begins.',
      resolve: ({ time }) => dateTime(time),
    }),
    cost: t.field({
      type: 'Decimal',
      nullable: false,
      description: 'USD, exact; 0 without activity.',
      resolve: ({ amounts }) => costText(amounts),
    }),
    usage: t.field({
      type: 'Decimal',
      description: usageDescription,
      resolve: ({ amounts, page }) => (hasUsage(page.query) ? usageText(amounts) : null),
    }),
  }),
});

interface Entry {
  group: MetricsGroup;
  page: MetricsPage;
  /** When each bucket begins: the same for all groups of a page. */
  times: () => string[];
}

function entriesOf(page: MetricsPage): Entry[] {
  let found: string[] | undefined;
  const times = () => (found ??= bucketTimes(page.query));
  return page.groups.map((group) => ({ group, page, times }));
}

const EntryType = builder.objectRef<Entry>('AccountMetricsEntry').implement({
  description: 'One group. Beside what was asked for, fields are filled that are the same throughout it.',
  fields: (t) => {
    const value = (dimension: GroupDimension, description: string) =>
      t.string({ description, resolve: ({ group }: Entry) => group.values[dimension] });
    return {
      workspace: value('workspace', 'Filled by WORKSPACE, RESOURCE_UUID and RESOURCE_NAME.'),
      resourceType: value(
        'resource_type',
        'Filled by RESOURCE_TYPE, RESOURCE_UUID, RESOURCE_NAME and BILLING_DIMENSION.',
      ),
      resourceName: value('resource_name', 'Filled by RESOURCE_NAME and RESOURCE_UUID.'),
      resourceUuid: value('resource_uuid', 'Filled by RESOURCE_UUID; empty where the resource type has none.'),
      billingDimension: value('billing_dimension', 'Filled by BILLING_DIMENSION.'),
      cost: t.field({
        type: 'Decimal',
        nullable: false,
        description: 'USD over the window, exact.',
        resolve: ({ group }) => costText(group),
      }),
      usage: t.field({
        type: 'Decimal',
        description: usageDescription,
        resolve: ({ group, page }) => (hasUsage(page.query) ? usageText(group) : null),
      }),
      timeseries: t.field({
        type: [BucketType],
        nullable: { list: false, items: false },
        complexity: { field: 5, multiplier: 10 },
        description: 'One bucket for each step of the window, in order, those without activity too.',
        resolve: ({ group, page, times }) =>
          times().map((time, order) => ({ time, page, amounts: group.buckets.get(order) ?? nothing })),
      }),
    };
  },
});

const EntryEdgeType = builder.objectRef<Entry>('AccountMetricsEntryEdge').implement({
  description: 'One of a page of groups, with its cursor.',
  fields: (t) => ({
    cursor: t.string({
      nullable: false,
      description: 'Opaque. Valid for 24 hours and for this query alone.',
      resolve: ({ page, group }) => page.cursorOf(group),
    }),
    node: t.field({ type: EntryType, nullable: false, description: 'The group.', resolve: (entry) => entry }),
  }),
});

const EntryConnectionType = builder
  .objectRef<{ page: MetricsPage; isFirst: boolean }>('AccountMetricsEntryConnection')
  .implement({
    description: 'A page of groups.',
    fields: (t) => ({
      edges: t.field({
        type: [EntryEdgeType],
        nullable: { list: false, items: false },
        complexity: { field: 0, multiplier: 1 },
        description: 'The groups of this page, each with its cursor.',
        resolve: ({ page }) => entriesOf(page),
      }),
      nodes: t.field({
        type: [EntryType],
        nullable: { list: false, items: false },
        complexity: { field: 0, multiplier: 1 },
        description: 'The groups alone, without their cursors.',
        resolve: ({ page }) => entriesOf(page),
      }),
      pageInfo: t.field({
        type: builder.pageInfoRef(),
        nullable: false,
        description: 'Whether the list goes on, and from where.',
        resolve: ({ page, isFirst }) => {
          const [start, end] = [page.groups[0], page.groups.at(-1)];
          return {
            hasNextPage: page.hasMore,
            hasPreviousPage: !isFirst,
            startCursor: start === undefined ? null : page.cursorOf(start),
            endCursor: end === undefined ? null : page.cursorOf(end),
          };
        },
      }),
    }),
  });

const MetricsType = builder.objectRef<MetricsQuestion>('AccountMetrics').implement({
  description: 'Costs of one account in a window. All of it, and all of its pages, are of one moment.',
  fields: (t) => ({
    startTime: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'Start of the window, inclusive.',
      resolve: async (asked) => dateTime(textFromInstant((await asked.sums()).query.window.start)),
    }),
    endTime: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'End of the window, exclusive.',
      resolve: async (asked) => dateTime(textFromInstant((await asked.sums()).query.window.end)),
    }),
    resolution: t.field({
      type: ResolutionEnum,
      nullable: false,
      description: 'The one that was asked for, or the default of the window.',
      resolve: async (asked) => (await asked.sums()).query.resolution,
    }),
    summary: t.field({
      type: SummaryType,
      nullable: false,
      resolve: async (asked) => {
        const page = await asked.sums();
        return { amounts: page.total, page };
      },
    }),
    entries: t.field({
      type: EntryConnectionType,
      nullable: false,
      description: 'The groups; one without groupBy.',
      args: {
        first: t.arg.int({ description: `How many groups: ${metricsLimitDefault} by default, which is the most.` }),
        after: t.arg.string({ description: 'Cursor that the page comes after.' }),
      },
      complexity: ({ first }) => ({ field: 5, multiplier: Math.max(1, first ?? metricsLimitDefault) }),
      resolve: async (asked, { first, after }) => ({
        page: await asked.page(first ?? metricsLimitDefault, after),
        isFirst: after == null,
      }),
    }),
  }),
});

builder.objectFields(AccountType, (t) => ({
  metrics: t.field({
    type: MetricsType,
    nullable: false,
    description:
      'Costs in a window, in buckets of time, by up to three dimensions. ' +
      'Grouping by WORKSPACE, and filtering by it, needs an account admin. Needs the scope admin.',
    args: {
      startTime: t.arg({ type: 'DateTime', required: true, description: 'Start of the window, inclusive.' }),
      endTime: t.arg({ type: 'DateTime', required: true, description: 'End of the window, exclusive.' }),
      resolution: t.arg({ type: ResolutionEnum, description: 'Chosen from the window when it is left out.' }),
      groupBy: t.arg({ type: [DimensionEnum], description: `At most ${groupByMax}; their order does not matter.` }),
      workspace: t.arg.string({ description: 'Only this workspace.' }),
      resourceType: t.arg.string({ description: 'Only this raw resource type.' }),
      resourceName: t.arg.string({ description: 'Only resources of this name.' }),
      resourceUuid: t.arg.string({ description: 'Only this UUID or instance id.' }),
      billingDimension: t.arg({ type: BillingDimensionEnum, description: 'Only this billing dimension.' }),
      orderBy: t.arg({ type: OrderEnum, description: 'KEY by default.' }),
    },
    resolve: (account, { groupBy, orderBy, ...given }, ctx) => {
      const parameters = Object.fromEntries(Object.entries(given).filter(([, value]) => value != null));
      const grouped = groupBy == null || groupBy.length === 0 ? {} : { groupBy: groupBy.join(',') };
      return new MetricsQuestion(ctx, account.id, { ...parameters, ...grouped }, orderBy ?? 'key');
    },
  }),
  metricsResourceTypes: t.stringList({
    nullable: { list: false, items: false },
    complexity: { field: 5, multiplier: 1 },
    description: 'The resource types with usage in a window, by name. Needs the scope admin.',
    args: {
      startTime: t.arg({ type: 'DateTime', required: true, description: 'Start of the window, inclusive.' }),
      endTime: t.arg({ type: 'DateTime', required: true, description: 'End of the window, exclusive.' }),
    },
    resolve: (account, window, ctx) => listResourceTypes(ctx, account.id, () => window),
  }),
  metricsSettings: t.field({
    type: SettingsType,
    nullable: false,
    description: 'What metrics can be asked for, for those who build pickers.',
    resolve: () => ({}),
  }),
  dataThrough: t.field({
    type: 'DateTime',
    description: 'The time of the latest usage that has arrived; null before the first. Needs the scope admin.',
    resolve: async (account: ReachableAccount, _args, ctx) => {
      const through = await getDataThrough(ctx, account.id);
      return through === null ? null : dateTime(through);
    },
  }),
}));
