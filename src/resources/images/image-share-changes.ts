// Offers of images from one workspace to another, and their acceptance, rejection and revocation. Accepting an offer
// copies the image with its current tags into the target workspace. The workspace of the caller gets a change record of each
// step, and so does the other one if it is of another account.
import { authorizeResource, authorizeScope } from '../../auth/authorize.js';
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import { askForForeignName } from '../../auth/foreign-names.js';
import { recordInSeveralAccounts } from '../../changes/record-changes.js';
import type { OtherAccountChange } from '../../changes/record-changes.js';
import { ApiError } from '../../errors.js';
import { growthOf } from '../../quotas/growth.js';
import type { Growth } from '../../quotas/growth.js';
import { runInTransaction } from '../../auth/run-in-transaction.js';
import { Resource } from '../../store/read/resource.js';
import { newResourceId } from '../../schema/resource-id.js';
import { rowTimestamp } from '../../store/read/resource-row.js';
import { lockImageWith } from './lock-image.js';
import { lockPendingShare, notAdmin } from './lock-share.js';
import type { ShareDecision } from './lock-share.js';
import type { ImageInput } from './image-changes.js';
import { copyImage, offeredImage } from './image-copy.js';
import type { OfferedImage } from './image-copy.js';
import { imageKind } from './image.js';
import type { ImageRow } from './image.js';
import { insertOffer, requireNoOffer, requireTarget, targetJson } from './image-offer.js';
import type { ShareTarget, TargetWorkspace } from './image-offer.js';
import { offeredShareKind } from './image-share.js';
import type { ShareRow } from './image-share.js';
import { changedShare, toldStep, updateShare } from './image-share-step.js';

/**
 * Offers an image to another workspace, which may be in another account. The offer stays pending until it is decided.
 *
 * @throws 400 `invalid_input` for the workspace itself; 403 if the caller is not an admin of the workspace; 404 for an
 *   unknown
 *   image or workspace; 409 `already_shared`; 429 `too_many_requests` for too many workspaces of other accounts.
 */
export async function shareImage(ctx: RequestContext, input: ImageInput & ShareTarget): Promise<Resource<ShareRow>> {
  const authorized = await authorizeResource(ctx, 'admin', imageKind, input);
  if (authorized.workspace.role !== 'admin') throw notAdmin(authorized.workspace, 'share its images');
  const share = async (within: AuthorizedWorkspace) => {
    const targetSql = targetJson(within, input);
    const { image, more } = await lockImageWith<TargetWorkspace | null>(within, input, targetSql);
    const target = requireTarget(within, input, more);
    const after = newShare(within, image, target);
    const other = { accountId: target.accountId, workspaceId: target.id };
    const step = toldStep(within, { verb: 'shared', after, other, type: 'offer', word: 'Offered' });
    await requireNoOffer(within, image, target);
    await insertOffer(within, target, after);
    const growths = growthOfShare(within.workspace.id, undefined, after);
    await recordInSeveralAccounts(within, { changes: [step.change], growths }, listOf(step.otherSide));
    return step.share;
  };
  const run = () => runInTransaction(authorized, input.validateOnly, share);
  const isOwn = (input.targetAccount ?? authorized.account.name) === authorized.account.name;
  return isOwn ? run() : askForForeignName(authorized, input, ['not_found', 'already_shared'], run);
}

/**
 * Accepts a pending share: copies the image with its current tags into the workspace.
 *
 * @throws 403 if the caller is not an admin of the target workspace; 404 for an unknown share, or one of a workspace
 *   that is not accessible; 409 `share_not_pending`, `version_mismatch`; 409 `conflict` if the image was deleted; 409
 *   `name_taken`.
 */
