import type { ReachableAccount } from '../access/caller.js';
import { builder } from '../graphql/builder.js';
import { connectionComplexity, connectionFromPage, sliceFromArguments } from '../graphql/connection.js';
import { selectedPaths } from '../graphql/selection.js';
import type { Position } from '../paging/page.js';
import { AccountType } from '../resources/accounts/graphql.js';
import { getDataThrough } from './data-through.js';
import { isBillingDimension } from '../usage/dimensions.js';
import type { GroupDimension } from '../usage/dimensions.js';
import { BillingDimensionEnum } from '../usage/graphql-enums.js';
import { DimensionEnum, OrderEnum, ResolutionEnum, timeZoneArgument, timeZoneDescription } from './graphql-enums.js';
import { SettingsType } from './graphql-settings.js';
import { dateTime } from './graphql-time.js';
import { textFromInstant } from '../usage/instant.js';
import { groupByMax, metricsLimitDefault, timeZoneName } from './metrics-query.js';
import { MetricsQuestion } from './metrics-question.js';
import { listResourceTypes } from './metrics-words.js';
import type { MetricsPage } from './read-metrics.js';
import { bucketTimes, costText, hasUsage, usageText } from './report.js';
import type { Amounts, MetricsGroup } from './report.js';

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
  position: Position;
  /** When each bucket begins: the same for all groups of a page. */
  times: () => string[];
}

function entriesOf(page: MetricsPage): Entry[] {
  let found: string[] | undefined;
  const times = () => (found ??= bucketTimes(page.query));
  return page.groups.map((group) => ({ group, page, position: page.positionOf(group), times }));
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
      billingDimension: t.field({
        type: BillingDimensionEnum,
        description: 'Filled by BILLING_DIMENSION; null for one of the platform’s own, which dimension names.',
        resolve: ({ group }) => {
          const name = group.values.billing_dimension;
          return name !== undefined && isBillingDimension(name) ? name : null;
        },
      }),
      dimension: value('billing_dimension', 'The billing dimension, by its name: the platform’s own as well.'),
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
    timeZone: t.string({
      nullable: false,
      description: timeZoneDescription,
      resolve: async (asked) => timeZoneName((await asked.sums()).query),
    }),
    summary: t.field({
      type: SummaryType,
      nullable: false,
      resolve: async (asked) => {
        const page = await asked.sums();
        return { amounts: page.total, page };
      },
    }),
    entries: t.connection(
      {
        type: EntryType,
        nullable: false,
        description: `The groups; one without groupBy. ${metricsLimitDefault} when neither first nor last says how many.`,
        complexity: ({ first, last }) => connectionComplexity({ first: first ?? last ?? metricsLimitDefault }),
        resolve: async (asked, args, _ctx, info) => {
          const { size, direction, cursor, fields } = sliceFromArguments(args, metricsLimitDefault);
          const page = await asked.page({ limit: size, direction, cursor, cursorName: fields.cursor });
          const isForward = direction === 'forward';
          const paths = selectedPaths(info);
          const count = paths.has('totalCount') || paths.has('filteredCount') ? await page.countGroups() : 0;
          return {
            ...connectionFromPage(
              {
                items: entriesOf(page),
                hasNext: isForward ? page.hasMore : cursor !== undefined,
                hasPrevious: isForward ? cursor !== undefined : page.hasMore,
              },
              page.cursors,
            ),
            total: count,
            // What narrows an account's metrics is the question itself.
            filtered: count,
          };
        },
      },
      { name: 'AccountMetricsEntryConnection', description: 'A page of groups.' },
      { name: 'AccountMetricsEntryEdge', description: 'One of a page of groups, with its cursor.' },
    ),
  }),
});

builder.objectFields(AccountType, (t) => ({
  metrics: t.field({
    type: MetricsType,
    nullable: false,
    description:
      'Costs in a window, in buckets of time, by up to three dimensions. ' +
      'Grouping by WORKSPACE, and filtering by it, needs an account admin. Needs the scope metrics:read.',
    args: {
      startTime: t.arg({ type: 'DateTime', required: true, description: 'Start of the window, inclusive.' }),
      endTime: t.arg({ type: 'DateTime', required: true, description: 'End of the window, exclusive.' }),
      resolution: t.arg({ type: ResolutionEnum, description: 'Chosen from the window when it is left out.' }),
      ...timeZoneArgument,
      groupBy: t.arg({ type: [DimensionEnum], description: `At most ${groupByMax}; their order does not matter.` }),
      workspace: t.arg.string({ description: 'Only this workspace.' }),
      resourceType: t.arg.string({ description: 'Only this raw resource type.' }),
      resourceName: t.arg.string({ description: 'Only resources of this name.' }),
      resourceUuid: t.arg.string({ description: 'Only this UUID or instance id.' }),
      billingDimension: t.arg({ type: BillingDimensionEnum, description: 'Only this billing dimension.' }),
      dimension: t.arg.string({ description: 'The same by its name, for one of the platform’s own.' }),
      orderBy: t.arg({ type: OrderEnum, description: 'KEY by default.' }),
    },
    resolve: (account, { groupBy, orderBy, dimension, ...fields }, ctx) => {
      const given = { ...fields, billingDimension: fields.billingDimension ?? dimension };
      const parameters = Object.fromEntries(Object.entries(given).filter(([, value]) => value != null));
      const grouped = groupBy == null || groupBy.length === 0 ? {} : { groupBy: groupBy.join(',') };
      return new MetricsQuestion(ctx, account.id, { ...parameters, ...grouped }, orderBy ?? 'key');
    },
  }),
  metricsResourceTypes: t.stringList({
    nullable: { list: false, items: false },
    complexity: { field: 5, multiplier: 1 },
    description: 'The resource types with usage in a window, by name. Needs the scope metrics:read.',
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
    description: 'The time of the latest usage that has arrived; null before the first. Needs the scope metrics:read.',
    resolve: async (account: ReachableAccount, _args, ctx) => {
      const through = await getDataThrough(ctx, account.id);
      return through === null ? null : dateTime(through);
    },
  }),
}));
