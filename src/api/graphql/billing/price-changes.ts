// Mutations of the prices of billing dimensions, for platform admins.
import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { dryRunArgument } from '../change-arguments.js';
import { resultOf, resultType } from '../mutation.js';
import type { BilledPrice } from '../../../metering/billed.js';
import { deletePrice, setPrice } from '../../../billing/billing-changes.js';
import { BillingPriceType } from './billed.js';

const needs = 'Needs an admin of the platform.';

function priceResult(name: string, description: string) {
  return resultType<{ price: BilledPrice }>(name, description, (t) => ({
    price: t.expose('price', { type: BillingPriceType, nullable: false, description: 'The price.' }),
  }));
}

const SetResult = priceResult('SetPrice', 'The new price');
const DeleteResult = priceResult('DeletePrice', 'The deleted price');

const SetInput = builder.inputType('SetPriceInput', {
  description: 'The price of one unit of a billing dimension, from a time onwards.',
  fields: (t) => ({
    ...dryRunArgument(t),
    dimension: t.string({
      required: true,
      description: 'Name of the billing dimension, custom or of the specification.',
    }),
    unitPrice: t.field({
      type: 'Decimal',
      required: true,
      description: 'Price of one unit (0 or more, up to 12 decimal places).',
    }),
    from: t.field({
      type: 'DateTime',
      required: true,
      description:
        'The time the price takes effect: more than one day from now, or earlier than all other prices of the ' +
        'dimension.',
    }),
    currency: t.string({ description: 'Currency code (ISO 4217; default: USD, the currency of all costs).' }),
  }),
});

const DeleteInput = builder.inputType('DeletePriceInput', {
  description: 'The scheduled price to delete.',
  fields: (t) => ({
    ...dryRunArgument(t),
    dimension: t.string({ required: true, description: 'Name of the billing dimension.' }),
    from: t.field({ type: 'DateTime', required: true, description: 'The time the price would take effect.' }),
  }),
});

builder.mutationFields((t) => ({
  setPrice: t.field({
    type: SetResult,
    nullable: false,
    extensions: requiresScopes([['admin']]),
    description: `Sets the price of one unit of a billing dimension, for usage events without a cost. ${needs}`,
    args: { input: t.arg({ type: SetInput, required: true, description: 'The price to set.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ price: await setPrice(ctx, { ...input, unitPrice: String(input.unitPrice) }) })),
  }),
  deletePrice: t.field({
    type: DeleteResult,
    nullable: false,
    extensions: requiresScopes([['admin']]),
    description: `Deletes a scheduled price that takes effect in more than one day. ${needs}`,
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'The price to delete.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ price: await deletePrice(ctx, { ...input, from: String(input.from) }) })),
  }),
}));
