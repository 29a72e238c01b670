// Mutations of the prices of billing dimensions, for platform admins.
import { dryRunArgument } from '../change-arguments.js';
import { addMutation, nonNull } from '../mutation.js';
import { deletePrice, setPrice } from '../../../billing/billing-changes.js';
import { BillingPriceType } from './billed.js';

const needs = 'Needs an admin of the platform.';

addMutation('setPrice', {
  description: `Sets the price of one unit of a billing dimension, for usage events without a cost. ${needs}`,
  scopes: [['admin']],
  inputDescription: 'The price of one unit of a billing dimension, from a time onwards.',
  argumentDescription: 'The price to set.',
  input: (t) => ({
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
  run: async (ctx, input) => ({ price: await setPrice(ctx, { ...input, unitPrice: String(input.unitPrice) }) }),
  payloadDescription: 'The new price',
  payload: (t) => ({ price: t.expose('price', nonNull(BillingPriceType, 'The price.')) }),
});

addMutation('deletePrice', {
  description: `Deletes a scheduled price that takes effect in more than one day. ${needs}`,
  scopes: [['admin']],
  inputDescription: 'The scheduled price to delete.',
  argumentDescription: 'The price to delete.',
  input: (t) => ({
    ...dryRunArgument(t),
    dimension: t.string({ required: true, description: 'Name of the billing dimension.' }),
    from: t.field({ type: 'DateTime', required: true, description: 'The time the price would take effect.' }),
  }),
  run: async (ctx, input) => ({ price: await deletePrice(ctx, { ...input, from: String(input.from) }) }),
  payloadDescription: 'The deleted price',
  payload: (t) => ({ price: t.expose('price', nonNull(BillingPriceType, 'The price.')) }),
});
