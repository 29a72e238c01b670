// What something costs, as a field of it.
import { builder } from '../builder.js';
import { BilledInterface } from '../resource.js';
import { lazyFields, objectType } from '../shape-type.js';
import { WorkspaceType } from '../accounts/accounts.js';
import { getResourceCost, getWorkspaceCost } from '../../../billing/cost.js';
import type { Cost, CostParameters } from '../../../billing/cost.js';
import { windowAnswer } from './answers.js';
import { ResolutionEnum, timeZoneArgument } from './enums.js';
import { dateTime } from './time.js';
import { costBucket, metricsWindow } from '../../../billing/metrics-shape.js';
import { costText } from '../../../billing/report.js';
import type { Resolution } from '../../../metering/window.js';

const BucketType = objectType(costBucket);

export const CostType = builder.objectRef<Cost>('Cost').implement({
  description: 'What something costs in a window.',
  fields: (t) => ({
    ...lazyFields(metricsWindow, ({ query }: Cost) => windowAnswer(query)),
    total: t.field({
      type: 'Decimal',
      nullable: false,
      description: 'USD over the window, exact.',
      resolve: ({ total }) => costText(total),
    }),
    timeseries: t.field({
      type: [BucketType],
      nullable: { list: false, items: false },
      complexity: { field: 5, multiplier: 10 },
      description: 'One bucket for each step of the window, in order, those without activity too.',
      resolve: ({ times, buckets }) =>
        times().map((time, order) => {
          const bucket = buckets.get(order);
          return { timestamp: dateTime(time), cost: bucket === undefined ? '0' : costText(bucket) };
        }),
    }),
  }),
});

const windowArguments = {
  ...builder.args((t) => ({
    startTime: t.field({ type: 'DateTime', required: true, description: 'Start of the window, inclusive.' }),
    endTime: t.field({ type: 'DateTime', required: true, description: 'End of the window, exclusive.' }),
    resolution: t.field({ type: ResolutionEnum, description: 'Chosen from the window when it is left out.' }),
  })),
  ...timeZoneArgument,
};

interface WindowArguments {
  startTime: string;
  endTime: string;
  resolution?: Resolution | null | undefined;
  timeZone?: string | null | undefined;
}

function parametersFrom({ startTime, endTime, resolution, timeZone }: WindowArguments): CostParameters {
  return { startTime, endTime, resolution: resolution ?? undefined, timeZone: timeZone ?? undefined };
}

const complexity = { field: 5, multiplier: 1 };

builder.interfaceField(BilledInterface, 'cost', (t) =>
  t.field({
    type: CostType,
    description:
      'What it costs in a window: the usage that was recorded under its `uuid`, as account metrics have it. ' +
      'Needs the scope metrics:read.',
    args: windowArguments,
    complexity,
    resolve: (found, args, ctx) => getResourceCost(ctx, found, parametersFrom(args)),
  }),
);

builder.objectField(WorkspaceType, 'cost', (t) =>
  t.field({
    type: CostType,
    description:
      'What it costs in a window, with all that was ever in it. Needs the scope metrics:read, and an admin of the ' +
      'account or a credential that reaches no other workspace.',
    args: windowArguments,
    complexity,
    resolve: (workspace, args, ctx) => getWorkspaceCost(ctx, workspace, parametersFrom(args)),
  }),
);
