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
import { addSpecifiedMutations } from '../resource-mutations.js';
import { addResourceQueries } from '../resource-queries.js';
import { writableJobs } from '../../../resources/jobs/job-changes.js';

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

addSpecifiedMutations(writableJobs, {
  type: JobType,
  spec: jobSpec,
  deletion: 'Deletes a job with its executions.',
});
