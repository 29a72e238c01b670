// The observations of executors: the fields `observed` of resources, and `status` of tasks.
import { observedStatus, taskStatus } from '../../../resources/executors/observed-status.js';
import type { ObservedStatus } from '../../../lifecycle/reported.js';
import { taskStates } from '../../../lifecycle/execution-states.js';
import { timestampFromJson } from '../../../schema/resource.js';
import { builder } from '../builder.js';
import { enumValues } from '../enums.js';
import { TaskType } from '../jobs/job-executions.js';
import { GatewayType } from '../networks/egress.js';
import { ResourceInterface } from '../resource.js';

const ObservedStatusType = builder.objectRef<ObservedStatus>('ObservedStatus').implement({
  description: 'The last observation of a resource by its executor.',
  fields: (t) => ({
    observedAt: t.field({
      type: 'DateTime',
      description: 'The time of the last request of the executor. Null if the executor is deleted.',
      resolve: ({ observedAt }) => observedAt && timestampFromJson(observedAt),
    }),
    unknownSince: t.field({
      type: 'DateTime',
      description:
        'The time from which it is unknown whether a resource with the status DEPLOYED still runs, because its ' +
        'executor has sent no request for two minutes or is revoked. Null if it is known.',
      resolve: ({ unknownSince }) => unknownSince && timestampFromJson(unknownSince),
    }),
    instances: t.exposeInt('instances', {
      description: 'Number of running instances, or null if the executor has not reported it.',
    }),
    restarts: t.exposeInt('restarts', {
      nullable: false,
      description: 'Number of planned and executed restarts after failures, due to `restartPolicy`.',
    }),
    restartAt: t.field({
      type: 'DateTime',
      description: 'The time of the next restart, or null if none is planned.',
      resolve: ({ restartAt }) => restartAt && timestampFromJson(restartAt),
    }),
  }),
});

const observed = {
  type: ObservedStatusType,
  description: 'The last observation of the resource by its executor. Null if no executor has deployed the resource.',
  resolve: observedStatus,
} as const;

builder.interfaceField(ResourceInterface, 'observed', (t) => t.field(observed));
builder.objectField(GatewayType, 'observed', (t) => t.field(observed));

const TaskStatusEnum = builder.enumType('JobTaskStatus', {
  description: 'Status of a task.',
  values: enumValues(taskStates),
});

builder.objectField(TaskType, 'status', (t) =>
  t.field({
    type: TaskStatusEnum,
    nullable: false,
    description: 'Status of the task.',
    resolve: async ({ execution, ...task }) => {
      const { status } = await execution.read(['status']);
      return taskStatus(execution, task, status);
    },
  }),
);
