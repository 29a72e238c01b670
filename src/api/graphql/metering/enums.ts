import { builder } from '../builder.js';
import { enumValues } from '../enums.js';
import { dimensionKinds } from '../../../metering/dimensions.js';
import { usageEventStates } from '../../../metering/usage-event-filter.js';

export const DimensionKindEnum = builder.enumType('BillingDimensionKind', {
  description: 'The kind of a billing dimension.',
  values: enumValues(dimensionKinds),
});

export const UsageEventStateEnum = builder.enumType('UsageEventState', {
  description: 'State of a usage event.',
  values: enumValues(usageEventStates),
});
