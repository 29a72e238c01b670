import { z } from 'zod';
import {
  createBillingDimension,
  createResourceType,
  listBillingDimensions,
  listResourceTypes,
  removeBillingDimension,
  removeResourceType,
  retireBillingDimension,
  retireResourceType,
} from '../operator/billing-dimensions.js';
import { listPrices, removePrice, setPrice, unitPriceText } from '../operator/billing-prices.js';
import { currencies, ownName } from '../usage/billing-catalog.js';
import { dimensionKinds, isDimensionKind } from '../usage/dimensions.js';
import { defineCommand, described } from './command.js';
import type { Command } from './command.js';

const name = z.string().regex(ownName, 'must be up to 63 lowercase letters, digits and underscores');
const ownDimension = described(name, 'NAME', 'One of the platform’s own.');
const dimension = described(z.string().min(1).max(63), 'DIMENSION', 'A billing dimension.');
const about = described(z.string().max(200).optional(), 'TEXT', 'What it is, for people.');
const time = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], { error: 'must be a time such as 2027-01-31T00:00:00Z' })
  .transform((text) => new Date(text));

const names = z
  .string()
  .transform((text) => [...new Set(text.split(','))])
  .pipe(z.array(name).min(1));

const kind = z.string().refine(isDimensionKind, { error: `must be one of: ${Object.keys(dimensionKinds).join(', ')}` });

export const billingCommands: Command[] = [
  defineCommand({
    name: 'billing-dimensions create',
    summary: 'Create a billing dimension beside those of the specification.',
    argument: 'name',
    input: z.object({
      name: described(name, 'NAME', 'Lowercase letters, digits and underscores.'),
      unit: described(
        z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,31}$/, 'must be a word of up to 32 characters'),
        'UNIT',
        'What is counted, such as tokens.',
      ),
      resourceTypes: described(names, 'TYPES', 'What it may be measured of, separated by commas.'),
      kind: described(
        kind.optional(),
        'KIND',
        'What its events say: usage, or credit, of which amounts are negative. Usage when left out.',
      ),
      description: about,
    }),
    run: async ({ db }, { kind: given = 'usage', description = '', ...input }, print) => {
      const made = await createBillingDimension(db, { ...input, kind: given, description });
      const { name: created, unit, resourceTypes } = made;
      const record = { name: created, unit, kind: made.kind, resourceTypes: resourceTypes.join(' ') };
      print.done(`Created the billing dimension ${created}.`, record);
    },
  }),
  defineCommand({
    name: 'billing-dimensions list',
    summary: 'List the billing dimensions of the platform’s own.',
    input: z.object({}),
    run: async ({ db }, _input, print) =>
      print.table(
        ['name', 'unit', 'kind', 'resourceTypes', 'retiredAt', 'description'],
        (await listBillingDimensions(db)).map((row) => ({ ...row, resourceTypes: row.resourceTypes.join(' ') })),
      ),
  }),
  defineCommand({
    name: 'billing-dimensions retire',
    summary: 'Take no usage of a billing dimension from now on. Usage of before is taken still, however late.',
    argument: 'name',
    input: z.object({ name: ownDimension }),
    run: async ({ db }, input, print) => {
      const retiredAt = await retireBillingDimension(db, input.name);
      print.done(`The billing dimension ${input.name} is retired.`, { name: input.name, retiredAt });
    },
  }),
  defineCommand({
    name: 'billing-dimensions remove',
    summary: 'Remove a retired billing dimension of which there is no usage.',
    argument: 'name',
    input: z.object({ name: ownDimension }),
    run: async ({ db }, input, print) => {
      await removeBillingDimension(db, input.name);
      print.done(`Removed the billing dimension ${input.name}.`, { name: input.name });
    },
  }),
  defineCommand({
    name: 'resource-types create',
    summary: 'Create a resource type beside those of the specification.',
    argument: 'name',
    input: z.object({
      name: described(name, 'NAME', 'Lowercase letters, digits and underscores.'),
      description: about,
    }),
    run: async ({ db }, input, print) => {
      const created = await createResourceType(db, { ...input, description: input.description ?? '' });
      print.done(`Created the resource type ${created.name}.`, { name: created.name });
    },
  }),
  defineCommand({
    name: 'resource-types list',
    summary: 'List the resource types of the platform’s own.',
    input: z.object({}),
    run: async ({ db }, _input, print) =>
      print.table(['name', 'retiredAt', 'description'], await listResourceTypes(db)),
  }),
  defineCommand({
    name: 'resource-types retire',
    summary: 'Take no usage of a resource type from now on. Usage of before is taken still, however late.',
    argument: 'name',
    input: z.object({ name: described(name, 'NAME', 'One of the platform’s own.') }),
    run: async ({ db }, input, print) => {
      const retiredAt = await retireResourceType(db, input.name);
      print.done(`The resource type ${input.name} is retired.`, { name: input.name, retiredAt });
    },
  }),
  defineCommand({
    name: 'resource-types remove',
    summary: 'Remove a retired resource type of which there is no usage, and that no billing dimension names.',
    argument: 'name',
    input: z.object({ name: described(name, 'NAME', 'One of the platform’s own.') }),
    run: async ({ db }, input, print) => {
      await removeResourceType(db, input.name);
      print.done(`Removed the resource type ${input.name}.`, { name: input.name });
    },
  }),
  defineCommand({
    name: 'prices set',
    summary: 'Set what a unit of a billing dimension costs from a time on, where usage comes without a cost.',
    argument: 'dimension',
    input: z.object({
      dimension,
      unitPrice: described(z.string().min(1), 'PRICE', 'Of one unit: a decimal with up to 12 places.'),
      from: described(time, 'TIME', 'More than a day from now, or before all other prices of the dimension.'),
      currency: described(
        z.enum(currencies, { error: `must be ${currencies.join(' or ')}` }).optional(),
        'CURRENCY',
        'USD, which all costs are in.',
      ),
    }),
    run: async ({ db }, input, print) => {
      const { dimension: of, currency = 'USD', unitPrice, from } = input;
      await setPrice(db, { dimension: of, currency, unitPrice, from });
      const sentence = `A unit of ${of} costs ${unitPrice} ${currency} from ${from.toISOString()} on.`;
      print.done(sentence, { dimension: of, currency, unitPrice, from });
    },
  }),
  defineCommand({
    name: 'prices list',
    summary: 'List the prices, of all billing dimensions or of one.',
    input: z.object({
      dimension: described(z.string().min(1).max(63).optional(), 'DIMENSION', 'Only those of this billing dimension.'),
    }),
    run: async ({ db }, input, print) =>
      print.table(
        ['dimension', 'from', 'unitPrice', 'currency'],
        (await listPrices(db, input.dimension)).map((price) => ({
          dimension: price.billingDimension,
          from: price.from,
          unitPrice: unitPriceText(price),
          currency: price.currency,
        })),
      ),
  }),
  defineCommand({
    name: 'prices remove',
    summary: 'Remove a price that does not count yet.',
    argument: 'dimension',
    input: z.object({ dimension, from: described(time, 'TIME', 'From when on it would count.') }),
    run: async ({ db }, { dimension: of, from }, print) => {
      await removePrice(db, of, from);
      print.done(`Removed the price of ${of} from ${from.toISOString()} on.`, { dimension: of, from });
    },
  }),
];
