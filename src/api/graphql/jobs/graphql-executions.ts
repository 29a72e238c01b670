import { builder } from '../builder.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { versionDescription, versionOf } from '../resource.js';
import { filterArgument } from '../filter-argument.js';
import { countComplexity, GroupCountType } from '../group-counts.js';
import { foundId, resolveList } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { enumType, objectType } from '../shape-type.js';
import { resourceSorts } from '../../../store/read/list-input.js';
import type { Found } from '../../../store/read/found.js';
import { timestampFromRow } from '../../../store/read/resource-row.js';
import { workspaceEdge } from '../accounts/graphql.js';
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
import { JobType } from './graphql.js';
import { findJobs } from '../../../resources/jobs/jobs.js';

const ExecutionStatusEnum = enumType(executionStatus);

const TaskType = objectType(task);

const StatsType = objectType(executionStats);

const ExecutionMetadataType = objectType(executionMetadata);

const ExecutionSpecType = objectType(executionSpec);

const execution = rowFields<ExecutionRow>();

export const ExecutionType = builder.node(builder.objectRef<Found<ExecutionRow>>('JobExecution'), {
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
