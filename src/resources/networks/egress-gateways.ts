import { authorizeScope, authorizeWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import type { PartialResource, Resource } from '../../store/read/resource.js';
import type { GroupCount } from '../../store/read/grouping.js';
import type { ListInput, ListPage } from '../../store/read/list-input.js';
import { readGroups } from '../../store/read/read-groups.js';
import type { GroupsInput } from '../../store/read/read-groups.js';
import { readByIds, readByName } from '../../store/read/read-one.js';
import { readPage } from '../../store/read/read-page.js';
import { egressGatewayKind } from './egress-gateway.js';
import type { EgressGatewayRow } from './egress-gateway.js';
import type { VpcRow } from './vpc.js';

/** One page of the egress gateways of one VPC. @throws 400 for an invalid cursor or search; 403. */
export async function listEgressGateways(
  ctx: RequestContext,
  vpc: PartialResource<VpcRow>,
  input: ListInput,
): Promise<ListPage<PartialResource<EgressGatewayRow>>> {
  const within = authorizeWorkspace(ctx, 'admin', vpc.workspace.name);
  return readPage(within, egressGatewayKind, input, vpc.id);
}

/** Counts the egress gateways of one VPC by the value of a field. @throws 400; 403. */
export async function countEgressGateways(
  ctx: RequestContext,
  vpc: PartialResource<VpcRow>,
  input: GroupsInput,
): Promise<GroupCount[]> {
  const within = authorizeWorkspace(ctx, 'admin', vpc.workspace.name);
  return readGroups(within, egressGatewayKind, input, vpc.id);
}

/** One egress gateway by its name. @throws 403; 404 for an unknown name. */
export async function getEgressGateway(
  ctx: RequestContext,
  vpc: PartialResource<VpcRow>,
  input: { name: string; columns?: ReadonlySet<string> },
): Promise<PartialResource<EgressGatewayRow>> {
  const within = authorizeWorkspace(ctx, 'admin', vpc.workspace.name);
  return readByName(within, egressGatewayKind, { ...input, parentId: vpc.id });
}

/** Egress gateways by id, in the order of the ids; null for ids that do not exist or are not accessible. @throws 403 */
export async function findEgressGateways(
  ctx: RequestContext,
  ids: readonly string[],
): Promise<(Resource<EgressGatewayRow> | null)[]> {
  const within = authorizeScope(ctx, 'admin');
  return readByIds(within, egressGatewayKind, ids);
}
