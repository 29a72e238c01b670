import { authorizeScope, authorizeWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import type { PartialResource, Resource } from '../../store/read/resource.js';
import type { ListPage, WorkspaceListInput } from '../../store/read/list-input.js';
import { readByIds } from '../../store/read/read-one.js';
import { readPage } from '../../store/read/read-page.js';
import { offeredShareKind, pendingShareKind, shareKind } from './image-share.js';
import type { ShareRow } from './image-share.js';

/** One page of the shares that wait for a workspace's decision. @throws 400 for a cursor or a search; 403. */
export async function listPendingShares(
  ctx: RequestContext,
  { workspace, ...input }: WorkspaceListInput,
): Promise<ListPage<PartialResource<ShareRow>>> {
  const within = authorizeWorkspace(ctx, 'admin', workspace);
  return readPage(within, pendingShareKind, input);
}

/**
 * One page of the shares that a workspace offers, whatever became of them. @throws 400 for a cursor or a search; 403.
 */
export async function listOfferedShares(
  ctx: RequestContext,
  { workspace, ...input }: WorkspaceListInput,
): Promise<ListPage<PartialResource<ShareRow>>> {
  const within = authorizeWorkspace(ctx, 'admin', workspace);
  return readPage(within, offeredShareKind, input);
}

/**
 * Shares by id, of any status, in the view of the target workspace or, if the caller cannot access that, of the source
 * workspace; null for ids that do not exist or are not accessible. @throws 403
 */
export async function findShares(ctx: RequestContext, ids: readonly string[]): Promise<(Resource<ShareRow> | null)[]> {
  const within = authorizeScope(ctx, 'admin');
  const [received, offered] = await Promise.all([
    readByIds(within, shareKind, ids),
    readByIds(within, offeredShareKind, ids),
  ]);
  return ids.map((_, index) => received[index] ?? offered[index] ?? null);
}
