import { z } from 'zod';
import { authorizeResource, authorizeWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import { Prisma } from '../../database/client/client.js';
import type { CreationInput, ActionInput, UpdateInput } from '../../store/write/change-input.js';
import { createResource, deleteResource, updateResource } from '../../store/write/change.js';
import { redeployResource } from '../../store/write/redeploy.js';
import type { Writable } from '../../store/write/writable.js';
import type { Resource } from '../../store/read/resource.js';
import { resourceOrigin } from '../../schema/resource-origin.js';
import { moveTasks } from '../../lifecycle/assign-tasks.js';
import { metadata } from '../../schema/resource.js';
import { newResourceId } from '../../schema/resource-id.js';
import { resourceFromRow } from '../../store/read/resource-row.js';
import { changedRow, metadataInput, newSpecifiedRow, specifiedColumnsOf } from '../../store/write/row-columns.js';
import { maskedSpec } from '../../schema/runtime.js';
import { keptSpec } from '../../store/write/kept-secrets.js';
import { deleteDependents } from '../../store/write/rows.js';
import { readChanged, readNew } from '../../store/write/specified-input.js';
import { workloadPrecondition } from '../../store/write/workload-precondition.js';
import { executions } from './execution-changes.js';
import { jobKind, jobSpec } from './job.js';
import type { JobRow } from './job.js';

const jobInput = z.object({ metadata, spec: jobSpec, origin: resourceOrigin.optional() });

const jobs: Writable<JobRow> = {
  kind: jobKind,
  columnsOf: specifiedColumnsOf,
  shown: (job) => resourceFromRow(job, maskedSpec(job.row.spec)),
  deleteDependents: (within, job) =>
    deleteDependents(within, executions, job, Prisma.sql`r."job_id" = ${job.id}::uuid`),
  moveDependents: ({ db }, id) => moveTasks(db, id),
  preconditionOf: workloadPrecondition,
};

/**
 * Creates a job.
 *
 * @throws 400 `invalid_input` with every violated rule; 403; 409 `name_taken`.
 */
export async function createJob(ctx: RequestContext, input: CreationInput): Promise<Resource<JobRow>> {
  const within = authorizeWorkspace(ctx, 'jobs:create', input.workspace);
  const { metadata, spec, origin } = await readNew(within, workloadPrecondition, jobInput, input);
  const id = newResourceId(ctx.now());
  const row = newSpecifiedRow(within, { metadata, spec: keptSpec(ctx.encryption.ofRow('job', id), spec) }, origin);
  const { validateOnly } = input;
  return createResource(within, jobs, { id, row }, { validateOnly, precondition: workloadPrecondition(within, spec) });
}

/**
 * Updates a job: omitted fields stay unchanged, null clears a field, lists are replaced. Executions that have not begun
 * move along to another region.
 *
 * @throws 400 `invalid_input`; 403; 404; 409 `version_mismatch`.
 */
export async function updateJob(ctx: RequestContext, input: UpdateInput): Promise<Resource<JobRow>> {
  const within = await authorizeResource(ctx, 'jobs:update', jobKind, input);
  return updateResource(within, jobs, input, ({ id, row }) => {
    const current = { metadata: metadataInput(row), spec: maskedSpec(row.spec) };
    const { metadata, spec } = readChanged(jobInput, current, input);
    const changed = changedRow(row, {
      metadata,
      spec: keptSpec(ctx.encryption.ofRow('job', id), spec, row.spec),
    });
    return { row: changed, precondition: workloadPrecondition(within, spec, row.spec) };
  });
}

/**
 * Deletes a job with its executions, and records the deletion of each.
 *
 * @returns the deleted resource.
 * @throws 403; 404; 409 `version_mismatch`.
 */
export async function deleteJob(ctx: RequestContext, input: ActionInput): Promise<Resource<JobRow>> {
  const within = await authorizeResource(ctx, 'jobs:delete', jobKind, input);
  return deleteResource(within, jobs, input);
}

/**
 * Deploys a job again.
 *
 * @throws 403; 404; 409 `version_mismatch`; 409 `conflict` if it is disabled or is being deleted.
 */
export async function redeployJob(ctx: RequestContext, input: ActionInput): Promise<Resource<JobRow>> {
  const within = await authorizeResource(ctx, 'jobs:update', jobKind, input);
  return redeployResource(within, jobs, input);
}
