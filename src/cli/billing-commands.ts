import { z } from 'zod';
import {
  createBillingDimension,
  createResourceType,
  deleteBillingDimension,
  deletePrice,
  deleteResourceType,
  retireBillingDimension,
  retireResourceType,
  setPrice,
} from '../billing/billing-changes.js';
import { unitPriceText } from '../metering/billed.js';
import { billingDimensionInput, priceInput, resourceTypeInput } from '../metering/billing-input.js';
import { dimensionKinds } from '../metering/dimensions.js';
import { defineCommand, described } from './command.js';
import type { Command } from './command.js';
import { time } from './inputs.js';
import { platformContext } from './operator/operator-context.js';

const ofDimension = billingDimensionInput.shape;
const ofPrice = priceInput.shape;
const own = described(z.string().min(1).max(63), 'NAME', 'Name of a custom one.');
const dimension = described(z.string().min(1).max(63), 'DIMENSION', 'Name of the billing dimension.');
const about = described(ofDimension.description.unwrap().optional(), 'TEXT', 'Description.');
const from = time.pipe(ofPrice.from).transform((text) => new Date(text).toISOString());

const names = z
  .string()
  .transform((text) => text.split(','))
  .pipe(ofDimension.resourceTypes);

const kindError = { error: `must be one of: ${Object.keys(dimensionKinds).join(', ')}` };

