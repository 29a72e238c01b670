import { authorizeScope, authorizeWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import type { PartialResource, Resource } from '../../store/read/resource.js';
import type { GroupCount } from '../../store/read/grouping.js';
import type { ListInput, ListPage } from '../../store/read/list-input.js';
import { readGroups } from '../../store/read/read-groups.js';
import type { GroupsInput } from '../../store/read/read-groups.js';
import { readByIds, readByName } from '../../store/read/read-one.js';
import { readPage } from '../../store/read/read-page.js';
import { egressIpKind } from './egress-ip.js';
import type { EgressIpRow } from './egress-ip.js';
import type { EgressGatewayRow } from './egress-gateway.js';

/** One page of the egress IPs of one gateway. @throws 400 for an invalid cursor or search; 403. */
export async function listEgressIps(
  ctx: RequestContext,
  gateway: PartialResource<EgressGatewayRow>,
  input: ListInput,
): Promise<ListPage<PartialResource<EgressIpRow>>> {
  const within = authorizeWorkspace(ctx, 'admin', gateway.workspace.name);
  return readPage(within, egressIpKind, input, gateway.id);
}

/** Counts the egress IPs of one gateway by the value of a field. @throws 400; 403. */
export async function countEgressIps(
  ctx: RequestContext,
  gateway: PartialResource<EgressGatewayRow>,
  input: GroupsInput,
): Promise<GroupCount[]> {
  const within = authorizeWorkspace(ctx, 'admin', gateway.workspace.name);
  return readGroups(within, egressIpKind, input, gateway.id);
}

/** One egress IP by its name. @throws 403; 404 for an unknown name. */
export async function getEgressIp(
  ctx: RequestContext,
  gateway: PartialResource<EgressGatewayRow>,
  input: { name: string; columns?: ReadonlySet<string> },
): Promise<PartialResource<EgressIpRow>> {
  const within = authorizeWorkspace(ctx, 'admin', gateway.workspace.name);
  return readByName(within, egressIpKind, { ...input, parentId: gateway.id });
}

/** Egress IPs by id, in the order of the ids; null for ids that do not exist or are not accessible. @throws 403 */
export async function findEgressIps(
  ctx: RequestContext,
  ids: readonly string[],
): Promise<(Resource<EgressIpRow> | null)[]> {
  const within = authorizeScope(ctx, 'admin');
  return readByIds(within, egressIpKind, ids);
}
