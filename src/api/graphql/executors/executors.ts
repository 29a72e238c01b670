import { isPlatformAdmin } from '../../../auth/authorize.js';
import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { NamedInterface } from '../named.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { listOrderArgument, resolveList, searchArgument } from '../resource-list.js';
import { executorHealth, executorHealths, listExecutors } from '../../../resources/executors/executors.js';
import type { SeenExecutor } from '../../../resources/executors/executors.js';

const HealthEnum = builder.enumType('ExecutorHealth', {
  description: 'Health of an executor.',
  values: enumValues(executorHealths),
});

const ExecutorType = builder.objectRef<SeenExecutor>('Executor').implement({
  interfaces: [NamedInterface],
  description: 'A program of the platform that reconciles the desired state.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'Name of the executor.' }),
    health: t.field({
      type: HealthEnum,
      nullable: false,
      resolve: (executor, _args, ctx) => executorHealth(executor, ctx.now()),
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'The time its key expires, or null if it does not expire.',
      resolve: ({ expiresAt }) => expiresAt?.toISOString(),
    }),
    addressRanges: t.stringList({
      nullable: { list: true, items: false },
      complexity: { field: 1, multiplier: 1 },
      description:
        'CIDR ranges that its key may be used from. Empty: any address. Null unless the caller is an admin of the ' +
        'platform, because they describe its network.',
      resolve: ({ addressRanges }, _args, ctx) => (isPlatformAdmin(ctx) ? [...addressRanges] : null),
    }),
  }),
});

builder.queryField('executors', (t) =>
  t.connection(
    {
      type: ExecutorType,
      nullable: true,
      extensions: requiresScopes([['admin']]),
      description: 'Executors of the platform in the regions that the account can use. Needs an admin of the account.',
      args: { ...listOrderArgument, ...searchArgument('name') },
      complexity: connectionComplexity,
      resolve: (_root, args, ctx, info) => resolveList(args, info, (input) => listExecutors(ctx, input)),
    },
    { name: 'ExecutorConnection', description: 'A page of executors.' },
    { name: 'ExecutorEdge', description: 'An executor and its cursor.' },
  ),
);