export async function acceptShare(
  ctx: RequestContext,
  input: ShareDecision,
): Promise<{ imageShare: Resource<ShareRow>; image: Resource<ImageRow> }> {
  return runInTransaction(authorizeScope(ctx, 'admin'), input.validateOnly, async (access) => {
    const may = 'accept this share';
    const locked = await lockPendingShare<OfferedImage | null>(access, 'target', input, may, offeredImage);
    const { within, share: before, other, more: offered } = locked;
    const { imageName } = before.row;
    if (offered === null) {
      throw new ApiError('conflict', `The image ${imageName} no longer exists in the source workspace.`);
    }
    const after = changedShare(within, before, 'accepted', within.caller.principal.name);
    const { change, share, otherSide } = toldStep(within, {
      verb: 'accepted',
      before,
      after,
      other,
      type: 'accept',
      word: 'Accepted',
    });
    await updateShare(within, after);
    const { copy, change: copied, growths } = await copyImage(within, offered);
    await recordInSeveralAccounts(within, { changes: [change, copied], growths }, listOf(otherSide));
    return { imageShare: share, image: copy };
  });
}

/**
 * Declines a pending share (specification, POST /pending-image-shares/{pendingShareId}/decline; decision 29). Of two
 * callers at the same time one declines it.
 *
 * @throws 403 if the caller is not an admin of the target workspace; 404 for an unknown share, or one of a workspace
 *   that is not accessible; 409 `share_not_pending`, `version_mismatch`.
 */
export async function declineShare(ctx: RequestContext, input: ShareDecision): Promise<Resource<ShareRow>> {
  return runInTransaction(authorizeScope(ctx, 'admin'), input.validateOnly, async (access) => {
    const { within, share: before, other } = await lockPendingShare(access, 'target', input, 'decline this share');
    const after = changedShare(within, before, 'declined', within.caller.principal.name);
    const step = toldStep(within, { verb: 'declined', before, after, other, type: 'decline', word: 'Declined' });
    await updateShare(within, after);
    // A share counts in the workspace that offers it.
    const growths = other === null ? [] : growthOfShare(other.workspaceId, before, after);
    const otherSide = step.otherSide && { ...step.otherSide, growths };
    await recordInSeveralAccounts(within, { changes: [step.change] }, listOf(otherSide));
    return step.share;
  });
}

/**
 * Revokes a pending offer.
 *
 * @throws 403 if the caller is not an admin of the workspace that offers it; 404 for an unknown share, or if the
 *   workspace is not accessible; 409 `share_not_pending`, `version_mismatch`.
 */
export async function revokeShare(ctx: RequestContext, input: ShareDecision): Promise<Resource<ShareRow>> {
  return runInTransaction(authorizeScope(ctx, 'admin'), input.validateOnly, async (access) => {
    const { within, share: before, other } = await lockPendingShare(access, 'source', input, 'revoke its image shares');
    const after = changedShare(within, before, 'revoked');
    const step = toldStep(within, { verb: 'revoked', before, after, other, type: 'revoke', word: 'Revoked' });
    await updateShare(within, after);
    const growths = growthOfShare(within.workspace.id, before, after);
    await recordInSeveralAccounts(within, { changes: [step.change], growths }, listOf(step.otherSide));
    return step.share;
  });
}

/** What a step of a share adds to the use of quotas. @param workspaceId the workspace that offers it. */
function growthOfShare(
  workspaceId: string,
  before: Resource<ShareRow> | undefined,
  after: Resource<ShareRow>,
): Growth[] {
  const counted = ({ row }: Resource<ShareRow>) => ({ workspaceId, status: row.status });
  return growthOf('IMAGE_SHARE', before && counted(before), counted(after));
}

function listOf(other: OtherAccountChange | undefined): OtherAccountChange[] {
  return other === undefined ? [] : [other];
}

function newShare(
  { ctx, caller, account, workspace }: AuthorizedWorkspace,
  { row: { resourceType, name } }: Resource<ImageRow>,
  target: TargetWorkspace,
): Resource<ShareRow> {
  const now = rowTimestamp(ctx.now());
  const by = caller.principal.name;
  const source = { sourceAccount: account.name, sourceWorkspace: workspace.name, targetWorkspace: target.name };
  const metadata = { createdBy: by, updatedBy: by, createdAt: now, updatedAt: now, decidedAt: null, decidedBy: null };
  const state = { id: newResourceId(ctx.now()), key: now, version: 1, status: 'pending', events: null } as const;
  return new Resource<ShareRow>(ctx, offeredShareKind, workspace, {
    ...state,
    ...source,
    ...metadata,
    resourceType,
    imageName: name,
  });
}