export const billingCommands: Command[] = [
  defineCommand({
    name: 'billing-dimensions create',
    summary: 'Create a custom billing dimension.',
    argument: 'name',
    input: z.object({
      name: described(ofDimension.name, 'NAME', 'Name: lowercase letters, digits and underscores.'),
      unit: described(ofDimension.unit, 'UNIT', 'Unit of the quantity, such as tokens.'),
      resourceTypes: described(names, 'TYPES', 'Resource types that can use it, separated by commas.'),
      kind: described(
        z.enum(ofDimension.kind.unwrap().options, kindError).optional(),
        'KIND',
        'Kind of its events: usage, or credit (negative amounts). Default: usage.',
      ),
      description: about,
    }),
    run: async (admin, { kind = 'usage', description = '', ...input }, print) => {
      const dimension = await createBillingDimension(await platformContext(admin), { ...input, kind, description });
      const { name: created, unit, resourceTypes } = dimension;
      const record = { name: created, unit, kind: dimension.kind, resourceTypes: resourceTypes.join(' ') };
      print.done(`Created the billing dimension ${created}.`, record);
    },
  }),
  defineCommand({
    name: 'billing-dimensions list',
    summary: 'List custom billing dimensions.',
    input: z.object({}),
    run: async ({ db }, _input, print) =>
      print.table(
        ['name', 'unit', 'kind', 'resourceTypes', 'retiredAt', 'description'],
        (await db.billingDimension.findMany({ orderBy: { name: 'asc' } })).map((row) => ({
          ...row,
          resourceTypes: row.resourceTypes.join(' '),
        })),
      ),
  }),
  defineCommand({
    name: 'billing-dimensions retire',
    summary: 'Retire a billing dimension: new usage is rejected, late events from before are still accepted.',
    argument: 'name',
    input: z.object({ name: own }),
    run: async (admin, input, print) => {
      const { retiredFrom: retiredAt = null } = await retireBillingDimension(await platformContext(admin), input);
      print.done(`Retired the billing dimension ${input.name}.`, { name: input.name, retiredAt });
    },
  }),
  defineCommand({
    name: 'billing-dimensions delete',
    summary: 'Delete a retired billing dimension without usage.',
    argument: 'name',
    input: z.object({ name: own }),
    run: async (admin, input, print) => {
      await deleteBillingDimension(await platformContext(admin), input);
      print.done(`Deleted the billing dimension ${input.name}.`, { name: input.name });
    },
  }),
  defineCommand({
    name: 'resource-types create',
    summary: 'Create a custom resource type.',
    argument: 'name',
    input: z.object({
      name: described(resourceTypeInput.shape.name, 'NAME', 'Name: lowercase letters, digits and underscores.'),
      description: about,
    }),
    run: async (admin, { name, description = '' }, print) => {
      const created = await createResourceType(await platformContext(admin), { name, description });
      print.done(`Created the resource type ${created.name}.`, { name: created.name });
    },
  }),
  defineCommand({
    name: 'resource-types list',
    summary: 'List custom resource types.',
    input: z.object({}),
    run: async ({ db }, _input, print) =>
      print.table(
        ['name', 'retiredAt', 'description'],
        await db.billedResourceType.findMany({ orderBy: { name: 'asc' } }),
      ),
  }),
  defineCommand({
    name: 'resource-types retire',
    summary: 'Retire a resource type: new usage is rejected, late events from before are still accepted.',
    argument: 'name',
    input: z.object({ name: own }),
    run: async (admin, input, print) => {
      const { retiredFrom: retiredAt = null } = await retireResourceType(await platformContext(admin), input);
      print.done(`Retired the resource type ${input.name}.`, { name: input.name, retiredAt });
    },
  }),
  defineCommand({
    name: 'resource-types delete',
    summary: 'Delete a retired resource type without usage that no billing dimension uses.',
    argument: 'name',
    input: z.object({ name: own }),
    run: async (admin, input, print) => {
      await deleteResourceType(await platformContext(admin), input);
      print.done(`Deleted the resource type ${input.name}.`, { name: input.name });
    },
  }),
  defineCommand({
    name: 'prices set',
    summary: 'Set the unit price of a billing dimension from a time onwards. It applies to events without a cost.',
    argument: 'dimension',
    input: z.object({
      dimension,
      unitPrice: described(
        ofPrice.unitPrice,
        'PRICE',
        'Price of one unit in the currency: a decimal with up to 12 places.',
      ),
      from: described(
        from,
        'TIME',
        'Start of the price: more than a day from now, or before all other prices of the dimension.',
      ),
      currency: described(
        ofPrice.currency.unwrap().optional(),
        'CURRENCY',
        'Currency of the price: USD, the currency of all costs. Default: USD.',
      ),
    }),
    run: async (admin, input, print) => {
      const { dimension: of, currency = 'USD', unitPrice, from } = input;
      await setPrice(await platformContext(admin), { dimension: of, currency, unitPrice, from });
      const sentence = `The unit price of ${of} is ${unitPrice} ${currency} from ${from} onwards.`;
      print.done(sentence, { dimension: of, currency, unitPrice, from });
    },
  }),
  defineCommand({
    name: 'prices list',
    summary: 'List prices.',
    input: z.object({
      dimension: described(
        z.string().min(1).max(63).optional(),
        'DIMENSION',
        'List only prices of this billing dimension. Default: all.',
      ),
    }),
    run: async ({ db }, input, print) => {
      const prices = await db.billingPrice.findMany({
        where: input.dimension === undefined ? {} : { billingDimension: input.dimension },
        orderBy: [{ billingDimension: 'asc' }, { from: 'asc' }],
      });
      print.table(
        ['dimension', 'from', 'unitPrice', 'currency'],
        prices.map(({ billingDimension, from, unitPrice, currency }) => ({
          dimension: billingDimension,
          from,
          unitPrice: unitPriceText(unitPrice),
          currency,
        })),
      );
    },
  }),
  defineCommand({
    name: 'prices delete',
    summary: 'Delete a price that does not apply yet.',
    argument: 'dimension',
    input: z.object({ dimension, from: described(from, 'TIME', 'Start of the price.') }),
    run: async (admin, { dimension: of, from }, print) => {
      await deletePrice(await platformContext(admin), { dimension: of, from });
      print.done(`Deleted the price of ${of} from ${from} onwards.`, { dimension: of, from });
    },
  }),
];
