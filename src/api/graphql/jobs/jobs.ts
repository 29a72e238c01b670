import { withReference } from '../reference.js';
import { builder } from '../builder.js';
import { NamedInterface } from '../named.js';
import { BilledInterface, EventfulInterface, ResourceInterface } from '../resource.js';
import { foundId } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { objectType } from '../shape-type.js';
import type { PartialResource } from '../../../store/read/resource.js';
import { workloadGroupings } from '../../../store/read/grouping.js';
import { maskedSpec } from '../../../schema/runtime.js';
import { jobKind, jobSpec } from '../../../resources/jobs/job.js';
import type { JobRow } from '../../../resources/jobs/job.js';
import { findResources } from '../../../resources/resource-reads.js';
import { addCreateMutation, addDeleteMutation, addRedeployMutation, addUpdateMutation } from '../resource-mutations.js';
import { addResourceQueries } from '../resource-queries.js';
import { inputType, updateInputType } from '../shape-input.js';
import { metadata } from '../../../schema/resource.js';
import { createJob, deleteJob, redeployJob, updateJob } from '../../../resources/jobs/job-changes.js';

const JobSpecType = objectType(jobSpec);

const job = rowFields<JobRow>();

export const JobType = builder.node(builder.objectRef<PartialResource<JobRow>>('Job'), {
  description: 'A batch workload that is executed on demand.',
  interfaces: [BilledInterface, EventfulInterface, NamedInterface, ResourceInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findResources(ctx, jobKind, ids),
  fields: (t) => ({
    spec: t.field({ type: JobSpecType, nullable: false, ...job.of(['spec'], ({ spec }) => maskedSpec(spec)) }),
  }),
});

addResourceQueries('JOB', { type: JobType, kind: jobKind, many: 'jobs', groupings: workloadGroupings });

addCreateMutation('JOB', {
  type: JobType,
  scopes: [['jobs:create']],
  description: 'Creates a job.',
  input: (t) => ({
    metadata: t.field({ type: inputType(metadata), required: true, description: 'Name, display name and labels.' }),
    spec: t.field({ type: inputType(jobSpec), description: 'Desired configuration.' }),
  }),
  run: (ctx, input) => createJob(ctx, input),
});

addUpdateMutation('JOB', {
  type: JobType,
  scopes: [['jobs:update']],
  description: 'Updates a job.',
  input: (t) => ({
    metadata: t.field({ type: updateInputType(metadata), description: 'Display name and labels.' }),
    spec: t.field({ type: updateInputType(jobSpec), description: 'Desired configuration.' }),
  }),
  run: (ctx, input) => updateJob(ctx, withReference('Job', input)),
});

addDeleteMutation('JOB', {
  type: JobType,
  scopes: [['jobs:delete']],
  description: 'Deletes a job with its executions.',
  input: () => ({}),
  run: (ctx, input) => deleteJob(ctx, withReference('Job', input)),
});

addRedeployMutation('JOB', {
  type: JobType,
  scopes: [['jobs:update']],
  input: () => ({}),
  run: (ctx, input) => redeployJob(ctx, withReference('Job', input)),
});
