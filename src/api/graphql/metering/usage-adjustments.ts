import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { dryRunArgument } from '../change-arguments.js';
import { resultOf, resultType } from '../mutation.js';
import { correctionOutcomes } from '../../../metering/correction-result.js';
import type { CorrectionOutcome, CorrectionResult } from '../../../metering/correction-result.js';
import { amendUsage, voidUsage } from '../../../metering/usage-adjustments.js';
import { eventResultType } from './event-result.js';
import { EventInput, namedAccount } from './usage.js';
import { usageBatchMax } from '../../../metering/usage.js';

const ResultType = eventResultType('UsageCorrectionResult', {
  name: 'UsageCorrectionOutcome',
  description: 'Outcome of voiding or amending an event.',
  table: correctionOutcomes,
});

interface Corrected {
  results: CorrectionResult[];
}

function correctionResult(name: string, done: CorrectionOutcome) {
  return resultType<Corrected>(name, 'The outcome of each event', (t) => ({
    count: t.int({
      nullable: false,
      description: 'Number of changed events.',
      resolve: ({ results }) => results.filter(({ outcome }) => outcome === done).length,
    }),
    results: t.field({
      type: [ResultType],
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      description: 'One result for each event, in the order of the input.',
      resolve: ({ results }) => results,
    }),
  }));
}

const reason = 'Reason for the adjustment, recorded in the change log (at most 500 characters).';

const VoidInput = builder.inputType('VoidUsageInput', {
  description: 'The events to void.',
  fields: (t) => ({
    ...dryRunArgument(t),
    account: t.string({ required: true, description: 'Name or id of the account.' }),
    source: t.string({ required: true, description: 'Source of the events.' }),
    ids: t.stringList({
      required: true,
      description: `IDs of the events within the source (at most ${usageBatchMax}).`,
    }),
    reason: t.string({ required: true, description: reason }),
  }),
});

const AmendInput = builder.inputType('AmendUsageInput', {
  description: 'The events to amend.',
  fields: (t) => ({
    ...dryRunArgument(t),
    account: t.string({ required: true, description: 'Name or id of the account.' }),
    events: t.field({
      type: [EventInput],
      required: true,
      description: `The complete corrected events, identified by source and id (at most ${usageBatchMax}).`,
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
    extensions: requiresScopes([['admin']]),
    description:
      'Voids usage events: they no longer count in any metric, regardless of their age, and sending them again ' +
      'has no effect. Recorded in the change log. Needs an admin of the account.',
    args: { input: t.arg({ type: VoidInput, required: true, description: 'The events to void, and the reason.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({
        results: await voidUsage(ctx, { ...input, account: namedAccount(ctx, input.account) }),
      })),
  }),
  amendUsage: t.field({
    type: AmendResult,
    nullable: false,
    extensions: requiresScopes([['admin']]),
    description:
      'Amends usage events: replaces their contents, with immediate effect on all metrics. Recorded in the ' +
      'change log. Needs an admin of the account.',
    args: { input: t.arg({ type: AmendInput, required: true, description: 'The events to amend, and the reason.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => {
        const account = namedAccount(ctx, input.account);
        // An event can name the account in the same way as the input.
        const events = input.events.map((event) => ({
          ...event,
          account: event.account === input.account ? account : event.account,
        }));
        return { results: await amendUsage(ctx, { ...input, account, events }) };
      }),
  }),
}));
