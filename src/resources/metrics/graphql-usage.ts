import { builder } from '../../graphql/builder.js';
import { enumValues } from '../../graphql/enums.js';
import { encodeGlobalId } from '../../graphql/global-id.js';
import { mutationErrors, resultOf, resultTypeOf } from '../../graphql/mutation.js';
import { usageOutcomes } from './usage-result.js';
import type { UsageResult } from './usage-result.js';
import { recordUsage, usageBatchMax } from './usage.js';

const OutcomeEnum = builder.enumType('UsageOutcome', {
  description: 'What became of a usage event.',
  values: enumValues(usageOutcomes),
});

const UsageResultType = builder.objectRef<UsageResult>('UsageEventResult').implement({
  description: 'What became of one event.',
  fields: (t) => ({
    outcome: t.expose('outcome', { type: OutcomeEnum, nullable: false }),
    field: t.exposeString('field', { description: 'Of an invalid event: the field that breaks a rule.' }),
    message: t.exposeString('message', { description: 'Of an invalid event: the field and its rule, for people.' }),
  }),
});

const EventInput = builder.inputType('UsageEventInput', {
  description:
    'One usage event. All fields but resourceUuid are needed; what is missing or wrong makes this event invalid, ' +
    'and none of the others.',
  fields: (t) => ({
    source: t.string({ description: 'What measured it. With id it is the identity of the event.' }),
    id: t.string({ description: 'Unique within its source. Sending it again changes nothing.' }),
    account: t.string({ description: 'Name or id of the account.' }),
    workspace: t.string({ description: 'Name of a workspace of the account.' }),
    resourceType: t.string({ description: 'Raw resource type, such as sandbox.' }),
    resourceName: t.string({ description: 'Name of the resource.' }),
    resourceUuid: t.string({ description: 'UUID or instance id, where the resource type has one.' }),
    billingDimension: t.string({ description: 'What is billed, such as sandbox_compute_runtime_gbs.' }),
    time: t.string({ description: 'When: RFC 3339 with any offset, to the nanosecond.' }),
    usage: t.field({ type: 'Decimal', description: 'How much, in the unit of the dimension; at most six places.' }),
    cost: t.field({ type: 'Decimal', description: 'USD; at most nine places.' }),
  }),
});

const RecordInput = builder.inputType('RecordUsageInput', {
  description: 'Usage events to record.',
  fields: (t) => ({
    events: t.field({ type: [EventInput], required: true, description: `At most ${usageBatchMax}.` }),
  }),
});

interface Recorded {
  results: UsageResult[];
}

const RecordPayload = builder.objectRef<Recorded>('RecordUsagePayload').implement({
  description: 'What became of the events that recordUsage was given.',
  fields: (t) => ({
    accepted: t.int({
      nullable: false,
      description: 'How many were new, and are counted from now on.',
      resolve: ({ results }) => results.filter(({ outcome }) => outcome === 'accepted').length,
    }),
    results: t.field({
      type: [UsageResultType],
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      description: 'One for each event, in their order.',
      resolve: ({ results }) => results,
    }),
  }),
});

const RecordResult = builder.unionType('RecordUsageResult', {
  description: 'What became of the events, or why none was looked at.',
  types: [RecordPayload, ...mutationErrors],
  resolveType: resultTypeOf('RecordUsagePayload'),
});

builder.mutationField('recordUsage', (t) =>
  t.field({
    type: RecordResult,
    nullable: false,
    description:
      'Records usage, each event with a result of its own. It is counted at once, in the hour of its time, however ' +
      'late it comes. Needs an admin of the account of each event, and the scope admin.',
    args: { input: t.arg({ type: RecordInput, required: true, description: 'The events.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => {
        // GraphQL knows accounts by their global ids, too.
        const ids = new Map(ctx.caller.accounts.map(({ id }) => [encodeGlobalId('Account', id), id]));
        const events = input.events.map((event) => ({
          ...event,
          account: ids.get(event.account ?? '') ?? event.account,
        }));
        return { results: await recordUsage(ctx, events) };
      }),
  }),
);
