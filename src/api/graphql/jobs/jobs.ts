import { builder } from '../builder.js';
import { orNull } from '../connection.js';
import { filterArgument } from '../filter-argument.js';
import { countComplexity, countDescription, groupArguments, GroupCountType } from '../group-counts.js';
import { BilledInterface, EventfulInterface, ResourceInterface } from '../resource.js';
import { billedListArguments, billedListComplexity, connectionOf, listArguments } from '../resource-fields.js';
import { foundId, resolveList, workspaceArgument } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { selectedColumns } from '../selection.js';
import { objectType } from '../shape-type.js';
import type { Found } from '../../../store/read/found.js';
import { workloadGroupings } from '../../../store/read/grouping.js';
import { maskedSpec } from '../../../schema/runtime.js';
import { AccountType, WorkspaceType } from '../accounts/accounts.js';
import { jobKind, jobSpec } from '../../../resources/jobs/job.js';
import type { JobRow } from '../../../resources/jobs/job.js';
import { countJobs, findJobs, getJob, listJobs, listAccountJobs } from '../../../resources/jobs/jobs.js';
import {
  addCreateMutation,
  addDeleteMutation,
  addUpdateMutation,
  createInput,
  deleteInput,
  updateInput,
} from '../resource-mutations.js';
import { inputType, updateInputType } from '../shape-input.js';
import { metadata } from '../../../schema/resource.js';
import { createJob, deleteJob, updateJob } from '../../../resources/jobs/job-changes.js';

const JobSpecType = objectType(jobSpec);

const job = rowFields<JobRow>();

export const JobType = builder.node(builder.objectRef<Found<JobRow>>('Job'), {
  description: 'A job: batch work that is executed on demand. Lists need jobs:list, one needs jobs:get.',
  interfaces: [BilledInterface, EventfulInterface, ResourceInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findJobs(ctx, ids),
  fields: (t) => ({
    spec: t.field({ type: JobSpecType, nullable: false, ...job.of(['spec'], ({ spec }) => maskedSpec(spec)) }),
  }),
});

const filter = filterArgument('Job', jobKind.criteria);

const connection = connectionOf(JobType, 'Job', 'jobs');

builder.queryField('jobs', (t) =>
  t.connection(
    {
      type: JobType,
      // A refusal of one root field leaves the others.
      nullable: true,
      description: 'The jobs of a workspace. Needs the scope jobs:list.',
      args: { ...billedListArguments, ...filter, ...workspaceArgument },
      complexity: billedListComplexity,
      resolve: (_root, args, ctx, info) =>
        resolveList(args, info, (input) => listJobs(ctx, { ...input, workspace: args.workspace })),
    },
    connection,
  ),
);

builder.objectField(WorkspaceType, 'jobs', (t) =>
  t.connection(
    {
      type: JobType,
      nullable: false,
      description: 'Its jobs. Needs the scope jobs:list.',
      args: { ...billedListArguments, ...filter },
      complexity: billedListComplexity,
      resolve: ({ name }, args, ctx, info) =>
        resolveList(args, info, (input) => listJobs(ctx, { ...input, workspace: name, isOneOfMany: true })),
    },
    connection,
  ),
);

builder.queryField('job', (t) =>
  t.field({
    type: JobType,
    description: 'One of the jobs by its name; null when there is none. Needs the scope jobs:get.',
    args: { name: t.arg.string({ required: true, description: 'Its name.' }), ...workspaceArgument },
    resolve: (_root, args, ctx, info) => orNull(getJob(ctx, { ...args, columns: selectedColumns(info) })),
  }),
);

const counted = groupArguments('Job', workloadGroupings);

const counts = {
  nullable: { list: true, items: false },
  description: countDescription('jobs', 'jobs:list'),
  complexity: countComplexity,
} as const;

builder.queryField('jobCounts', (t) =>
  t.field({
    ...counts,
    type: [GroupCountType],
    args: { ...counted, search: listArguments.search, ...filter, ...workspaceArgument },
    resolve: (_root, args, ctx) => countJobs(ctx, args),
  }),
);

builder.objectField(WorkspaceType, 'jobCounts', (t) =>
  t.field({
    ...counts,
    type: [GroupCountType],
    args: { ...counted, search: listArguments.search, ...filter },
    resolve: ({ name }, args, ctx) => countJobs(ctx, { ...args, workspace: name }),
  }),
);

builder.objectField(AccountType, 'jobs', (t) =>
  t.connection(
    {
      type: JobType,
      nullable: true,
      description: 'The jobs in all of its workspaces within reach, as one list. Needs the scope jobs:list.',
      args: { ...billedListArguments, ...filter },
      complexity: billedListComplexity,
      resolve: ({ id: accountId }, args, ctx, info) =>
        resolveList(args, info, (input) => listAccountJobs(ctx, { ...input, accountId })),
    },
    connection,
  ),
);

addCreateMutation('JOB', {
  type: JobType,
  description: 'Creates a job. Needs the scope jobs:create.',
  args: createInput('JOB', (t) => ({
    metadata: t.field({ type: inputType(metadata), required: true, description: 'Name, display name and labels.' }),
    spec: t.field({ type: inputType(jobSpec), description: 'Desired configuration.' }),
  })),
  run: (ctx, { input }) => createJob(ctx, input),
});

addUpdateMutation('JOB', {
  type: JobType,
  description: 'Updates a job. Needs the scope jobs:update.',
  args: updateInput('JOB', (t) => ({
    metadata: t.field({ type: updateInputType(metadata), description: 'Display name and labels.' }),
    spec: t.field({ type: updateInputType(jobSpec), description: 'Desired configuration.' }),
  })),
  run: (ctx, { input }) => updateJob(ctx, input),
});

addDeleteMutation('JOB', {
  type: JobType,
  description: 'Deletes a job with its executions. Needs the scope jobs:delete.',
  args: deleteInput('JOB', () => ({})),
  run: (ctx, { input }) => deleteJob(ctx, input),
});
