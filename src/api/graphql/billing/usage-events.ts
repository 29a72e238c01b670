import { builder } from '../builder.js';
import { LabelFilter } from '../filter-argument.js';
import { requiresScopes } from '../required-scopes.js';
import { connectionComplexity, connectionFromPage, sliceFromArguments } from '../connection.js';
import { enumValues } from '../enums.js';
import { selectedPaths } from '../selection.js';
import { AccountType } from '../accounts/accounts.js';
import { listUsageEvents } from '../../../billing/usage-events.js';
import type { ListedUsageEvent, UsageCorrection, UsageEventContents } from '../../../billing/usage-events.js';
import { UsageEventStateEnum } from '../metering/enums.js';
import { dateTime } from './time.js';

const contentFields = {
  workspaceName: 'Name of the workspace.',
  resourceType: 'Raw resource type, such as sandbox.',
  resourceName: 'Name of the resource.',
  billingDimension: 'Name of the billing dimension.',
} as const;

const ContentsInterface = builder.interfaceRef<UsageEventContents>('UsageEventContents').implement({
  description: 'Contents of a usage event.',
  fields: (t) => ({
    time: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'The time of the usage.',
      resolve: ({ time }) => dateTime(time),
    }),
    workspaceName: t.exposeString('workspace', { nullable: false, description: contentFields.workspaceName }),
    resourceType: t.exposeString('resourceType', { nullable: false, description: contentFields.resourceType }),
    resourceName: t.exposeString('resourceName', { nullable: false, description: contentFields.resourceName }),
    resourceUuid: t.string({
      description: 'UUID or instance ID of the resource, or null if it has none.',
      resolve: ({ resourceUuid }) => (resourceUuid === '' ? null : resourceUuid),
    }),
    billingDimension: t.exposeString('billingDimension', {
      nullable: false,
      description: contentFields.billingDimension,
    }),
    usage: t.expose('usage', {
      type: 'Decimal',
      nullable: false,
      description: 'Amount in the unit of the billing dimension: what counts in sums, 0 for a voided event.',
    }),
    cost: t.expose('cost', {
      type: 'Decimal',
      nullable: false,
      description: 'Cost (USD): what counts in sums, 0 for a voided event.',
    }),
  }),
});

const RecordedType = builder.objectRef<UsageEventContents>('RecordedUsage').implement({
  description: 'Contents of a usage event before a correction.',
  interfaces: [ContentsInterface],
});

const ActionEnum = builder.enumType('UsageCorrectionAction', {
  description: 'Action of a correction.',
  values: enumValues({ voided: 'The event was voided.', amended: 'The contents of the event were replaced.' }),
});

const CorrectionType = builder.objectRef<UsageCorrection>('UsageCorrection').implement({
  description: 'A correction of a usage event.',
  fields: (t) => ({
    action: t.field({ type: ActionEnum, nullable: false, resolve: ({ isVoid }) => (isVoid ? 'voided' : 'amended') }),
    correctedAt: t.expose('time', { type: 'DateTime', nullable: false, description: 'The time of the correction.' }),
    correctedBy: t.exposeString('by', {
      description: 'Name of the caller who corrected the event. Null unless the caller is an admin of the account.',
    }),
    reason: t.exposeString('reason', {
      description: 'Reason for the correction. Null unless the caller is an admin of the account.',
    }),
    before: t.expose('before', {
      type: RecordedType,
      description: 'Contents before the correction, or null if their workspace is not accessible to the caller.',
    }),
  }),
});

