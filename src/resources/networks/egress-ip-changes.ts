import { z } from 'zod';
import { authorizeResourceChange } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import type { Reference, CreationInput, ActionInput, UpdateInput } from '../../store/write/change-input.js';
import { createResource, deleteResource, updateResource } from '../../store/write/change.js';
import type { Writable } from '../../store/write/writable.js';
import type { Resource } from '../../store/read/resource.js';
import { preconditionWithin, readParent } from '../../store/write/read-parent.js';
import { resourceOrigin } from '../../schema/resource-origin.js';
import { searchDocument } from '../../schema/resource.js';
import { newResourceId } from '../../schema/resource-id.js';
import { changedNamedRow, namedColumnsOf, namedMetadataInput, newNamedRow } from '../../store/write/row-columns.js';
import { readChanged, readNew } from '../../store/write/specified-input.js';
import { egressGatewayKind } from './egress-gateway.js';
import {
  checkedEgressIpSpec,
  egressIpFromRow,
  egressIpKind,
  egressIpMetadata,
  egressIpRegionSql,
} from './egress-ip.js';
import type { EgressIpRow } from './egress-ip.js';
import { vpcKind } from './vpc.js';

/** Of which gateway. */
interface OfGateway {
  vpcName: string;
  gatewayName: string;
}

const ipInput = z.object({ metadata: egressIpMetadata, spec: checkedEgressIpSpec, origin: resourceOrigin.optional() });

const ips: Writable<EgressIpRow> = {
  kind: egressIpKind,
  columnsOf: (row) => ({ ...namedColumnsOf(row), search: egressIpSearch(row) }),
  shown: egressIpFromRow,
  containerId: ({ gatewayId }) => gatewayId,
  region: egressIpRegionSql,
};

/**
 * Creates an egress IP of a gateway. The platform assigns its address: `publicIp` is absent until then.
 *
 * @throws 400 `invalid_input` with every violated rule; 403; 404 for an unknown VPC or gateway; 409 `name_taken`.
 */
export async function createEgressIp(
  ctx: RequestContext,
  { vpcName, gatewayName, ...input }: CreationInput & OfGateway,
): Promise<Resource<EgressIpRow>> {
  const within = await authorizeResourceChange(ctx, 'admin', egressIpKind, input);
  const { metadata, spec, origin } = await readNew(within, undefined, ipInput, input);
  const vpc = await readParent(within, vpcKind, vpcName);
  const gateway = await readParent(within, egressGatewayKind, gatewayName, [], vpc.id);
  const row = {
    ...newNamedRow(within, metadata, origin),
    vpcName,
    gatewayName,
    gatewayId: gateway.id,
    spec,
    events: null,
  };
  const created = { id: newResourceId(ctx.now()), row, parentColumns: { egress_gateway_id: gateway.id } };
  const precondition = preconditionWithin(gateway, gatewayName);
  return createResource(within, ips, created, { validateOnly: input.validateOnly, precondition });
}

/**
 * Updates an egress IP: omitted fields stay unchanged, null clears a field. Its family never changes, and its address is the
 * platform's.
 *
 * @throws 400 `invalid_input`; 403; 404; 409 `version_mismatch`.
 */
export async function updateEgressIp(
  ctx: RequestContext,
  input: UpdateInput<OfGateway>,
): Promise<Resource<EgressIpRow>> {
  const within = await authorizeResourceChange(ctx, 'admin', egressIpKind, input);
  return updateResource(within, ips, inGateway(input), ({ row }) => {
    const current = { metadata: namedMetadataInput(row), spec: row.spec };
    return { row: changedNamedRow(row, readChanged(ipInput, current, input)) };
  });
}

/**
 * Deletes an egress IP (specification, DELETE /vpcs/{vpcName}/egressgateways/{gatewayName}/ips/{ipName}).
 *
 * @returns the deleted resource; its last event is the deletion.
 * @throws 403 without `admin`, or if the workspace is not accessible; 404 for an unknown VPC, gateway or IP; 409
 *   `version_mismatch`.
 */
export async function deleteEgressIp(
  ctx: RequestContext,
  input: ActionInput<OfGateway>,
): Promise<Resource<EgressIpRow>> {
  const within = await authorizeResourceChange(ctx, 'admin', egressIpKind, input);
  return deleteResource(within, ips, inGateway(input));
}

function inGateway<Input extends Reference<OfGateway>>(input: Input) {
  if (input.id !== undefined) return input;
  const vpc = { kind: vpcKind, name: input.vpcName };
  return { ...input, owner: { kind: egressGatewayKind, name: input.gatewayName, owner: vpc } };
}

/** Searches also find egress IPs by their address. */
function egressIpSearch({ name, displayName, spec: { publicIp } }: EgressIpRow): string {
  const labels = publicIp === undefined ? undefined : { address: publicIp };
  return searchDocument({ name, displayName: displayName ?? undefined, labels });
}
