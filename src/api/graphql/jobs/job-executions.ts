import { builder } from '../builder.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { versionDescription, versionOf } from '../resource.js';
import { filterArgument } from '../filter-argument.js';
import { GroupCountType, countComplexity } from '../group-counts.js';
import { foundId, resolveList } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { enumType, objectType } from '../shape-type.js';
import { resourceSorts } from '../../../store/read/list-input.js';
import type { PartialResource } from '../../../store/read/resource.js';
import { timestampFromRow } from '../../../store/read/resource-row.js';
import { workspaceEdge } from '../accounts/accounts.js';
import {
  executionKind,
  executionMetadata,
  executionMetadataColumns,
  executionMetadataOf,
  executionSpec,
  executionSpecOf,
  executionStats,
  executionStatus,
  task,
} from '../../../resources/jobs/execution.js';
import type { ExecutionRow } from '../../../resources/jobs/execution.js';
import { countExecutions, findExecutions, listExecutions } from '../../../resources/jobs/executions.js';
import { JobType } from './jobs.js';
import { findJobs } from '../../../resources/jobs/jobs.js';
import { changeArguments, versionArgument } from '../change-arguments.js';
import { resultOf, resultType } from '../mutation.js';
import { inputFields } from '../shape-input.js';
import { cancelExecution, deleteExecution, runJob } from '../../../resources/jobs/execution-changes.js';
import { executionRequest } from '../../../resources/jobs/execution-request.js';

const ExecutionStatusEnum = enumType(executionStatus);

const TaskType = objectType(task);

const StatsType = objectType(executionStats);

const ExecutionMetadataType = objectType(executionMetadata);

const ExecutionSpecType = objectType(executionSpec);

const execution = rowFields<ExecutionRow>();

export const ExecutionType = builder.node(builder.objectRef<PartialResource<ExecutionRow>>('JobExecution'), {
  description: 'One run of a job. Needs the scope admin.',
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findExecutions(ctx, ids),
  fields: (t) => ({
    version: t.int({ nullable: false, description: versionDescription, ...execution.of(['version'], versionOf) }),
    job: t.field({
      type: JobType,
      description: 'What it is a run of. Needs the scope jobs:get.',
      ...execution.owner('jobId', ({ jobId }) => jobId, findJobs),
    }),
    scheduledAt: t.field({
      type: 'DateTime',
      description: 'The time of the schedule that made it; null where somebody asked for it.',
      ...execution.of(['scheduledAt'], ({ scheduledAt }) => timestampFromRow(scheduledAt) ?? null),
    }),
    workspace: t.field(workspaceEdge),
    metadata: t.field({
      type: ExecutionMetadataType,
      nullable: false,
      ...execution.part([], executionMetadataColumns, (row, found) => executionMetadataOf(found, row)),
    }),
    spec: t.field({
      type: ExecutionSpecType,
      nullable: false,
      ...execution.of(['spec', 'tasks'], ({ spec, tasks }) => executionSpecOf(spec, tasks)),
    }),
    stats: t.field({ type: StatsType, nullable: false, ...execution.of(['stats'], ({ stats }) => stats) }),
    status: t.field({
      type: ExecutionStatusEnum,
      nullable: false,
      ...execution.of(['status'], ({ status }) => status),
    }),
    tasks: t.field({
      type: [TaskType],
      nullable: { list: false, items: false },
      description: 'Its tasks, in their order.',
      ...execution.of(['tasks'], ({ tasks }) => tasks),
    }),
  }),
});

const ExecutionSortEnum = builder.enumType('JobExecutionSort', {
  description: 'Order of a list of executions, which have no names.',
  values: enumValues({
    'createdAt:desc': resourceSorts['createdAt:desc'],
    'createdAt:asc': resourceSorts['createdAt:asc'],
    'updatedAt:desc': resourceSorts['updatedAt:desc'],
    'updatedAt:asc': resourceSorts['updatedAt:asc'],
    'status:asc': resourceSorts['status:asc'],
    'status:desc': resourceSorts['status:desc'],
  }),
});

const filter = filterArgument('JobExecution', executionKind.criteria);

