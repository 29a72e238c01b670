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
} from './operator/billing-dimensions.js';
import { listPrices, removePrice, setPrice } from './operator/billing-prices.js';
import type { PlatformHistory } from './operator/edit-billing.js';
import { unitPriceText } from '../metering/billed.js';
import { billingDimensionInput, priceInput, resourceTypeInput } from '../metering/billing-input.js';
import { dimensionKinds } from '../metering/dimensions.js';
import { defineCommand, described } from './command.js';
import type { Admin, Command } from './command.js';

const ofDimension = billingDimensionInput.shape;
const ofPrice = priceInput.shape;
const own = described(z.string().min(1).max(63), 'NAME', 'One of the platform’s own.');
const dimension = described(z.string().min(1).max(63), 'DIMENSION', 'A billing dimension.');
const about = described(ofDimension.description.unwrap().optional(), 'TEXT', 'What it is, for people.');
const time = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], { error: 'must be a time such as 2027-01-31T00:00:00Z' })
  .transform((text) => new Date(text).toISOString())
  .pipe(ofPrice.from);

const names = z
  .string()
  .transform((text) => text.split(','))
  .pipe(ofDimension.resourceTypes);

const kindError = { error: `must be one of: ${Object.keys(dimensionKinds).join(', ')}` };

/** Where it is told: in the history of the platform's account, if there is one. */
function historyOf({ platformAccount, now }: Admin): PlatformHistory {
  return { platformAccount, now: now() };
}

export const billingCommands: Command[] = [
  defineCommand({
    name: 'billing-dimensions create',
    summary: 'Create a billing dimension beside those of the specification.',
    argument: 'name',
    input: z.object({
      name: described(ofDimension.name, 'NAME', 'Lowercase letters, digits and underscores.'),
      unit: described(ofDimension.unit, 'UNIT', 'What is counted, such as tokens.'),
      resourceTypes: described(names, 'TYPES', 'What it may be measured of, separated by commas.'),
      kind: described(
        z.enum(ofDimension.kind.unwrap().options, kindError).optional(),
        'KIND',
        'What its events say: usage, or credit, of which amounts are negative. Usage when left out.',
      ),
      description: about,
    }),
    run: async (admin, { kind = 'usage', description = '', ...input }, print) => {
      const made = await createBillingDimension(admin.db, { ...input, kind, description }, historyOf(admin));
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
    input: z.object({ name: own }),
    run: async (admin, input, print) => {
      const { retiredFrom: retiredAt = null } = await retireBillingDimension(admin.db, input.name, historyOf(admin));
      print.done(`The billing dimension ${input.name} is retired.`, { name: input.name, retiredAt });
    },
  }),
  defineCommand({
    name: 'billing-dimensions remove',
    summary: 'Remove a retired billing dimension of which there is no usage.',
    argument: 'name',
    input: z.object({ name: own }),
    run: async (admin, input, print) => {
      await removeBillingDimension(admin.db, input.name, historyOf(admin));
      print.done(`Removed the billing dimension ${input.name}.`, { name: input.name });
    },
  }),
  defineCommand({
    name: 'resource-types create',
    summary: 'Create a resource type beside those of the specification.',
    argument: 'name',
    input: z.object({
      name: described(resourceTypeInput.shape.name, 'NAME', 'Lowercase letters, digits and underscores.'),
      description: about,
    }),
    run: async (admin, { name, description = '' }, print) => {
      const created = await createResourceType(admin.db, { name, description }, historyOf(admin));
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
    input: z.object({ name: own }),
    run: async (admin, input, print) => {
      const { retiredFrom: retiredAt = null } = await retireResourceType(admin.db, input.name, historyOf(admin));
      print.done(`The resource type ${input.name} is retired.`, { name: input.name, retiredAt });
    },
  }),
  defineCommand({
    name: 'resource-types remove',
    summary: 'Remove a retired resource type of which there is no usage, and that no billing dimension names.',
    argument: 'name',
    input: z.object({ name: own }),
    run: async (admin, input, print) => {
      await removeResourceType(admin.db, input.name, historyOf(admin));
      print.done(`Removed the resource type ${input.name}.`, { name: input.name });
    },
  }),
  defineCommand({
    name: 'prices set',
    summary: 'Set what a unit of a billing dimension costs from a time on, where usage comes without a cost.',
    argument: 'dimension',
    input: z.object({
      dimension,
      unitPrice: described(ofPrice.unitPrice, 'PRICE', 'Of one unit: a decimal with up to 12 places.'),
      from: described(time, 'TIME', 'More than a day from now, or before all other prices of the dimension.'),
      currency: described(ofPrice.currency.unwrap().optional(), 'CURRENCY', 'USD, which all costs are in.'),
    }),
    run: async (admin, input, print) => {
      const { dimension: of, currency = 'USD', unitPrice, from } = input;
      await setPrice(admin.db, { dimension: of, currency, unitPrice, from }, historyOf(admin));
      const sentence = `A unit of ${of} costs ${unitPrice} ${currency} from ${from} on.`;
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
          unitPrice: unitPriceText(price.unitPrice),
          currency: price.currency,
        })),
      ),
  }),
  defineCommand({
    name: 'prices remove',
    summary: 'Remove a price that does not count yet.',
    argument: 'dimension',
    input: z.object({ dimension, from: described(time, 'TIME', 'From when on it would count.') }),
    run: async (admin, { dimension: of, from }, print) => {
      await removePrice(admin.db, { dimension: of, from }, historyOf(admin));
      print.done(`Removed the price of ${of} from ${from} on.`, { dimension: of, from });
    },
  }),
];
