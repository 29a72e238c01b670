import { builder } from '../../graphql/builder.js';
import { EventfulInterface, ResourceInterface } from '../../graphql/resource.js';
import { foundId } from '../../graphql/resource-list.js';
import { RuntimeType } from '../../graphql/runtime.js';
import { addResourceFields } from '../../graphql/resource-fields.js';
import { WorkspaceType } from '../accounts/graphql.js';
import type { Found } from '../resource-kind.js';
import type { Job, JobSpec } from './job.js';
import { findJobs, getJob, listJobs } from './jobs.js';

const JobSpecType = builder.objectRef<JobSpec>('JobSpec').implement({
  description: 'What a job is meant to be.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', { nullable: false, description: 'When false it cannot be executed.' }),
    region: t.exposeString('region', { description: 'Region that it runs in.' }),
    runtime: t.expose('runtime', { type: RuntimeType }),
    parallelism: t.exposeInt('parallelism', { description: 'Tasks that run at the same time.' }),
    maxRetries: t.exposeInt('maxRetries', { description: 'How often a failed task is tried again.' }),
    timeout: t.exposeInt('timeout', { description: 'Seconds that an execution may take.' }),
  }),
});

export const JobType = builder.node(builder.objectRef<Found<Job>>('Job'), {
  description: 'A job: batch work that is executed on demand. Lists need jobs:list, one needs jobs:get.',
  interfaces: [EventfulInterface, ResourceInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findJobs(ctx, ids),
  fields: (t) => ({
    spec: t.field({ type: JobSpecType, nullable: false, resolve: ({ resource }) => resource.spec }),
  }),
});

addResourceFields(JobType, WorkspaceType, {
  name: 'Job',
  one: 'job',
  many: 'jobs',
  scopes: { list: 'jobs:list', get: 'jobs:get' },
  list: listJobs,
  get: getJob,
});
