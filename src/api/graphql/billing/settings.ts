// The settings of account metrics, from which a client can build its pickers.
import { builder } from '../builder.js';
import {
  billingDimensions,
  groupDimensions,
  isBillingDimension,
  isGroupDimension,
} from '../../../metering/dimensions.js';
import type { BillingDimension, Unit } from '../../../metering/dimensions.js';
import { BillingDimensionEnum, UnitEnum } from '../metering/enums.js';
import { DimensionEnum, ResolutionEnum } from './enums.js';
import { groupByMax, metricsLimitDefault, metricsLimitMax } from '../../../billing/metrics-query.js';
import { isResolution, resolutions, windowMaxTexts } from '../../../metering/window.js';
import type { Resolution } from '../../../metering/window.js';

interface DimensionSettings {
  name: BillingDimension;
  unit: Unit;
  resourceType: string;
}

const BillingDimensionSettingsType = builder.objectRef<DimensionSettings>('BillingDimensionSettings').implement({
  description: 'A billing dimension, with its unit and its resource type.',
  fields: (t) => ({
    name: t.expose('name', { type: BillingDimensionEnum, nullable: false }),
    unit: t.expose('unit', { type: UnitEnum, nullable: false }),
    resourceType: t.exposeString('resourceType', { nullable: false, description: 'The resource type that is billed.' }),
  }),
});

const ResolutionSettingsType = builder.objectRef<{ name: Resolution }>('MetricsResolutionSettings').implement({
  description: 'A resolution, and its maximum window.',
  fields: (t) => ({
    name: t.expose('name', { type: ResolutionEnum, nullable: false }),
    windowMax: t.string({
      description: 'Maximum length of the window, such as "7 days", or null if unlimited.',
      resolve: ({ name }) => windowMaxTexts[name],
    }),
  }),
});

export const SettingsType = builder.objectRef<object>('MetricsSettings').implement({
  description: 'Supported dimensions, resolutions and limits of account metrics. The same for all callers.',
  fields: (t) => ({
    billingDimensions: t.field({
      type: [BillingDimensionSettingsType],
      nullable: { list: false, items: false },
      description: 'All billing dimensions.',
      resolve: () =>
        Object.keys(billingDimensions)
          .filter(isBillingDimension)
          .map((name) => ({ name, ...billingDimensions[name] })),
    }),
    resolutions: t.field({
      type: [ResolutionSettingsType],
      nullable: { list: false, items: false },
      description: 'All resolutions, finest first.',
      resolve: () =>
        Object.keys(resolutions)
          .filter(isResolution)
          .map((name) => ({ name })),
    }),
    groupBy: t.field({
      type: [DimensionEnum],
      nullable: { list: false, items: false },
      description: 'Dimensions that metrics can be grouped by.',
      resolve: () => Object.keys(groupDimensions).filter(isGroupDimension),
    }),
    groupByMax: t.int({
      nullable: false,
      description: 'Maximum number of dimensions in `groupBy`.',
      resolve: () => groupByMax,
    }),
    limitDefault: t.int({
      nullable: false,
      description: 'Default number of groups per page.',
      resolve: () => metricsLimitDefault,
    }),
    limitMax: t.int({
      nullable: false,
      description: 'Maximum number of groups per page.',
      resolve: () => metricsLimitMax,
    }),
  }),
});
