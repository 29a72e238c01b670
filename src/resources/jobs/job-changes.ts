import { Prisma } from '../../database/client/client.js';
import { specifiedInput } from '../specified-changes.js';
import type { SpecifiedKind } from '../specified-changes.js';
import { moveTasks } from '../../lifecycle/assign-tasks.js';
import { resourceFromRow } from '../../store/read/resource-row.js';
import { specifiedColumnsOf } from '../../store/write/row-columns.js';
import { maskedSpec } from '../../schema/runtime.js';
import { keptSpec } from '../../store/write/kept-secrets.js';
import { deleteDependents } from '../../store/write/rows.js';
import { workloadPrecondition } from '../../store/write/workload-precondition.js';
import { executions } from './execution-changes.js';
import { jobKind, jobSpec } from './job.js';
import type { JobSpec } from './job.js';

/** A deleted job is deleted with its executions. Those that have not begun move along to another region. */
export const writableJobs: SpecifiedKind<JobSpec> = {
  kind: jobKind,
  scopes: { create: 'jobs:create', update: 'jobs:update', delete: 'jobs:delete' },
  input: specifiedInput(jobSpec),
  columnsOf: specifiedColumnsOf,
  shown: (job) => resourceFromRow(job, maskedSpec(job.row.spec)),
  secrets: { table: 'job', stored: keptSpec, masked: maskedSpec },
  deleteDependents: (within, job) =>
    deleteDependents(within, executions, job, Prisma.sql`r."job_id" = ${job.id}::uuid`),
  moveDependents: ({ db }, id) => moveTasks(db, id),
  preconditionOf: workloadPrecondition,
};
