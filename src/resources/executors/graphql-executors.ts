import { builder } from '../../graphql/builder.js';
import { connectionComplexity } from '../../graphql/connection.js';
import { enumValues } from '../../graphql/enums.js';
import { resolveList, searchArgument, sortArgument } from '../../graphql/resource-list.js';
import { executorHealth, executorHealths, listExecutors } from './executors.js';
import type { SeenExecutor } from './executors.js';

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
