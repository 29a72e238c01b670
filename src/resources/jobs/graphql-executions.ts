import { builder } from '../../graphql/builder.js';
import { connectionComplexity } from '../../graphql/connection.js';
import { enumValues } from '../../graphql/enums.js';
import { foundId, resolveList } from '../../graphql/resource-list.js';
import { resourceSorts } from '../resource-kind.js';
import type { Found } from '../resource-kind.js';
import { executionStatuses } from './execution.js';
import type { Execution, ExecutionMetadata, ExecutionStats, Task, TaskCondition } from './execution.js';
import { findExecutions, listExecutions } from './executions.js';
import { JobType } from './graphql.js';

const ExecutionStatusEnum = builder.enumType('JobExecutionStatus', {
  description: 'State of an execution.',
  values: enumValues(executionStatuses),
});

const ConditionType = builder.objectRef<TaskCondition>('JobTaskCondition').implement({
  description: 'Something that holds of a task.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'What it is about.' }),
    state: t.exposeString('state', { description: 'Whether it holds.' }),
    reason: t.exposeString('reason', { description: 'Why, in a word.' }),
    executionReason: t.exposeString('executionReason', { description: 'Why the task ran, or stopped, in a word.' }),
    message: t.exposeString('message', { description: 'Why, for people.' }),
    severity: t.exposeString('severity', { description: 'How bad it is.' }),
  }),
});

const TaskMetadataType = builder.objectRef<Task['metadata']>('JobTaskMetadata').implement({
  description: 'What a task is called, and its times.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    scheduledAt: t.expose('scheduledAt', { type: 'DateTime' }),
    startedAt: t.expose('startedAt', { type: 'DateTime' }),
    completedAt: t.expose('completedAt', { type: 'DateTime' }),
  }),
});

const TaskSpecType = builder.objectRef<Task['spec']>('JobTaskSpec').implement({
  description: 'What a task is meant to be.',
  fields: (t) => ({
    maxRetries: t.exposeInt('maxRetries', { description: 'How often it is tried again.' }),
    timeout: t.exposeString('timeout', { description: 'A duration, such as 15m.' }),
  }),
});

const TaskType = builder.objectRef<Task>('JobTask').implement({
  description: 'One task of an execution.',
  fields: (t) => ({
    metadata: t.expose('metadata', { type: TaskMetadataType, nullable: false }),
    spec: t.expose('spec', { type: TaskSpecType, nullable: false }),
    conditions: t.expose('conditions', { type: [ConditionType], nullable: { list: false, items: false } }),
  }),
});

const StatsType = builder.objectRef<ExecutionStats>('JobExecutionStats').implement({
  description: 'How many tasks of an execution are in which state.',
  fields: (t) => ({
    total: t.exposeInt('total', { nullable: false, description: 'All of them.' }),
    running: t.exposeInt('running', { nullable: false, description: 'Still running.' }),
    success: t.exposeInt('success', { nullable: false, description: 'Succeeded.' }),
    failure: t.exposeInt('failure', { nullable: false, description: 'Failed for good.' }),
    cancelled: t.exposeInt('cancelled', { nullable: false, description: 'Stopped on request.' }),
    retried: t.exposeInt('retried', { nullable: false, description: 'Tried again at least once.' }),
  }),
});

const ExecutionMetadataType = builder.objectRef<ExecutionMetadata>('JobExecutionMetadata').implement({
  description: 'What an execution belongs to, and its times.',
  fields: (t) => ({
    id: t.exposeString('id', { nullable: false, description: 'The id that REST knows it by.' }),
    job: t.exposeString('job', { description: 'Name of the job.' }),
    workspace: t.exposeString('workspace', { description: 'Name of the workspace that it is in.' }),
    cluster: t.exposeString('cluster', { description: 'Where it runs.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    startedAt: t.expose('startedAt', { type: 'DateTime' }),
    completedAt: t.expose('completedAt', { type: 'DateTime' }),
    expiredAt: t.expose('expiredAt', { type: 'DateTime' }),
    deletedAt: t.expose('deletedAt', { type: 'DateTime' }),
  }),
});

const ExecutionSpecType = builder.objectRef<Execution['spec']>('JobExecutionSpec').implement({
  description: 'What was asked of an execution.',
  fields: (t) => ({
    envOverride: t.exposeString('envOverride', {
      description: 'A JSON object of variable names, whose values are all masked.',
    }),
    memoryOverride: t.exposeInt('memoryOverride', { description: 'Megabytes.' }),
    parallelism: t.exposeInt('parallelism', { description: 'Tasks that run at the same time.' }),
    timeout: t.exposeInt('timeout', { description: 'Seconds.' }),
    tasks: t.expose('tasks', { type: [TaskType], nullable: { list: false, items: false } }),
  }),
});

const ExecutionType = builder.node(builder.objectRef<Found<Execution>>('JobExecution'), {
  description: 'One run of a job. Needs the scope admin.',
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findExecutions(ctx, ids),
  fields: (t) => ({
    metadata: t.field({ type: ExecutionMetadataType, nullable: false, resolve: ({ resource }) => resource.metadata }),
    spec: t.field({ type: ExecutionSpecType, nullable: false, resolve: ({ resource }) => resource.spec }),
    stats: t.field({ type: StatsType, nullable: false, resolve: ({ resource }) => resource.stats }),
    status: t.field({ type: ExecutionStatusEnum, nullable: false, resolve: ({ resource }) => resource.status }),
    tasks: t.field({
      type: [TaskType],
      nullable: { list: false, items: false },
      description: 'Its tasks, in their order.',
      resolve: ({ resource }) => resource.tasks,
    }),
  }),
});

const ExecutionSortEnum = builder.enumType('JobExecutionSort', {
  description: 'Order of a list of executions, which have no names.',
  values: enumValues({
    'createdAt:desc': resourceSorts['createdAt:desc'],
    'createdAt:asc': resourceSorts['createdAt:asc'],
  }),
});

builder.objectField(JobType, 'executions', (t) =>
  t.connection(
    {
      type: ExecutionType,
      nullable: false,
      description: 'Its executions. Needs the scope admin.',
      args: { sort: t.arg({ type: ExecutionSortEnum, description: 'Newest first by default.' }) },
      complexity: connectionComplexity,
      resolve: (job, args, ctx, info) =>
        resolveList(args, info, (input) => listExecutions(ctx, job, { ...input, isOneOfMany: true })),
    },
    { name: 'JobExecutionConnection', description: 'A page of executions.' },
    { name: 'JobExecutionEdge', description: 'One of a page of executions, with its cursor.' },
  ),
);
