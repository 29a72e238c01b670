// The settings of account metrics, from which a client can build its pickers.
import { builder } from '../builder.js';
import { groupDimensions, isGroupDimension } from '../../../metering/dimensions.js';
import { DimensionEnum, ResolutionEnum } from './enums.js';
import { groupByMax, metricsLimitDefault, metricsLimitMax } from '../../../billing/metrics-query.js';
import { isResolution, resolutions, windowMaxTexts } from '../../../metering/window.js';
import type { Resolution } from '../../../metering/window.js';

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
