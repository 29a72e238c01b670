// The field `cost` of billed resources and workspaces.
import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
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
  description: 'Cost of a resource or workspace in a time window.',
  fields: (t) => ({
    ...lazyFields(metricsWindow, ({ query }: Cost) => windowAnswer(query)),
    total: t.field({
      type: 'Decimal',
      nullable: false,
      description: 'Cost over the window (USD, exact).',
      resolve: ({ total }) => costText(total),
    }),
    timeseries: t.field({
      type: [BucketType],
      nullable: { list: false, items: false },
      complexity: { field: 5, multiplier: 10 },
      description: 'One bucket for each step of the window, in order, including buckets without activity.',
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
    resolution: t.field({
      type: ResolutionEnum,
      description: 'Size of a bucket. Omitted: chosen by the length of the window.',
    }),
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
    extensions: requiresScopes([['metrics:read']]),
    description: 'Cost of the resource in a time window: the usage recorded under its `uuid`, as in account metrics.',
    args: windowArguments,
    complexity,
    resolve: (found, args, ctx) => getResourceCost(ctx, found, parametersFrom(args)),
  }),
);

builder.objectField(WorkspaceType, 'cost', (t) =>
  t.field({
    type: CostType,
    extensions: requiresScopes([['metrics:read']]),
    description:
      'Cost of the workspace in a time window, including deleted resources. Needs an admin of the account or a ' +
      'credential that can access no other workspace.',
    args: windowArguments,
    complexity,
    resolve: (workspace, args, ctx) => getWorkspaceCost(ctx, workspace, parametersFrom(args)),
  }),
);
