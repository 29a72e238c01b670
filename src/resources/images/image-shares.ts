import { authorizeScope } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import type { Resource } from '../../store/read/resource.js';
import { readByIds } from '../../store/read/read-one.js';
import { offeredShareKind, shareKind } from './image-share.js';
import type { ShareRow } from './image-share.js';

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
