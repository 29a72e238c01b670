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
import { metadata } from '../../schema/resource.js';
import { newResourceId } from '../../schema/resource-id.js';
import { resourceFromRow } from '../../store/read/resource-row.js';
import { changedRow, metadataInput, newSpecifiedRow, specifiedColumnsOf } from '../../store/write/row-columns.js';
import { maskedSpec } from '../../schema/runtime.js';
import { keptSpec } from '../../store/write/kept-secrets.js';
import { deleteDependents } from '../../store/write/rows.js';
import { readChanged, readNew } from '../../store/write/specified-input.js';
import { workloadPrecondition } from '../../store/write/workload-precondition.js';
import { movePreviews, writablePreviews } from './preview-changes.js';
import { sandboxKind, sandboxSpec } from './sandbox.js';
import type { SandboxRow } from './sandbox.js';

const sandboxInput = z.object({ metadata, spec: sandboxSpec, origin: resourceOrigin.optional() });

const sandboxes: Writable<SandboxRow> = {
  kind: sandboxKind,
  columnsOf: specifiedColumnsOf,
  shown: (sandbox) => resourceFromRow(sandbox, maskedSpec(sandbox.row.spec)),
  deleteDependents: (within, sandbox) =>
    deleteDependents(within, writablePreviews, sandbox, Prisma.sql`r."sandbox_id" = ${sandbox.id}::uuid`),
  moveDependents: movePreviews,
  preconditionOf: workloadPrecondition,
};

/**
 * Creates a sandbox.
 *
 * @throws 400 `invalid_input` with every violated rule; 403; 409 `name_taken`.
 */
export async function createSandbox(ctx: RequestContext, input: CreationInput): Promise<Resource<SandboxRow>> {
  const within = authorizeWorkspace(ctx, 'sandboxes:create', input.workspace);
  const { metadata: given, spec, origin } = await readNew(within, workloadPrecondition, sandboxInput, input);
  const id = newResourceId(ctx.now());
  const stored = keptSpec(ctx.encryption.ofRow('sandbox', id), spec);
  const row = newSpecifiedRow(within, { metadata: given, spec: stored }, origin);
  const { validateOnly } = input;
  return createResource(
    within,
    sandboxes,
    { id, row },
    { validateOnly, precondition: workloadPrecondition(within, spec) },
  );
}

/**
 * Updates a sandbox: omitted fields stay unchanged, null clears a field, lists are replaced. Its previews without a region of
 * their own move along to another region.
 *
 * @throws 400 `invalid_input`; 403; 404; 409 `version_mismatch`.
 */
export async function updateSandbox(ctx: RequestContext, input: UpdateInput): Promise<Resource<SandboxRow>> {
  const within = await authorizeResource(ctx, 'sandboxes:update', sandboxKind, input);
  return updateResource(within, sandboxes, input, ({ id, row }) => {
    const current = { metadata: metadataInput(row), spec: maskedSpec(row.spec) };
    const { metadata: given, spec } = readChanged(sandboxInput, current, input);
    const changed = changedRow(row, {
      metadata: given,
      spec: keptSpec(ctx.encryption.ofRow('sandbox', id), spec, row.spec),
    });
    return { row: changed, precondition: workloadPrecondition(within, spec, row.spec) };
  });
}

/**
 * Deletes a sandbox with its previews, and records the deletion of each.
 *
 * @returns the deleted resource.
 * @throws 403; 404; 409 `version_mismatch`.
 */
export async function deleteSandbox(ctx: RequestContext, input: ActionInput): Promise<Resource<SandboxRow>> {
  const within = await authorizeResource(ctx, 'sandboxes:delete', sandboxKind, input);
  return deleteResource(within, sandboxes, input);
}

/**
 * Deploys a sandbox again.
 *
 * @throws 403; 404; 409 `version_mismatch`; 409 `conflict` if it is disabled or is being deleted.
 */
export async function redeploySandbox(ctx: RequestContext, input: ActionInput): Promise<Resource<SandboxRow>> {
  const within = await authorizeResource(ctx, 'sandboxes:update', sandboxKind, input);
  return redeployResource(within, sandboxes, input);
}
