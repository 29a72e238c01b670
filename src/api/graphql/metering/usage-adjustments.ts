import { builder } from '../builder.js';
import type { ObjectFields } from '../builder.js';
import { dryRunArgument } from '../change-arguments.js';
import { LabelFilter } from '../filter-argument.js';
import { addMutation } from '../mutation.js';
import { correctionOutcomes } from '../../../metering/correction-result.js';
import {
  amendSelectedUsage,
  amendUsage,
  prepareCorrection,
  voidSelectedUsage,
  voidUsage,
} from '../../../metering/usage-adjustments.js';
import type { CorrectedUsage } from '../../../metering/corrected-usage.js';
import type { UsageContext } from '../../../metering/usage-memory.js';
import { invalidParameter } from '../../../errors.js';
import { UsageEventStateEnum } from './enums.js';
import { eventResultType } from './event-result.js';
import { EventInput, namedAccount } from './usage.js';
import { usageBatchMax } from '../../../metering/usage.js';

const ResultType = eventResultType('UsageCorrectionResult', {
  name: 'UsageCorrectionOutcome',
  description: 'Outcome of voiding or amending an event.',
  table: correctionOutcomes,
});

function payload(t: ObjectFields<CorrectedUsage>) {
  return {
    count: t.exposeInt('count', { nullable: false, description: 'Number of changed events.' }),
    costBefore: t.expose('costBefore', {
      type: 'Decimal',
      nullable: false,
      description: 'Cost of the changed events before the correction (USD).',
    }),
    costAfter: t.expose('costAfter', {
      type: 'Decimal',
      nullable: false,
      description: 'Cost of the changed events after the correction (USD).',
    }),
    results: t.expose('results', {
      type: [ResultType],
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      description:
        'One result for each event, in the order of the input; with a filter, for each event that it matches.',
    }),
  };
}

const reason = 'Reason for the adjustment, recorded in the change log (at most 500 characters).';

const FilterInput = builder.inputType('UsageEventFilterInput', {
  description: 'Usage events to select. All conditions must hold. Events that were voided do not match.',
  fields: (t) => ({
    startTime: t.field({ type: 'DateTime', description: 'Start of the period, inclusive.' }),
    endTime: t.field({ type: 'DateTime', description: 'End of the period, exclusive.' }),
    workspace: t.string({ description: 'Only this workspace.' }),
    resourceType: t.string({ description: 'Only this raw resource type.' }),
    resourceName: t.string({ description: 'Only resources of this name.' }),
    resourceUuid: t.string({ description: 'Only this UUID or instance id.' }),
    billingDimension: t.string({ description: 'Only the billing dimension of this name.' }),
    labels: t.field({
      type: [LabelFilter],
      description: 'Only usage of resources that had all of these labels at the time.',
    }),
    source: t.string({ description: 'Only events of this source.' }),
    eventId: t.string({ description: 'Only events with this ID.' }),
    state: t.field({ type: UsageEventStateEnum, description: 'Only events in this state.' }),
  }),
});

const ChangeInput = builder.inputType('UsageEventChangeInput', {
  description: 'New values of fields of usage events. The other fields keep their values.',
  fields: (t) => ({
    workspace: t.string({ description: 'Name of a workspace of the account.' }),
    resourceType: t.string({ description: 'Raw resource type.' }),
    resourceName: t.string({ description: 'Name of the resource.' }),
    resourceUuid: t.string({ description: 'UUID or instance ID of the resource; null for none.' }),
    billingDimension: t.string({ description: 'Billing dimension.' }),
    usage: t.field({ type: 'Decimal', description: 'Amount of each event, in the unit of the dimension.' }),
    cost: t.field({ type: 'Decimal', description: 'Cost of each event (USD).' }),
    unitPrice: t.field({
      type: 'Decimal',
      description: 'Price of a unit (USD). The cost of each event becomes its usage times this price.',
    }),
  }),
});

