import { authorizeAccount, authorizeScope, authorizeWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import type { PartialResource, Resource } from '../../store/read/resource.js';
import type { GroupCount } from '../../store/read/grouping.js';
import type { AccountListInput, ListPage, NamedInput, WorkspaceListInput } from '../../store/read/list-input.js';
import { readGroups } from '../../store/read/read-groups.js';
import type { WorkspaceGroupsInput } from '../../store/read/read-groups.js';
import { readByIds, readByName } from '../../store/read/read-one.js';
import { readPage } from '../../store/read/read-page.js';
import { vpcKind } from './vpc.js';
import type { VpcRow } from './vpc.js';

/** One page of a workspace's VPCs. @throws 400 for an invalid cursor or search; 403. */
export async function listVpcs(
  ctx: RequestContext,
  { workspace, ...input }: WorkspaceListInput,
): Promise<ListPage<PartialResource<VpcRow>>> {
  const within = authorizeWorkspace(ctx, 'admin', workspace);
  return readPage(within, vpcKind, input);
}

/** One page of the VPCs in the accessible workspaces of an account. @throws 400, 403 like listVpcs. */
export async function listAccountVpcs(
  ctx: RequestContext,
  { accountId, ...input }: AccountListInput,
): Promise<ListPage<PartialResource<VpcRow>>> {
  const within = authorizeAccount(ctx, 'admin', accountId);
  return readPage(within, vpcKind, input);
}

/** Counts the VPCs of a workspace by the value of a field. @throws 400; 403. */
export async function countVpcs(
  ctx: RequestContext,
  { workspace, ...input }: WorkspaceGroupsInput,
): Promise<GroupCount[]> {
  const within = authorizeWorkspace(ctx, 'admin', workspace);
  return readGroups(within, vpcKind, input);
}

/** One VPC by its name. @throws 403; 404 for an unknown name. */
export async function getVpc(
  ctx: RequestContext,
  { workspace, ...input }: NamedInput,
): Promise<PartialResource<VpcRow>> {
  const within = authorizeWorkspace(ctx, 'admin', workspace);
  return readByName(within, vpcKind, input);
}

/** VPCs by id, in the order of the ids; null for ids that do not exist or are not accessible. @throws 403 */
export async function findVpcs(ctx: RequestContext, ids: readonly string[]): Promise<(Resource<VpcRow> | null)[]> {
  const within = authorizeScope(ctx, 'admin');
  return readByIds(within, vpcKind, ids);
}
