import { builder } from '../builder.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { resolveList, searchArgument, sortArgument } from '../resource-list.js';
import { executorHealth, executorHealths, listExecutors } from '../../../resources/executors/executors.js';
import type { SeenExecutor } from '../../../resources/executors/executors.js';

const HealthEnum = builder.enumType('ExecutorHealth', {
  description: 'How an executor is doing.',
  values: enumValues(executorHealths),
});

const ExecutorType = builder.objectRef<SeenExecutor>('Executor').implement({
  description: 'A program of the platform that carries out what is wanted.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'What the platform calls it.' }),
    health: t.field({
      type: HealthEnum,
      nullable: false,
      resolve: (executor, _args, ctx) => executorHealth(executor, ctx.now()),
    }),
  }),
});

builder.queryField('executors', (t) =>
  t.connection(
    {
      type: ExecutorType,
      nullable: true,
      description:
        'Executors of the platform that serve the account: those of the regions that it may use. For its admins; needs ' +
        'the scope admin.',
      args: { ...sortArgument, ...searchArgument('name') },
      complexity: connectionComplexity,
      resolve: (_root, args, ctx, info) => resolveList(args, info, (input) => listExecutors(ctx, input)),
    },
    { name: 'ExecutorConnection', description: 'A page of executors.' },
    { name: 'ExecutorEdge', description: 'One of a page of executors, with its cursor.' },
  ),
);