const selectedFilter = {
  type: FilterInput,
  description: `Filter of the events to correct (at most ${usageBatchMax}).`,
};

/** Rolls up the usage that a filter has to find, before the transaction. */
async function prepareFilter(ctx: UsageContext, account: string, filter: unknown): Promise<void> {
  if (filter != null) await prepareCorrection(ctx, namedAccount(ctx, account));
}

addMutation('voidUsage', {
  description:
    'Voids usage events: they no longer count in any metric, regardless of their age, and sending them again ' +
    'has no effect. Recorded in the change log. Needs an admin of the account.',
  scopes: [['usage:correct']],
  inputDescription: 'The events to void: either source and ids, or filter.',
  argumentDescription: 'The events to void, and the reason.',
  input: (t) => ({
    ...dryRunArgument(t),
    account: t.string({ required: true, description: 'Name or id of the account.' }),
    source: t.string({ description: 'Source of the events.' }),
    ids: t.stringList({ description: `IDs of the events within the source (at most ${usageBatchMax}).` }),
    filter: t.field(selectedFilter),
    reason: t.string({ required: true, description: reason }),
  }),
  prepare: (ctx, { account, filter }) => prepareFilter(ctx, account, filter),
  run: (ctx, { source, ids, filter, ...input }) => {
    const account = namedAccount(ctx, input.account);
    if (filter != null) {
      if (source != null || ids != null) throw invalidParameter('filter', 'cannot be combined with source and ids');
      return voidSelectedUsage(ctx, { ...input, account, filter: given(filter) });
    }
    if (source == null) throw invalidParameter('source', 'is required without filter');
    if (ids == null) throw invalidParameter('ids', 'is required without filter');
    return voidUsage(ctx, { ...input, account, source, ids });
  },
  payloadDescription: 'The outcome of each event',
  payload,
});

addMutation('amendUsage', {
  description:
    'Amends usage events: replaces their contents, with immediate effect on all metrics. With a filter, all events ' +
    'change or none. Recorded in the change log. Needs an admin of the account.',
  scopes: [['usage:correct']],
  inputDescription: 'The events to amend: either events, or filter and change.',
  argumentDescription: 'The events to amend, and the reason.',
  input: (t) => ({
    ...dryRunArgument(t),
    account: t.string({ required: true, description: 'Name or id of the account.' }),
    events: t.field({
      type: [EventInput],
      description: `The complete corrected events, identified by source and id (at most ${usageBatchMax}).`,
    }),
    filter: t.field(selectedFilter),
    change: t.field({ type: ChangeInput, description: 'The change to make to all events of the filter.' }),
    reason: t.string({ required: true, description: reason }),
  }),
  prepare: (ctx, { account, filter }) => prepareFilter(ctx, account, filter),
  run: (ctx, { filter, change, ...input }) => {
    const account = namedAccount(ctx, input.account);
    if (filter != null) {
      if (input.events != null) throw invalidParameter('filter', 'cannot be combined with events');
      if (change == null) throw invalidParameter('change', 'is required with filter');
      const { usage, cost, unitPrice, ...texts } = change;
      const amounts = { usage: textOf(usage), cost: textOf(cost), unitPrice: textOf(unitPrice) };
      return amendSelectedUsage(ctx, { ...input, account, filter: given(filter), change: { ...texts, ...amounts } });
    }
    if (change != null) throw invalidParameter('change', 'requires filter');
    if (input.events == null) throw invalidParameter('events', 'is required without filter');
    // An event can name the account in the same way as the input.
    const events = input.events.map((event) => ({
      ...event,
      account: event.account === input.account ? account : event.account,
    }));
    return amendUsage(ctx, { ...input, account, events });
  },
  payloadDescription: 'The outcome of each event',
  payload,
});

/** The values of an input without those that are null, and amounts as text. */
function given<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: Exclude<Fields[Name], null> };
function given(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}

function textOf(amount: string | number | null | undefined): string | null | undefined {
  return typeof amount === 'number' ? String(amount) : amount;
}
