import { builder } from '../builder.js';
import { enumValues } from '../enums.js';
import { billingDimensions, dimensionKinds, units } from '../../../metering/dimensions.js';

const billingDimensionTexts: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(billingDimensions).map(([name, { description }]) => [name, description]),
);

export const BillingDimensionEnum = builder.enumType('BillingDimension', {
  description: 'A billing dimension of the specification. Each has one unit.',
  values: enumValues(billingDimensionTexts),
});

export const DimensionKindEnum = builder.enumType('BillingDimensionKind', {
  description: 'The kind of a billing dimension.',
  values: enumValues(dimensionKinds),
});

export const UnitEnum = builder.enumType('UsageUnit', { description: 'A unit of usage.', values: enumValues(units) });
