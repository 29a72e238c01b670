import { z } from 'zod';
import { authorizeResource, requireChanger } from '../../auth/authorize.js';
import type { AuthorizedWorkspace, ResourceReference } from '../../auth/authorize.js';
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
import { vpcKind, vpcSpec } from './vpc.js';
import type { VpcRow } from './vpc.js';

const vpcInput = z.object({ metadata, spec: vpcSpec, origin: resourceOrigin.optional() });

const vpcs: Writable<VpcRow> = {
  kind: vpcKind,
  columnsOf: specifiedColumnsOf,
  shown: (vpc) => resourceFromRow(vpc, vpc.row.spec),
};

/**
 * Creates a VPC, in a region that the account can use.
 *
 * @throws 400 `invalid_input` with every violated rule; 403; 409 `name_taken`.
 */
export async function createVpc(ctx: RequestContext, input: CreationInput): Promise<Resource<VpcRow>> {
  const within = await authorizeNetworks(ctx, vpcKind, input);
  const parsed = await readNew(within, regionPrecondition, vpcInput, input);
  const created = { id: newResourceId(ctx.now()), row: newSpecifiedRow(within, parsed, parsed.origin) };
  const precondition = regionPrecondition(within, parsed.spec);
  return createResource(within, vpcs, created, { validateOnly: input.validateOnly, precondition });
}

/**
 * Updates a VPC: omitted fields stay unchanged, null clears a field, labels are replaced. Its region never changes.
 *
 * @throws 400 `invalid_input`; 403; 404; 409 `version_mismatch`.
 */
export async function updateVpc(ctx: RequestContext, input: UpdateInput): Promise<Resource<VpcRow>> {
  const within = await authorizeNetworks(ctx, vpcKind, input);
  return updateResource(within, vpcs, input, ({ row }) => {
    const current = { metadata: metadataInput(row), spec: row.spec };
    return { row: changedRow(row, readChanged(vpcInput, current, input)) };
  });
}

/**
 * Deletes a VPC that has no egress gateways.
 *
 * @returns the deleted resource.
 * @throws 403; 404; 409 `version_mismatch`; 409 `in_use` with its gateways.
 */
export async function deleteVpc(ctx: RequestContext, input: ActionInput): Promise<Resource<VpcRow>> {
  const within = await authorizeNetworks(ctx, vpcKind, input);
  return deleteResource(within, vpcs, input, (locked, { id, row: { name } }) => {
    const gateways = Prisma.sql`SELECT 'EGRESS_GATEWAY' AS "kind", "name" FROM "egress_gateway" WHERE "vpc_id" = ${id}::uuid`;
    return requireUnused(locked, { label: vpcKind.label, name }, gateways);
  });
}

/**
 * Deploys a VPC again.
 *
 * @throws 403; 404; 409 `version_mismatch`; 409 `conflict` if it is disabled or is being deleted.
 */
export async function redeployVpc(ctx: RequestContext, input: ActionInput): Promise<Resource<VpcRow>> {
  const within = await authorizeNetworks(ctx, vpcKind, input);
  return redeployResource(within, vpcs, input);
}

/**
 * The right to change networks, for which the specification has no scope but `admin`.
 *
 * @param address the resource to change, or the workspace of a new one. @throws 403; 404 for an unknown id.
 */
export async function authorizeNetworks(
  ctx: RequestContext,
  kind: { label: string; table: string },
  address: ResourceReference,
): Promise<AuthorizedWorkspace> {
  const within = await authorizeResource(ctx, 'admin', kind, address);
  requireChanger(within.workspace);
  return within;
}