const EventType = builder.objectRef<ListedUsageEvent>('UsageEvent').implement({
  description: 'A recorded usage event. Source and event ID together identify it.',
  interfaces: [ContentsInterface],
  fields: (t) => ({
    source: t.exposeString('source', { nullable: false, description: 'Source that measured the usage.' }),
    eventId: t.exposeString('eventId', { nullable: false, description: 'ID of the event, unique within the source.' }),
    state: t.expose('state', { type: UsageEventStateEnum, nullable: false }),
    arrivedAt: t.expose('arrivedAt', {
      type: 'DateTime',
      nullable: false,
      description: 'The time the event was first accepted.',
    }),
    unitPrice: t.field({
      type: 'Decimal',
      description:
        'Price of a unit (USD): the price of the billing dimension at the time of the event if the cost follows from ' +
        'it, otherwise the cost divided by the usage. Null without usage.',
      resolve: async (event) => (await event.price())?.unitPrice,
    }),
    isPriceOfDimension: t.boolean({
      nullable: false,
      description:
        'True if the cost is the usage times the price of the billing dimension. False if the event was recorded with ' +
        'a different cost.',
      resolve: async (event) => (await event.price())?.isOfDimension ?? false,
    }),
    corrections: t.expose('corrections', {
      type: [CorrectionType],
      nullable: { list: false, items: false },
      description: 'All corrections of the event, oldest first.',
    }),
  }),
});

builder.objectField(AccountType, 'usageEvents', (t) =>
  t.connection(
    {
      type: EventType,
      nullable: true,
      extensions: requiresScopes([['metrics:read']]),
      description:
        'Usage events behind the metrics of the account, newest first. The arguments of a metrics query and the start ' +
        'and end of a bucket return the events whose costs add up to the bucket. All pages have the contents of one ' +
        'snapshot. Filtering by workspace needs an account admin.',
      args: {
        startTime: t.arg({
          type: 'DateTime',
          description: 'Start of the period, inclusive (default: the first event).',
        }),
        endTime: t.arg({
          type: 'DateTime',
          description: 'End of the period, exclusive (default: after the last event).',
        }),
        workspace: t.arg.string({ description: 'Only this workspace.' }),
        resourceType: t.arg.string({ description: 'Only this raw resource type.' }),
        resourceName: t.arg.string({ description: 'Only resources of this name.' }),
        resourceUuid: t.arg.string({ description: 'Only this UUID or instance id.' }),
        billingDimension: t.arg.string({ description: 'Only the billing dimension of this name.' }),
        labels: t.arg({
          type: [LabelFilter],
          description: 'Only usage of resources that had all of these labels at the time.',
        }),
        source: t.arg.string({ description: 'Only events of this source.' }),
        eventId: t.arg.string({ description: 'Only events with this ID.' }),
        state: t.arg({ type: UsageEventStateEnum, description: 'Only events in this state.' }),
      },
      complexity: connectionComplexity,
      resolve: async (account, { first, last, before, after, ...filter }, ctx, info) => {
        const paths = selectedPaths(info);
        const isSelected = (...names: string[]) => names.some((name) => paths.has(name));
        const parameters = Object.fromEntries(Object.entries(filter).filter(([, value]) => value != null));
        const page = await listUsageEvents(ctx, account.id, parameters, {
          ...sliceFromArguments({ first, last, before, after }),
          wanted: {
            items: isSelected('edges', 'nodes', 'pageInfo'),
            sums: isSelected('totalCount', 'filteredCount', 'totalCost'),
          },
        });
        const { count, cost, keptFrom } = page;
        // The filter is part of the query itself, so both counts are equal.
        return { ...connectionFromPage(page, page.cursors), total: count, filtered: count, cost, keptFrom };
      },
    },
    {
      name: 'UsageEventConnection',
      description: 'A page of usage events.',
      fields: (connection) => ({
        totalCost: connection.field({
          type: 'Decimal',
          nullable: false,
          description: 'Cost of all events that match (USD).',
          resolve: ({ cost }) => cost,
        }),
        keptFrom: connection.field({
          type: 'DateTime',
          description:
            'The time from which events are kept, or null if none were dropped. Sums include dropped events.',
          resolve: ({ keptFrom }) => (keptFrom === undefined ? null : dateTime(keptFrom)),
        }),
      }),
    },
    { name: 'UsageEventEdge', description: 'A usage event and its cursor.' },
  ),
);
