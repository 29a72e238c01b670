// Input schemas of custom dimensions, custom resource types and prices, shared by all transports.
import { z } from 'zod';
import { refusal } from '../schema/problem.js';
import { asDecimal } from '../schema/shape.js';
import { shownText } from '../schema/text.js';
import { unitsFromDecimal } from './amounts.js';
import { currencies, ownName, unitPriceDigits, unitPriceMaxUsd } from './billing-catalog.js';
import { dimensionKinds, isDimensionKind } from './dimensions.js';
import { instantFromText } from './instant.js';

/** The maximum number of resource types of a dimension. */
const resourceTypesMax = 100;

const nameRule = 'must be up to 63 lowercase letters, digits and underscores, starting with a letter';
const name = z.string().regex(ownName, nameRule);
const description = shownText(200).default('').meta({ description: 'Description (at most 200 characters).' });

export const billingDimensionInput = z.object({
  name: name.meta({
    description: 'Name: up to 63 lowercase letters, digits and underscores, starting with a letter. Immutable.',
  }),
  unit: z
    .string()
    .regex(
      /^[A-Za-z][A-Za-z0-9_.-]{0,31}$/,
      'must be up to 32 letters, digits, underscores, dots and hyphens, starting with a letter',
    )
    .meta({ description: 'Unit of measurement, such as tokens: one word of up to 32 characters. Immutable.' }),
  kind: z.enum(Object.keys(dimensionKinds).filter(isDimensionKind)).default('usage'),
  description,
  resourceTypes: z
    .array(name)
    .min(1)
    .max(resourceTypesMax)
    .transform((names) => [...new Set(names)])
    .meta({
      description: `Resource types that can have usage of the dimension: 1 to ${resourceTypesMax} names. Immutable.`,
    }),
});

export type BillingDimensionInput = z.output<typeof billingDimensionInput>;

export const resourceTypeInput = z.object({
  name: name.meta({
    description: 'Name: up to 63 lowercase letters, digits and underscores, starting with a letter. Immutable.',
  }),
  description,
});

export type ResourceTypeInput = z.output<typeof resourceTypeInput>;

/**
 * A time, with any offset. Not z.iso.datetime(), whose input is cut to milliseconds: the price would apply to events before
 * the given time.
 */
const priceStart = z
  .string()
  .refine((text) => !/\.\d{3}0*[1-9]/.test(text), refusal('invalid_value', 'must be a whole number of milliseconds'))
  .refine(isInYears, refusal('invalid_value', 'must be in the years 2000 to 2100'));

function isInYears(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && !('rule' in instantFromText(new Date(ms).toISOString()));
}

export const priceInput = z.object({
  dimension: z.string(),
  currency: z.enum(currencies, { error: `must be ${currencies.join(' or ')}` }).default('USD'),
  unitPrice: asDecimal(
    z.string().superRefine((value, ctx) => {
      const rule = unitPriceRule(value);
      if (rule !== undefined) ctx.addIssue({ code: 'custom', message: rule, params: { code: 'invalid_value' } });
    }),
  ),
  from: priceStart,
});

export type PriceInput = z.output<typeof priceInput>;

/** Identifies a price by its dimension and its start. */
export const whichPriceInput = z.object({ dimension: z.string(), from: priceStart });

export type WhichPrice = z.output<typeof whichPriceInput>;

function unitPriceRule(value: string): string | undefined {
  const units = unitsFromDecimal(value, unitPriceDigits, unitPriceMaxUsd);
  if (typeof units === 'string') return undefined;
  return 'rule' in units ? units.rule : `must have at most ${unitPriceDigits} decimal places`;
}
