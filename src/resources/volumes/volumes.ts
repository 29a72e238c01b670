import { authorizeAccount, authorizeScope, authorizeWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import type { PartialResource, Resource } from '../../store/read/resource.js';
import type { GroupCount } from '../../store/read/grouping.js';
import type { AccountListInput, ListPage, NamedInput, WorkspaceListInput } from '../../store/read/list-input.js';
import { readGroups } from '../../store/read/read-groups.js';
import type { WorkspaceGroupsInput } from '../../store/read/read-groups.js';
import { readByIds, readByName } from '../../store/read/read-one.js';
import { readPage } from '../../store/read/read-page.js';
import { orderedByCost } from '../../billing/cost-order.js';
import { volumeKind } from './volume.js';
import type { VolumeRow } from './volume.js';

/** One page of a workspace's volumes. @throws 400 for an invalid cursor or search; 403. */
export async function listVolumes(
  ctx: RequestContext,
  { workspace, ...input }: WorkspaceListInput,
): Promise<ListPage<PartialResource<VolumeRow>>> {
  const within = authorizeWorkspace(ctx, 'volumes:list', workspace);
  return readPage(within, volumeKind, orderedByCost(ctx, within.workspace.account.id, input));
}

/** One page of the volumes in the accessible workspaces of an account. @throws 400, 403 like listVolumes. */
export async function listAccountVolumes(
  ctx: RequestContext,
  { accountId, ...input }: AccountListInput,
): Promise<ListPage<PartialResource<VolumeRow>>> {
  const within = authorizeAccount(ctx, 'volumes:list', accountId);
  return readPage(within, volumeKind, orderedByCost(ctx, accountId, input));
}

/** Counts the volumes of a workspace by the value of a field. @throws 400; 403. */
export async function countVolumes(
  ctx: RequestContext,
  { workspace, ...input }: WorkspaceGroupsInput,
): Promise<GroupCount[]> {
  const within = authorizeWorkspace(ctx, 'volumes:list', workspace);
  return readGroups(within, volumeKind, input);
}

/** One volume by its name. @throws 403; 404 for an unknown name. */
export async function getVolume(
  ctx: RequestContext,
  { workspace, ...input }: NamedInput,
): Promise<PartialResource<VolumeRow>> {
  const within = authorizeWorkspace(ctx, 'volumes:get', workspace);
  return readByName(within, volumeKind, input);
}

/** Volumes by id, in the order of the ids; null for ids that do not exist or are not accessible. @throws 403 */
export async function findVolumes(
  ctx: RequestContext,
  ids: readonly string[],
): Promise<(Resource<VolumeRow> | null)[]> {
  const within = authorizeScope(ctx, 'volumes:get');
  return readByIds(within, volumeKind, ids);
}
