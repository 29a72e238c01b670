import { z } from 'zod';
import { authorizeResource, authorizeWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import { Prisma } from '../../database/client/client.js';
import type { CreationInput, ActionInput, UpdateInput } from '../../store/write/change-input.js';
import { createResource, deleteResource, updateResource } from '../../store/write/change.js';
import { redeployResource } from '../../store/write/redeploy.js';
import type { Writable } from '../../store/write/writable.js';
import type { Resource } from '../../store/read/resource.js';
import { regionPrecondition } from '../../store/write/region-precondition.js';
import { resourceOrigin } from '../../schema/resource-origin.js';
import { metadata } from '../../schema/resource.js';
import { newResourceId } from '../../schema/resource-id.js';
import { resourceFromRow } from '../../store/read/resource-row.js';
import { changedRow, metadataInput, newSpecifiedRow, specifiedColumnsOf } from '../../store/write/row-columns.js';
import { readChanged, readNew } from '../../store/write/specified-input.js';
import { requireUnused } from '../../store/write/unused.js';
import { attachedWorkloadsSql, volumeKind, volumeSpec } from './volume.js';
import type { VolumeRow } from './volume.js';

const volumeInput = z.object({ metadata, spec: volumeSpec, origin: resourceOrigin.optional() });

const volumes: Writable<VolumeRow> = {
  kind: volumeKind,
  columnsOf: specifiedColumnsOf,
  shown: (volume) => resourceFromRow(volume, volume.row.spec),
};

/**
 * Creates a volume, in a region that the account can use.
 *
 * @throws 400 `invalid_input` with every violated rule; 403; 409 `name_taken`.
 */
export async function createVolume(ctx: RequestContext, input: CreationInput): Promise<Resource<VolumeRow>> {
  const within = authorizeWorkspace(ctx, 'volumes:create', input.workspace);
  const parsed = await readNew(within, regionPrecondition, volumeInput, input);
  const created = { id: newResourceId(ctx.now()), row: newSpecifiedRow(within, parsed, parsed.origin) };
  const precondition = regionPrecondition(within, parsed.spec);
  return createResource(within, volumes, created, { validateOnly: input.validateOnly, precondition });
}

/**
 * Updates a volume: absent fields stay, null removes a value, labels are replaced as a whole. The region cannot change,
 * because attached workloads run there. The specification has no scope for updates of volumes, so `volumes:create` is
 * required.
 *
 * @throws 400 `invalid_input`; 403; 404; 409 `version_mismatch`.
 */
export async function updateVolume(ctx: RequestContext, input: UpdateInput): Promise<Resource<VolumeRow>> {
  const within = await authorizeResource(ctx, 'volumes:create', volumeKind, input);
  return updateResource(within, volumes, input, ({ row }) => {
    const current = { metadata: metadataInput(row), spec: row.spec };
    return { row: changedRow(row, readChanged(volumeInput, current, input)) };
  });
}

/**
 * Deletes a volume that nothing has attached.
 *
 * @returns the deleted resource.
 * @throws 403; 404; 409 `version_mismatch`; 409 `in_use` with the agents and sandboxes that have it attached.
 */
export async function deleteVolume(ctx: RequestContext, input: ActionInput): Promise<Resource<VolumeRow>> {
  const within = await authorizeResource(ctx, 'volumes:delete', volumeKind, input);
  return deleteResource(within, volumes, input, (locked, { row: { name } }) => {
    const users = attachedWorkloadsSql(Prisma.sql`${locked.workspace.id}::uuid`, Prisma.sql`${name}::text`);
    return requireUnused(locked, { label: volumeKind.label, name }, users);
  });
}

/**
 * Deploys a volume again.
 *
 * @throws 403; 404; 409 `version_mismatch`; 409 `conflict` if it is disabled or is being deleted.
 */
export async function redeployVolume(ctx: RequestContext, input: ActionInput): Promise<Resource<VolumeRow>> {
  const within = await authorizeResource(ctx, 'volumes:create', volumeKind, input);
  return redeployResource(within, volumes, input);
}
