import { builder } from '../../graphql/builder.js';
import { enumValues } from '../../graphql/enums.js';
import { billingDimensions, groupDimensions, units } from './dimensions.js';
import { metricsOrders } from './metrics-query.js';
import { resolutions } from './window.js';

const billingDimensionTexts: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(billingDimensions).map(([name, { description }]) => [name, description]),
);

export const ResolutionEnum = builder.enumType('MetricsResolution', {
  description: 'The size of a bucket of time.',
  values: enumValues(resolutions),
});

export const DimensionEnum = builder.enumType('MetricsDimension', {
  description: 'What costs can be grouped by.',
  values: enumValues(groupDimensions),
});

export const BillingDimensionEnum = builder.enumType('BillingDimension', {
  description: 'What is billed. Each has one unit.',
  values: enumValues(billingDimensionTexts),
});

export const UnitEnum = builder.enumType('UsageUnit', { description: 'A unit of usage.', values: enumValues(units) });

export const OrderEnum = builder.enumType('MetricsOrder', {
  description: 'Order of groups. Ties are broken by the group itself.',
  values: enumValues(metricsOrders),
});
