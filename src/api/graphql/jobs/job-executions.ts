import { builder } from '../builder.js';
import type { InputFields } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { connectionComplexity } from '../connection.js';
import { versionDescription, versionOf } from '../resource.js';
import { filterArgument } from '../filter-argument.js';
import { GroupCountType, countComplexity } from '../group-counts.js';
import { columnFields, foundId, orderArgument, resolveList } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { enumType, objectType } from '../shape-type.js';
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
import type { ExecutionRow, Task } from '../../../resources/jobs/execution.js';
import { countChildren, findResources, listChildren } from '../../../resources/resource-reads.js';
import { JobType } from './jobs.js';
import { jobKind } from '../../../resources/jobs/job.js';
import { referenceOf, resourceReferenceFields, withId } from '../reference.js';
import { dryRunArgument, versionArgument } from '../change-arguments.js';
import { addMutation, nonNull } from '../mutation.js';
import { inputFields } from '../shape-input.js';
import { cancelExecution, deleteExecution, runJob } from '../../../resources/jobs/execution-changes.js';
import { executionRequest } from '../../../resources/jobs/execution-request.js';

const ExecutionStatusEnum = enumType(executionStatus);

/** A task with its execution, from which some of its fields are computed. */
interface OwnedTask extends Task {
  execution: PartialResource<ExecutionRow>;
}

export const TaskType = objectType<typeof task, OwnedTask>(task);

function ownedTasks(execution: PartialResource<ExecutionRow>, tasks: Task[]): OwnedTask[] {
  return tasks.map((each) => ({ ...each, execution }));
}

const StatsType = objectType(executionStats);

const ExecutionMetadataType = objectType(executionMetadata);

const ExecutionSpecType = objectType(executionSpec);

const execution = rowFields<ExecutionRow>();

export const ExecutionType = builder.node(builder.objectRef<PartialResource<ExecutionRow>>('JobExecution'), {
  description: 'One run of a job.',
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findResources(ctx, executionKind, ids),
  fields: (t) => ({
    version: t.int({ nullable: false, description: versionDescription, ...execution.of(['version'], versionOf) }),
    job: t.field({
      type: JobType,
      description: 'The job of the execution.',
      ...execution.owner('jobId', jobKind),
    }),
    scheduledAt: t.field({
      type: 'DateTime',
      description: 'The scheduled time, or null if the execution was requested by a caller.',
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
      ...execution.of(['spec', 'tasks'], ({ spec, tasks }, found) => executionSpecOf(spec, ownedTasks(found, tasks))),
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
      description: 'Tasks of the execution, in order.',
      ...execution.of(['tasks'], ({ tasks }, found) => ownedTasks(found, tasks)),
    }),
  }),
});

const { createdAt, updatedAt, status } = columnFields;
const order = orderArgument('JobExecutionOrder', { createdAt, updatedAt, status });
const filter = filterArgument('JobExecution', executionKind.criteria);

builder.objectField(JobType, 'executions', (t) =>
  t.connection(
    {
      type: ExecutionType,
      nullable: true,
      extensions: requiresScopes([['admin']]),
      description: 'Executions of the job.',
      args: { ...order, ...filter },
      complexity: connectionComplexity,
      resolve: (job, args, ctx, info) =>
        resolveList(args, info, (input) => listChildren(ctx, executionKind, job, { ...input, isOneOfMany: true })),
    },
    { name: 'JobExecutionConnection', description: 'A page of executions.' },
    { name: 'JobExecutionEdge', description: 'An execution and its cursor.' },
  ),
);

builder.objectField(JobType, 'executionCounts', (t) =>
  t.field({
    type: [GroupCountType],
    nullable: { list: true, items: false },
    extensions: requiresScopes([['admin']]),
    description: 'Exact number of executions of the job by status, most frequent first.',
    args: filter,
    complexity: countComplexity,
    resolve: (job, { filter: given }, ctx) => countChildren(ctx, executionKind, job, { by: 'status', filter: given }),
  }),
);

addMutation('runJob', {
  description: 'Creates an execution of a job.',
  scopes: [['jobs:update']],
  inputDescription: 'The job to run, the tasks, and the overrides for this execution.',
  argumentDescription: 'The job to run, and the overrides.',
  input: (t) => ({ ...inputFields(t, executionRequest), ...dryRunArgument(t), ...resourceReferenceFields(t, 'job') }),
  run: async (ctx, { id, workspace, name, validateOnly, ...request }) => {
    const reference = referenceOf('Job', { id, workspace }, { name });
    return { jobExecution: await runJob(ctx, { ...reference, validateOnly, request }) };
  },
  payloadDescription: 'The created execution',
  payload: (t) => ({ jobExecution: t.expose('jobExecution', nonNull(ExecutionType, 'The queued execution.')) }),
});

function executionFields(t: InputFields) {
  return {
    id: t.id({ required: true, description: 'Global ID of the execution.' }),
    ...dryRunArgument(t),
    ...versionArgument(t),
  };
}

addMutation('cancelJobExecution', {
  description: 'Cancels an execution that has not ended.',
  scopes: [['jobs:update']],
  inputDescription: 'The execution to cancel.',
  input: executionFields,
  run: async (ctx, input) => ({ jobExecution: await cancelExecution(ctx, withId('JobExecution', input)) }),
  payloadDescription: 'The cancelled execution',
  payload: (t) => ({
    jobExecution: t.expose(
      'jobExecution',
      nonNull(ExecutionType, 'The execution: cancelled, or cancelling while tasks are still stopping.'),
    ),
  }),
});

addMutation('deleteJobExecution', {
  description: 'Deletes an execution that has ended.',
  scopes: [['jobs:update']],
  inputDescription: 'The execution to delete.',
  input: executionFields,
  run: async (ctx, input) => ({ jobExecution: await deleteExecution(ctx, withId('JobExecution', input)) }),
  payloadDescription: 'The deleted execution',
  payload: (t) => ({
    jobExecution: t.expose('jobExecution', nonNull(ExecutionType, 'The deleted execution, with the time of deletion.')),
  }),
});
