import type { RequestContext } from '../../../auth/context.js';
import { builder } from '../builder.js';
import { encodeGlobalId } from '../global-id.js';
import { addMutation } from '../mutation.js';
import { inputFields } from '../shape-input.js';
import { fieldsOf } from '../../../schema/shape.js';
import { eventResultType } from './event-result.js';
import { usageOutcomes } from '../../../metering/usage-result.js';
import { usageEventShape } from '../../../metering/usage-shape.js';
import type { UsageField } from '../../../metering/usage-shape.js';
import { recordUsage, usageBatchMax } from '../../../metering/usage.js';

const UsageResultType = eventResultType('UsageEventResult', {
  name: 'UsageOutcome',
  description: 'Outcome of recording a usage event.',
  table: usageOutcomes,
});

const descriptions = new Map(fieldsOf(usageEventShape).map(({ name, description = '' }) => [name, description]));

/** A field with a GraphQL type of its own, or that this file reads. */
const as = <Type>(name: UsageField, type: Type) => ({ type, description: descriptions.get(name) ?? '' });

export const EventInput = builder.inputType('UsageEventInput', {
  description:
    'A usage event. All fields except resourceUuid are required; cost is required only if the dimension has no ' +
    'price. A missing or invalid field makes only this event invalid.',
  fields: (t) => ({
    ...inputFields(t, usageEventShape.partial()),
    account: t.field(as('account', 'String')),
    billingDimension: t.field(as('billingDimension', 'String')),
    time: t.field(as('time', 'String')),
    usage: t.field(as('usage', 'Decimal')),
    cost: t.field(as('cost', 'Decimal')),
  }),
});

/** The ids of the accessible accounts, by their global ids. */
function accountIds({ caller }: RequestContext): Map<string, string> {
  return new Map(caller.accounts.map(({ id }) => [encodeGlobalId('Account', id), id]));
}

/** Converts the global id of an account to its id, and returns any other name unchanged. */
export function namedAccount(ctx: RequestContext, name: string): string {
  return accountIds(ctx).get(name) ?? name;
}

addMutation('recordUsage', {
  description:
    'Records usage events, with a separate result for each event. Usage counts immediately, in the hour of ' +
    'its time, even if the event is late. Needs an admin of the account of each event.',
  // Each event has its own identity, which makes the mutation idempotent.
  scopes: [['usage:write']],
  isIdempotent: true,
  inputDescription: 'Usage events to record.',
  argumentDescription: 'The usage events to record.',
  input: (t) => ({
    events: t.field({ type: [EventInput], required: true, description: `Usage events (at most ${usageBatchMax}).` }),
    byName: t.boolean({
      defaultValue: false,
      required: true,
      description:
        'True: an event without resourceUuid counts for the resource that had its name at its time. An event of ' +
        'an agent, sandbox, job or volume that did not exist is then invalid.',
    }),
  }),
  complexity: ({ input }) => ({ field: 1 + input.events.length, multiplier: 1 }),
  run: async (ctx, input) => {
    const ids = accountIds(ctx);
    const events = input.events.map((event) => ({
      ...event,
      account: ids.get(event.account ?? '') ?? event.account,
    }));
    return { results: await recordUsage(ctx, events, { counting: 'whole', isByName: input.byName }) };
  },
  payloadDescription: 'The outcome of each event',
  payload: (t) => ({
    accepted: t.int({
      nullable: false,
      description: 'Number of new events that were recorded.',
      resolve: ({ results }) => results.filter(({ outcome }) => outcome === 'accepted').length,
    }),
    results: t.field({
      type: [UsageResultType],
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      description: 'One result for each event, in the order of the input.',
      resolve: ({ results }) => results,
    }),
  }),
});