builder.objectField(JobType, 'executions', (t) =>
  t.connection(
    {
      type: ExecutionType,
      nullable: false,
      description: 'Its executions. Needs the scope admin.',
      args: {
        sort: t.arg({ type: ExecutionSortEnum, description: 'Newest first by default.' }),
        ...filter,
      },
      complexity: connectionComplexity,
      resolve: (job, args, ctx, info) =>
        resolveList(args, info, (input) => listExecutions(ctx, job, { ...input, isOneOfMany: true })),
    },
    { name: 'JobExecutionConnection', description: 'A page of executions.' },
    { name: 'JobExecutionEdge', description: 'One of a page of executions, with its cursor.' },
  ),
);

builder.objectField(JobType, 'executionCounts', (t) =>
  t.field({
    type: [GroupCountType],
    nullable: { list: true, items: false },
    description: 'How many of its executions have each status, the most frequent first: exact. Needs the scope admin.',
    args: filter,
    complexity: countComplexity,
    resolve: (job, { filter: given }, ctx) => countExecutions(ctx, job, { filter: given }),
  }),
);

interface ExecutionPayload {
  jobExecution: PartialResource<ExecutionRow>;
}

const RunResult = resultType<ExecutionPayload>('RunJob', 'What runJob made', (t) => ({
  jobExecution: t.expose('jobExecution', { type: ExecutionType, nullable: false, description: 'It is queued.' }),
}));

const RunInput = builder.inputType('RunJobInput', {
  description: 'Which job to run, its tasks, and what this execution overrides of the job.',
  fields: (t) => ({
    ...inputFields(t, executionRequest),
    ...changeArguments(t),
    jobName: t.string({ required: true, description: 'Name of the job.' }),
  }),
});

builder.mutationField('runJob', (t) =>
  t.field({
    type: RunResult,
    nullable: false,
    description: 'Makes an execution of a job. Needs the scope jobs:update.',
    args: { input: t.arg({ type: RunInput, required: true, description: 'Which job, and how.' }) },
    resolve: (_root, { input: { workspace, validateOnly, jobName: job, ...asked } }, ctx) =>
      resultOf(async () => ({ jobExecution: await runJob(ctx, { workspace, validateOnly, job, asked }) })),
  }),
);

const CancelResult = resultType<ExecutionPayload>('CancelJobExecution', 'What cancelJobExecution stopped', (t) => ({
  jobExecution: t.expose('jobExecution', {
    type: ExecutionType,
    nullable: false,
    description: 'As it now is: cancelled, or cancelling where something has to stop first.',
  }),
}));

const CancelInput = builder.inputType('CancelJobExecutionInput', {
  description: 'Which execution to cancel.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    jobName: t.string({ required: true, description: 'Name of the job.' }),
    executionId: t.string({ required: true, description: 'metadata.id of the execution.' }),
  }),
});

builder.mutationField('cancelJobExecution', (t) =>
  t.field({
    type: CancelResult,
    nullable: false,
    description: 'Stops an execution that is not over. Needs the scope jobs:update.',
    args: { input: t.arg({ type: CancelInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { jobName: job, executionId: execution, ...input } }, ctx) =>
      resultOf(async () => ({ jobExecution: await cancelExecution(ctx, { ...input, job, execution }) })),
  }),
);

const DeleteResult = resultType<ExecutionPayload>('DeleteJobExecution', 'What deleteJobExecution removed', (t) => ({
  jobExecution: t.expose('jobExecution', {
    type: ExecutionType,
    nullable: false,
    description: 'As it was, with the time of its deletion.',
  }),
}));

const DeleteInput = builder.inputType('DeleteJobExecutionInput', {
  description: 'Which execution to delete.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    jobName: t.string({ required: true, description: 'Name of the job.' }),
    executionId: t.string({ required: true, description: 'metadata.id of the execution.' }),
  }),
});

builder.mutationField('deleteJobExecution', (t) =>
  t.field({
    type: DeleteResult,
    nullable: false,
    description: 'Deletes an execution that is over. Needs the scope jobs:update.',
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { jobName: job, executionId: execution, ...input } }, ctx) =>
      resultOf(async () => ({ jobExecution: await deleteExecution(ctx, { ...input, job, execution }) })),
  }),
);
