import { requireScope } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { ApiError, forbidden, notFound } from '../../errors.js';
import { workspaceResources } from '../authorized-list.js';
import { isResourceId } from '../resource.js';
import { recordEvent } from '../resource-event.js';
import type { Found } from '../resource-kind.js';
import { pendingShareKind, shareKind } from './image-share.js';
import type { ImageShare } from './image-share.js';

const scopes = { list: 'admin', get: 'admin' } as const;

export const { list: listPendingShares } = workspaceResources(pendingShareKind, scopes);

export const { find: findShares } = workspaceResources(shareKind, scopes);

/**
 * Declines a pending share (specification, POST /pending-image-shares/{pendingShareId}/decline; decision 29):
 * recorded with time and who, in one transaction. Of two callers at the same time one declines it.
 *
 * @throws 403 for a caller who is no admin of the target workspace; 404 for an unknown share, or one of a
 *   workspace out of reach; 409 `share_not_pending`.
 */
export async function declineShare(ctx: RequestContext, id: string): Promise<Found<ImageShare>> {
  requireScope(ctx.caller, 'admin');
  const [share] = isResourceId(id) ? await findShares(ctx, [id]) : [];
  if (share == null) throw notFound('image share', id);
  if (share.workspace.role !== 'admin') {
    throw forbidden(`Only an admin of the workspace ${share.workspace.name} may decline this share.`);
  }
  const now = ctx.now();
  const by = ctx.caller.principal.name;
  return ctx.db.$transaction(async (tx) => {
    const { count } = await tx.imageShare.updateMany({
      where: { id, workspaceId: share.workspace.id, status: 'pending' },
      data: { status: 'declined', decidedAt: now, decidedBy: by, updatedAt: now, updatedBy: by },
    });
    if (count === 0) throw new ApiError('share_not_pending', 'This share is not pending any more.');
    const event = await recordEvent(tx, ctx, id, { type: 'decline', status: 'declined', verb: 'Declined' });
    const { metadata, spec, events } = share.resource;
    const decidedAt = now.toISOString();
    const changed = { ...metadata, updatedAt: decidedAt, updatedBy: by, decidedAt, decidedBy: by };
    const resource = { metadata: changed, spec, status: 'declined' as const, events: [...(events ?? []), event] };
    return { ...share, resource };
  });
}
