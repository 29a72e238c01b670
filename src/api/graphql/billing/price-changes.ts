// What billing dimensions cost, for admins of the platform.
import { builder } from '../builder.js';
import { trialArgument } from '../change-arguments.js';
import { resultOf, resultType } from '../mutation.js';
import type { BilledPrice } from '../../../metering/billed.js';
import { deletePrice, setPrice } from '../../../billing/billing-changes.js';
import { BillingPriceType } from './billed.js';

const needs = 'Needs an admin of the platform, and the scope admin.';

function priceResult(name: string, description: string) {
  return resultType<{ price: BilledPrice }>(name, description, (t) => ({
    price: t.expose('price', { type: BillingPriceType, nullable: false, description: 'The price.' }),
  }));
}

const SetResult = priceResult('SetPrice', 'What setPrice set');
const DeleteResult = priceResult('DeletePrice', 'What deletePrice removed');

const SetInput = builder.inputType('SetPriceInput', {
  description: 'What a unit of a billing dimension costs from a time on.',
  fields: (t) => ({
    ...trialArgument(t),
    dimension: t.string({
      required: true,
      description: 'Name of the billing dimension, one of the specification too.',
    }),
    unitPrice: t.field({
      type: 'Decimal',
      required: true,
      description: 'Of one unit: not negative, with up to 12 places.',
    }),
    from: t.field({
      type: 'DateTime',
      required: true,
      description: 'From when on it counts: more than a day from now, or before all other prices of the dimension.',
    }),
    currency: t.string({ description: 'ISO 4217: USD, which all costs are in, when left out.' }),
  }),
});

const DeleteInput = builder.inputType('DeletePriceInput', {
  description: 'A price that does not count yet.',
  fields: (t) => ({
    ...trialArgument(t),
    dimension: t.string({ required: true, description: 'Name of the billing dimension.' }),
    from: t.field({ type: 'DateTime', required: true, description: 'From when on it would count.' }),
  }),
});

builder.mutationFields((t) => ({
  setPrice: t.field({
    type: SetResult,
    nullable: false,
    description: `Sets what a unit of a billing dimension costs where usage comes without a cost. ${needs}`,
    args: { input: t.arg({ type: SetInput, required: true, description: 'The price.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ price: await setPrice(ctx, { ...input, unitPrice: String(input.unitPrice) }) })),
  }),
  deletePrice: t.field({
    type: DeleteResult,
    nullable: false,
    description: `Removes a price that does not count yet, and does not within a day. ${needs}`,
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ price: await deletePrice(ctx, { ...input, from: String(input.from) }) })),
  }),
}));
