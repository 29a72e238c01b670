import { z } from 'zod';
import { authorizeResourceChange } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import { Prisma } from '../../database/client/client.js';
import type { Reference, CreationInput, ActionInput, UpdateInput } from '../../store/write/change-input.js';
import { createResource, deleteResource, updateResource } from '../../store/write/change.js';
import { redeployResource } from '../../store/write/redeploy.js';
import type { Writable } from '../../store/write/writable.js';
import type { Resource } from '../../store/read/resource.js';
import { preconditionWithin, readParent } from '../../store/write/read-parent.js';
import { regionPrecondition } from '../../store/write/region-precondition.js';
import { resourceOrigin } from '../../schema/resource-origin.js';
import { newResourceId } from '../../schema/resource-id.js';
import {
  changedNamedRow,
  namedColumnsOf,
  namedMetadataInput,
  newNamedRow,
  statusOf,
} from '../../store/write/row-columns.js';
import { readChanged, readNew } from '../../store/write/specified-input.js';
import type { PreconditionOf } from '../../store/write/specified-input.js';
import { requireUnused } from '../../store/write/unused.js';
import { egressGatewayFromRow, egressGatewayKind, egressGatewayMetadata, egressGatewaySpec } from './egress-gateway.js';
import type { EgressGatewayRow } from './egress-gateway.js';
import { vpcKind } from './vpc.js';

/** Of which VPC. */
interface OfVpc {
  vpcName: string;
}

const egressPrecondition: PreconditionOf = (within, spec) => regionPrecondition(within, spec, {}, 'egress');

const gatewayInput = z.object({
  metadata: egressGatewayMetadata,
  spec: egressGatewaySpec,
  origin: resourceOrigin.optional(),
});

const gateways: Writable<EgressGatewayRow> = {
  kind: egressGatewayKind,
  columnsOf: (row) => ({ ...namedColumnsOf(row), status: row.status }),
  shown: egressGatewayFromRow,
};

/**
 * Creates an egress gateway of a VPC, in a region with egress that the account can use.
 *
 * @throws 400 `invalid_input` with every violated rule; 403; 404 for an unknown VPC; 409 `name_taken`.
 */
export async function createEgressGateway(
  ctx: RequestContext,
  { vpcName, ...input }: CreationInput & OfVpc,
): Promise<Resource<EgressGatewayRow>> {
  const within = await authorizeResourceChange(ctx, 'admin', egressGatewayKind, input);
  const { metadata, spec, origin } = await readNew(within, egressPrecondition, gatewayInput, input);
  const vpc = await readParent(within, vpcKind, vpcName);
  const row = {
    ...newNamedRow(within, metadata, origin),
    vpcName,
    vpcId: vpc.id,
    status: statusOf(spec),
    spec,
    events: null,
  };
  const created = { id: newResourceId(ctx.now()), row, parentColumns: { vpc_id: vpc.id } };
  const precondition = preconditionWithin(vpc, vpcName, egressPrecondition(within, spec));
  return createResource(within, gateways, created, { validateOnly: input.validateOnly, precondition });
}

/**
 * Updates an egress gateway: omitted fields stay unchanged, null clears a field. Its region never changes.
 *
 * @throws 400 `invalid_input`; 403; 404; 409 `version_mismatch`.
 */
export async function updateEgressGateway(
  ctx: RequestContext,
  input: UpdateInput<OfVpc>,
): Promise<Resource<EgressGatewayRow>> {
  const within = await authorizeResourceChange(ctx, 'admin', egressGatewayKind, input);
  return updateResource(within, gateways, inVpc(input), ({ row }) => {
    const current = { metadata: namedMetadataInput(row), spec: row.spec };
    return { row: changedNamedRow(row, readChanged(gatewayInput, current, input)) };
  });
}

/**
 * Deletes an egress gateway that has no IPs.
 *
 * @returns the deleted resource.
 * @throws 403; 404; 409 `version_mismatch`; 409 `in_use` with its IPs.
 */
export async function deleteEgressGateway(
  ctx: RequestContext,
  input: ActionInput<OfVpc>,
): Promise<Resource<EgressGatewayRow>> {
  const within = await authorizeResourceChange(ctx, 'admin', egressGatewayKind, input);
  return deleteResource(within, gateways, inVpc(input), (locked, { id, row: { name } }) => {
    const ips = Prisma.sql`SELECT 'EGRESS_IP' AS "kind", "name" FROM "egress_ip" WHERE "egress_gateway_id" = ${id}::uuid`;
    return requireUnused(locked, { label: egressGatewayKind.label, name }, ips);
  });
}

/**
 * Deploys an egress gateway again.
 *
 * @throws 403; 404; 409 `version_mismatch`; 409 `conflict` if it is disabled or is being deleted.
 */
export async function redeployEgressGateway(
  ctx: RequestContext,
  input: ActionInput<OfVpc>,
): Promise<Resource<EgressGatewayRow>> {
  const within = await authorizeResourceChange(ctx, 'admin', egressGatewayKind, input);
  return redeployResource(within, gateways, inVpc(input));
}

function inVpc<Input extends Reference<OfVpc>>(input: Input) {
  return input.id === undefined ? { ...input, owner: { kind: vpcKind, name: input.vpcName } } : input;
}
