// What of the platform's own can be billed, as it is asked for: through whichever door, by these rules.
import { z } from 'zod';
import { refusal } from '../schema/problem.js';
import { asDecimal } from '../schema/shape.js';
import { text } from '../schema/text.js';
import { unitsFromDecimal } from './amounts.js';
import { currencies, ownName, unitPriceDigits, unitPriceMaxUsd } from './billing-catalog.js';
import { dimensionKinds, isDimensionKind } from './dimensions.js';
import { instantFromText } from './instant.js';

/** So many resource types can a dimension be measured of. */
const resourceTypesMax = 100;

const nameRule = 'must be up to 63 lowercase letters, digits and underscores, a letter first';
const name = z.string().regex(ownName, nameRule);
const description = text(200).default('').meta({ description: 'What it is, for people: at most 200 characters.' });

export const billingDimensionInput = z.object({
  name: name.meta({ description: 'Up to 63 lowercase letters, digits and underscores, a letter first. For good.' }),
  unit: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,31}$/, 'must be a word of up to 32 characters, a letter first')
    .meta({ description: 'What is counted, such as tokens: a word of up to 32 characters. For good.' }),
  kind: z.enum(Object.keys(dimensionKinds).filter(isDimensionKind)).default('usage'),
  description,
  resourceTypes: z
    .array(name)
    .min(1)
    .max(resourceTypesMax)
    .transform((names) => [...new Set(names)])
    .meta({ description: `What it may be measured of: 1 to ${resourceTypesMax} names. For good.` }),
});

export type BillingDimensionInput = z.output<typeof billingDimensionInput>;

export const resourceTypeInput = z.object({
  name: name.meta({ description: 'Up to 63 lowercase letters, digits and underscores, a letter first. For good.' }),
  description,
});

export type ResourceTypeInput = z.output<typeof resourceTypeInput>;

export const priceInput = z.object({
  dimension: z.string(),
  currency: z.enum(currencies, { error: `must be ${currencies.join(' or ')}` }).default('USD'),
  unitPrice: asDecimal(
    z.string().superRefine((value, ctx) => {
      const rule = unitPriceRule(value);
      if (rule !== undefined) ctx.addIssue({ code: 'custom', message: rule, params: { code: 'invalid_value' } });
    }),
  ),
  from: z.iso
    .datetime({ offset: true })
    .refine(
      (value) => !('rule' in instantFromText(value)),
      refusal('invalid_value', 'must lie in the years 2000 to 2100'),
    ),
});

export type PriceInput = z.output<typeof priceInput>;

function unitPriceRule(value: string): string | undefined {
  const units = unitsFromDecimal(value, unitPriceDigits, unitPriceMaxUsd);
  if (typeof units === 'string') return undefined;
  return 'rule' in units ? units.rule : `must have at most ${unitPriceDigits} places`;
}
