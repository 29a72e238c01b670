import { builder } from '../builder.js';
import { resultOf, resultType } from '../mutation.js';
import { correctionOutcomes } from '../../../metering/correction-result.js';
import type { CorrectionOutcome, CorrectionResult } from '../../../metering/correction-result.js';
import { amendUsage, voidUsage } from '../../../metering/corrections.js';
import { eventResultType } from './event-result.js';
import { EventInput, namedAccount } from './usage.js';
import { usageBatchMax } from '../../../metering/usage.js';

const ResultType = eventResultType('UsageCorrectionResult', {
  name: 'UsageCorrectionOutcome',
  description: 'What became of an event that was to be voided or amended.',
  table: correctionOutcomes,
});

interface Corrected {
  results: CorrectionResult[];
}

function correctionResult(name: string, done: CorrectionOutcome) {
  return resultType<Corrected>(name, 'What became of each event', (t) => ({
    count: t.int({
      nullable: false,
      description: 'How many events are other than they were.',
      resolve: ({ results }) => results.filter(({ outcome }) => outcome === done).length,
    }),
    results: t.field({
      type: [ResultType],
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      description: 'One for each event, in their order.',
      resolve: ({ results }) => results,
    }),
  }));
}

const reason = 'Why, for whoever reads the history: at most 500 characters.';

const VoidInput = builder.inputType('VoidUsageInput', {
  description: 'Events that should not have been recorded.',
  fields: (t) => ({
    account: t.string({ required: true, description: 'Name or id of the account.' }),
    source: t.string({ required: true, description: 'What measured them.' }),
    ids: t.stringList({ required: true, description: `Their ids within the source, at most ${usageBatchMax}.` }),
    reason: t.string({ required: true, description: reason }),
  }),
});

const AmendInput = builder.inputType('AmendUsageInput', {
  description: 'Events that should have been recorded otherwise.',
  fields: (t) => ({
    account: t.string({ required: true, description: 'Name or id of the account.' }),
    events: t.field({
      type: [EventInput],
      required: true,
      description: `The events as they should be, all of each, by their source and id. At most ${usageBatchMax}.`,
    }),
    reason: t.string({ required: true, description: reason }),
  }),
});

const VoidResult = correctionResult('VoidUsage', 'voided');
const AmendResult = correctionResult('AmendUsage', 'amended');

builder.mutationFields((t) => ({
  voidUsage: t.field({
    type: VoidResult,
    nullable: false,
    description:
      'Takes events back: they count in no answer from now on, however long ago they were recorded, and sending ' +
      'them again counts nothing. It is recorded in the history. Needs an admin of the account, and the scope admin.',
    args: { input: t.arg({ type: VoidInput, required: true, description: 'The events, and why.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({
        results: await voidUsage(ctx, { ...input, account: namedAccount(ctx, input.account) }),
      })),
  }),
  amendUsage: t.field({
    type: AmendResult,
    nullable: false,
    description:
      'Gives events the contents that they should have had, exact in every answer from now on. It is recorded in the ' +
      'history. Needs an admin of the account, and the scope admin.',
    args: { input: t.arg({ type: AmendInput, required: true, description: 'The events, and why.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => {
        const account = namedAccount(ctx, input.account);
        // An event may call the account as the input does.
        const events = input.events.map((event) => ({
          ...event,
          billingDimension: event.billingDimension ?? event.dimension,
          account: event.account === input.account ? account : event.account,
        }));
        return { results: await amendUsage(ctx, { account, events, reason: input.reason }) };
      }),
  }),
}));
