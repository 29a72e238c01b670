import type { RequestContext } from '../../../auth/context.js';
import { builder } from '../builder.js';
import { encodeGlobalId } from '../global-id.js';
import { resultOf, resultType } from '../mutation.js';
import { inputFields } from '../shape-input.js';
import { fieldsOf } from '../../../schema/shape.js';
import { BillingDimensionEnum } from './enums.js';
import { eventResultType } from './event-result.js';
import { usageOutcomes } from '../../../metering/usage-result.js';
import type { UsageResult } from '../../../metering/usage-result.js';
import { usageEventShape } from '../../../metering/usage-shape.js';
import type { UsageField } from '../../../metering/usage-shape.js';
import { recordUsage, usageBatchMax } from '../../../metering/usage.js';

const UsageResultType = eventResultType('UsageEventResult', {
  name: 'UsageOutcome',
  description: 'What became of a usage event.',
  table: usageOutcomes,
});

const descriptions = new Map(fieldsOf(usageEventShape).map(({ name, description = '' }) => [name, description]));

/** A field that GraphQL has a type of its own for, or that is looked at here. */
const as = <Type>(name: UsageField, type: Type) => ({ type, description: descriptions.get(name) ?? '' });

export const EventInput = builder.inputType('UsageEventInput', {
  description:
    'One usage event. All fields but resourceUuid are needed, and cost where the dimension has no price; what is ' +
    'missing or wrong makes this event invalid, and none of the others.',
  fields: (t) => ({
    ...inputFields(t, usageEventShape.partial()),
    account: t.field(as('account', 'String')),
    billingDimension: t.field(as('billingDimension', BillingDimensionEnum)),
    dimension: t.string({ description: 'The same by its name, for a dimension of the platform’s own.' }),
    time: t.field(as('time', 'String')),
    usage: t.field(as('usage', 'Decimal')),
    cost: t.field(as('cost', 'Decimal')),
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

const RecordResult = resultType<Recorded>(
  'RecordUsage',
  'What became of the events that recordUsage was given',
  (t) => ({
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
);

/** The accounts within reach by their global ids, as GraphQL knows them, too. */
function accountIds({ caller }: RequestContext): Map<string, string> {
  return new Map(caller.accounts.map(({ id }) => [encodeGlobalId('Account', id), id]));
}

/** The id of an account that is named by its global id; any other name as it is. */
export function namedAccount(ctx: RequestContext, name: string): string {
  return accountIds(ctx).get(name) ?? name;
}

builder.mutationField('recordUsage', (t) =>
  t.field({
    type: RecordResult,
    nullable: false,
    description:
      'Records usage, each event with a result of its own. It is counted at once, in the hour of its time, however ' +
      'late it comes. Needs an admin of the account of each event, and the scope usage:write.',
    // Each event is told from others by its own identity.
    extensions: { isIdempotent: true },
    complexity: ({ input }) => ({ field: 1 + input.events.length, multiplier: 1 }),
    args: { input: t.arg({ type: RecordInput, required: true, description: 'The events.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => {
        const ids = accountIds(ctx);
        const events = input.events.map((event) => ({
          ...event,
          billingDimension: event.billingDimension ?? event.dimension,
          account: ids.get(event.account ?? '') ?? event.account,
        }));
        return { results: await recordUsage(ctx, events) };
      }),
  }),
);
