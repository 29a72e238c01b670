import { builder } from '../builder.js';
import { enumValues } from '../enums.js';
import { OrderDirectionEnum } from '../resource-list.js';
import { enumType } from '../shape-type.js';
import { groupDimensions } from '../../../metering/dimensions.js';
import { resolutionWord } from '../../../billing/metrics-shape.js';

export const ResolutionEnum = enumType(resolutionWord);

export const DimensionEnum = builder.enumType('MetricsDimension', {
  description: 'A dimension that costs can be grouped by.',
  values: enumValues(groupDimensions),
});

const MetricsOrderField = builder.enumType('MetricsOrderField', {
  description: 'A field to order groups by.',
  values: enumValues({ cost: 'Cost in the window.' }),
});

export const MetricsOrderInput = builder.inputType('MetricsOrder', {
  description: 'An order of groups. Ties are broken by the group itself.',
  fields: (t) => ({
    field: t.field({ type: MetricsOrderField, required: true, description: 'The field to order by.' }),
    direction: t.field({ type: OrderDirectionEnum, required: true, description: 'Direction of the order.' }),
  }),
});

/** The argument for the time zone of the buckets. */
export const timeZoneArgument = builder.args((t) => ({
  timeZone: t.string({
    description:
      'IANA time zone of the buckets, such as "America/New_York" (default: UTC). Hours, days, weeks and months ' +
      'follow this zone. The maximum window is measured in its local time, so a clock change can make the window one ' +
      'hour longer.',
  }),
}));
