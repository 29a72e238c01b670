import { authorizeWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { nestedResources } from '../authorized-list.js';
import { deleteResource } from '../resource-deletion.js';
import type { Found } from '../resource-kind.js';
import { getEgressGateway } from './egress-gateways.js';
import { egressIpKind } from './egress-ip.js';
import type { EgressIp } from './egress-ip.js';
import { getVpc } from './vpcs.js';

/** Lists are of one egress gateway. */
export const { list: listEgressIps, get: getEgressIp, find: findEgressIps } = nestedResources(egressIpKind, 'admin');

export interface EgressIpInput {
  workspace?: string | null | undefined;
  vpc: string;
  gateway: string;
  ip: string;
}

/**
 * Deletes an egress IP (specification, DELETE /vpcs/{vpcName}/egressgateways/{gatewayName}/ips/{ipName}).
 *
 * @returns it as it was, its events ending with the deletion.
 * @throws 403 without `admin` or out of reach; 404 for an unknown VPC, gateway or IP.
 */
export async function deleteEgressIp(ctx: RequestContext, input: EgressIpInput): Promise<Found<EgressIp>> {
  const workspace = authorizeWorkspace(ctx, 'admin', input.workspace);
  const columns = new Set<string>();
  const vpc = await getVpc(ctx, { workspace: workspace.name, name: input.vpc, columns });
  const gateway = await getEgressGateway(ctx, vpc, input.gateway, columns);
  return deleteResource(ctx, egressIpKind, gateway, input.ip);
}
