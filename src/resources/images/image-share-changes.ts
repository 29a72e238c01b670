// Offers of images from one workspace to another, and what becomes of them. An image that is accepted is a copy, with the
// tags of then: it belongs to the workspace that accepted it. Both workspaces have each step in their history.
import { authorizeReach, authorizeWorkspace } from '../../access/authorize.js';
import type { AuthorizedWorkspace } from '../../access/authorize.js';
import type { ReachableWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../access/context.js';
import { ApiError, forbidden, invalidInput, notFound } from '../../errors.js';
import { concluded } from '../../kind/concluded.js';
import { Whole } from '../../kind/found.js';
import { problemAt } from '../../kind/problem.js';
import { readByIds } from '../../kind/read-one.js';
import { canBeName, isResourceId, searchDocument } from '../../kind/resource.js';
import { newResourceId } from '../../kind/resource-id.js';
import type { ResourceKind } from '../../kind/resource-kind.js';
import { rowTimestamp } from '../../kind/resource-row.js';
import { heldImage } from './held-image.js';
import type { ImageInput } from './image-changes.js';
import { copyImage } from './image-copy.js';
import type { ImageRow } from './image.js';
import { offeredShareKind, shareKind } from './image-share.js';
import type { ShareRow, ShareStatus } from './image-share.js';
import { changed, heldPending, recorded, sourceSideOf, targetSideOf } from './image-share-step.js';
import type { ShareDecision } from './image-share-step.js';

/** To whom an image is offered; an account by its name, which is the caller's own when it is left out. */
export interface ShareTarget {
  targetWorkspace: string;
  targetAccount?: string | null | undefined;
}

/**
 * Offers an image to another workspace, often of another account, where it waits for a decision.
 *
 * @throws 400 `invalid_input` for the workspace itself; 403 for who is no admin of the workspace; 404 for an unknown
 *   image or workspace; 409 `already_shared`.
 */
export async function shareImage(ctx: RequestContext, input: ImageInput & ShareTarget): Promise<Whole<ShareRow>> {
  const authorized = authorizeWorkspace(ctx, 'admin', input.workspace);
  requireAdmin(authorized.workspace, 'share its images');
  return concluded(authorized, input.validateOnly, async (within) => {
    const { resourceType, imageName: name } = input;
    const image = await heldImage(within, input);
    const target = await targetOf(within, input);
    await requireNotShared(within, image, target);
    const id = newResourceId(within.ctx.now());
    const now = ctx.now();
    const by = ctx.caller.principal.name;
    const source = { sourceAccount: within.account.name, sourceWorkspace: within.workspace.name };
    const stored = { ...source, resourceType, status: 'pending', createdBy: by, updatedBy: by } as const;
    const places = { workspaceId: target.id, sourceWorkspaceId: within.workspace.id };
    const search = searchDocument({ name });
    await within.db.imageShare.create({
      data: { id, ...places, ...stored, name, search, createdAt: now, updatedAt: now },
    });
    const createdAt = rowTimestamp(now);
    const times = { createdAt, updatedAt: createdAt, decidedAt: null, decidedBy: null };
    const row = { ...stored, ...times, id, key: createdAt, imageName: name, targetWorkspace: target.name, version: 1 };
    const share = new Whole<ShareRow>(ctx, offeredShareKind, within.workspace, { ...row, events: null });
    return recorded(within, 'shared', undefined, share, {
      type: 'offer',
      word: 'Offered',
      other: { accountId: target.accountId, workspaceId: target.id },
    });
  });
}

/**
 * Accepts a pending share: the image is in the workspace from then on, with the tags that it has now.
 *
 * @throws 403 for who is no admin of the target workspace; 404 for an unknown share, and one of a workspace out of
 *   reach; 409 `share_not_pending`, `version_mismatch`; 409 `conflict` when the image is gone; 409 `name_taken`.
 */
export async function acceptShare(
  ctx: RequestContext,
  input: ShareDecision,
): Promise<{ share: Whole<ShareRow>; image: Whole<ImageRow> }> {
  const authorized = await authorizeShare(ctx, shareKind, input.id, 'accept this share');
  return concluded(authorized, input.validateOnly, async (within) => {
    const { before, after } = await decide(within, input, 'accepted');
    const image = await copyImage(within, after.row);
    const share = await recorded(within, 'accepted', before, after, {
      type: 'accept',
      word: 'Accepted',
      other: await sourceSideOf(within, input.id),
      more: [image.change],
    });
    return { share, image: image.copy };
  });
}

/**
 * Declines a pending share (specification, POST /pending-image-shares/{pendingShareId}/decline; decision 29). Of two
 * callers at the same time one declines it.
 *
 * @throws 403 for who is no admin of the target workspace; 404 for an unknown share, and one of a workspace out of
 *   reach; 409 `share_not_pending`, `version_mismatch`.
 */
export async function declineShare(ctx: RequestContext, input: ShareDecision): Promise<Whole<ShareRow>> {
  const authorized = await authorizeShare(ctx, shareKind, input.id, 'decline this share');
  return concluded(authorized, input.validateOnly, async (within) => {
    const { before, after } = await decide(within, input, 'declined');
    const other = await sourceSideOf(within, input.id);
    return recorded(within, 'declined', before, after, { type: 'decline', word: 'Declined', other });
  });
}

/**
 * Takes an offer back that waits for a decision.
 *
 * @throws 403 for who is no admin of the workspace that offers it; 404 for an unknown share, and one of a workspace out
 *   of reach; 409 `share_not_pending`, `version_mismatch`.
 */
export async function revokeShare(ctx: RequestContext, input: ShareDecision): Promise<Whole<ShareRow>> {
  const authorized = await authorizeShare(ctx, offeredShareKind, input.id, 'take its offers back');
  return concluded(authorized, input.validateOnly, async (within) => {
    const before = await heldPending(within, offeredShareKind, input);
    const after = await changed(within, before, 'revoked', {});
    const other = await targetSideOf(within, input.id);
    return recorded(within, 'revoked', before, after, { type: 'revoke', word: 'Revoked', other });
  });
}

/** The right to decide on a share, or to take it back, by the workspace whose side of it the kind is. */
async function authorizeShare(
  ctx: RequestContext,
  kind: ResourceKind<ShareRow>,
  id: string,
  what: string,
): Promise<AuthorizedWorkspace> {
  const reach = authorizeReach(ctx, 'admin');
  const [share] = isResourceId(id) ? await readByIds(reach, kind, [id]) : [];
  if (share == null) throw notFound(kind.noun, id);
  requireAdmin(share.workspace, what);
  return authorizeWorkspace(ctx, 'admin', share.workspace.name);
}

function requireAdmin({ name, role }: ReachableWorkspace, what: string): void {
  if (role !== 'admin') throw forbidden(`Only an admin of the workspace ${name} may ${what}.`);
}

/** Account and workspace by their names: who does not know both learns nothing of either. */
async function targetOf(
  within: AuthorizedWorkspace,
  { targetWorkspace, targetAccount }: ShareTarget,
): Promise<{ id: string; name: string; accountId: string }> {
  const account = targetAccount ?? within.account.name;
  const isName = canBeName(targetWorkspace) && canBeName(account);
  const target = isName
    ? await within.db.workspace.findFirst({
        where: { name: targetWorkspace, account: { name: account } },
        select: { id: true, name: true, accountId: true },
      })
    : null;
  if (target === null) throw notFound(`workspace of the account ${JSON.stringify(account)}`, targetWorkspace);
  if (target.id === within.workspace.id) {
    throw invalidInput([problemAt(['targetWorkspace'], 'invalid_value', 'must be another workspace than its own')]);
  }
  return target;
}

/** While the image is held nobody else offers it. */
async function requireNotShared(
  within: AuthorizedWorkspace,
  { row: { resourceType, name } }: Whole<ImageRow>,
  target: { id: string; name: string },
): Promise<void> {
  const same = { resourceType, name, workspaceId: target.id };
  const offer = await within.db.imageShare.findFirst({
    where: { ...same, sourceWorkspaceId: within.workspace.id, status: { in: ['pending', 'accepted'] } },
    orderBy: { createdAt: 'desc' },
    select: { status: true },
  });
  if (offer === null) return;
  const copies = await within.db.image.count({ where: { ...same, sourceWorkspace: within.workspace.name } });
  if (offer.status === 'accepted' && copies === 0) return;
  const how = offer.status === 'accepted' ? 'has it already' : 'has not decided on the last offer';
  throw new ApiError('already_shared', `The workspace ${target.name} ${how}.`, { field: 'targetWorkspace' });
}

interface Decided {
  before: Whole<ShareRow>;
  after: Whole<ShareRow>;
}

async function decide(within: AuthorizedWorkspace, which: ShareDecision, status: ShareStatus): Promise<Decided> {
  const before = await heldPending(within, shareKind, which);
  const decidedBy = within.caller.principal.name;
  return { before, after: await changed(within, before, status, { decidedBy }) };
}
