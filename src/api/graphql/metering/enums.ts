import { builder } from '../builder.js';
import { enumValues } from '../enums.js';
import { dimensionKinds } from '../../../metering/dimensions.js';

export const DimensionKindEnum = builder.enumType('BillingDimensionKind', {
  description: 'The kind of a billing dimension.',
  values: enumValues(dimensionKinds),
});
