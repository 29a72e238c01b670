import { builder } from '../builder.js';
import { enumValues } from '../enums.js';
import { enumType } from '../shape-type.js';
import { groupDimensions } from '../../../metering/dimensions.js';
import { metricsOrders } from '../../../billing/metrics-query.js';
import { resolutionWord } from '../../../billing/metrics-shape.js';

export const ResolutionEnum = enumType(resolutionWord);

export const DimensionEnum = builder.enumType('MetricsDimension', {
  description: 'What costs can be grouped by.',
  values: enumValues(groupDimensions),
});

export const OrderEnum = builder.enumType('MetricsOrder', {
  description: 'Order of groups. Ties are broken by the group itself.',
  values: enumValues(metricsOrders),
});

/** In whose days, weeks and months something is told. */
export const timeZoneArgument = builder.args((t) => ({
  timeZone: t.string({
    description:
      'A zone of the IANA database, such as "America/New_York", whose hours, days, weeks and months the buckets are; ' +
      'UTC by default. Windows may be as long by its clocks, which a change of clock makes an hour longer.',
  }),
}));
