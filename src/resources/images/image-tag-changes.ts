// Tags of images, as a registry reports them and as they are deleted.
import { z } from 'zod';
import { authorizeResourceChange, authorizeWorkspace, requireChanger } from '../../auth/authorize.js';
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import { recordChanges } from '../../changes/record-changes.js';
import type { NewChange } from '../../changes/record-changes.js';
import { invalidInput, notFound, unknownId } from '../../errors.js';
import { growthOf } from '../../quotas/growth.js';
import type { ActionInput, DryRun } from '../../store/write/change-input.js';
import { runInTransaction } from '../../auth/run-in-transaction.js';
import { Resource } from '../../store/read/resource.js';
import { deleteRow, insertRow, updateRow } from '../../store/write/rows.js';
import { requireVersion } from '../../store/write/require-version.js';
import { problemAt } from '../../schema/problem.js';
import { displayName, resourceName, searchDocument } from '../../schema/resource.js';
import { newResourceId } from '../../schema/resource-id.js';
import { rowTimestamp, withEvent } from '../../store/read/resource-row.js';
import { readInput } from '../../schema/shape-value.js';
import { lockImageAndTag, lockImageOfTag, createOrLockImageAndTag } from './lock-image.js';
import type { LockedTag, NamedImage } from './lock-image.js';
import { imageChange, withRow } from './image-changes.js';
import { imageKind } from './image.js';
import type { ImageResourceType, ImageRow } from './image.js';
import { imageTagKind, pushedTag, tagFromRow } from './image-tag.js';
import type { VersionedTagRow } from './image-tag.js';

export interface ImageAndTag {
  image: Resource<ImageRow>;
  imageTag: Resource<VersionedTagRow>;
}

/** The image of a tag. */
interface ImageOfTag {
  resourceType: ImageResourceType;
  imageName: string;
}

const imageOf = ({ resourceType, imageName: name }: ImageOfTag): NamedImage => ({ resourceType, name });

const registration = z.object({ imageName: resourceName, displayName: displayName.optional(), tag: pushedTag });

/**
 * Records a pushed tag, which is new or now refers to another manifest. Creates the image if it is new.
 *
 * @param input.displayName of the image: absent keeps it, null removes it.
 * @throws 400 `invalid_input` with every violated rule; 403 without `admin`, or if the workspace is not accessible.
 */
export async function registerImageTag(
  ctx: RequestContext,
  input: ImageOfTag &
    DryRun & { workspace?: string | null | undefined; displayName?: string | null | undefined; tag: unknown },
): Promise<ImageAndTag> {
  const authorized = authorizeWorkspace(ctx, 'admin', input.workspace);
  requireChanger(authorized.workspace);
  const { displayName: named } = input;
  const given = { imageName: input.imageName, displayName: named ?? undefined, tag: input.tag };
  const { imageName, tag: pushed, ...read } = readInput(registration, given);
  return runInTransaction(authorized, input.validateOnly, async (within) => {
    const locked = await createOrLockImageAndTag(within, imageOf({ ...input, imageName }), pushed.name);
    const isNew = locked.image.row.version === 0;
    const tag = tagAfter(within, pushed, locked.tag);
    const others = locked.image.row.size - (locked.tag?.row.size ?? 0);
    requireExactSum(pushed.size, others);
    const title = named === undefined ? locked.image.row.displayName : (read.displayName ?? null);
    const image = imageAfter(within, locked.image, { size: others + pushed.size, displayName: title });
    const by = within.caller.principal.name;
    const event = { type: 'push', status: 'BUILT', message: `Pushed by ${by}`, revision: pushed.name };
    const ofImage = imageChange(isNew ? 'created' : 'updated', image, isNew ? undefined : locked.image, event);
    const ofTag = tagChange(locked.tag === undefined ? 'created' : 'updated', tag, locked.tag, event);
    await updateImage(within, image);
    await writeTag(within, locked, tag);
    const counted = { workspaceId: within.workspace.id };
    await recordChanges(
      within,
      [ofImage, ofTag],
      [
        ...(isNew ? growthOf('IMAGE', undefined, counted) : []),
        ...(locked.tag === undefined ? growthOf('IMAGE_TAG', undefined, counted) : []),
      ],
    );
    return { image: withRow(image, withEvent(image.row, ctx.now(), event)), imageTag: tag };
  });
}

/**
 * Deletes a tag of an image. The image remains even without tags.
 *
 * @returns the deleted tag, and the updated image.
 * @throws 403; 404 for an unknown image or tag; 409 `version_mismatch`.
 */
export async function deleteImageTag(ctx: RequestContext, input: ActionInput<ImageOfTag>): Promise<ImageAndTag> {
  const authorized = await authorizeResourceChange(ctx, 'admin', imageTagKind, input);
  return runInTransaction(authorized, input.validateOnly, async (within) => {
    const { image: before, tag } =
      input.id === undefined
        ? await lockImageAndTag(within, imageOf(input), input.name)
        : await lockImageOfTag(within, input.id);
    if (tag === undefined)
      throw input.id === undefined ? notFound(imageTagKind.label, input.name) : unknownId(imageTagKind.label);
    const { name } = tag.row;
    await requireVersion(within, imageTagKind.label, tag.row, input.ifVersion);
    const image = imageAfter(within, before, { size: before.row.size - tag.row.size });
    const message = `Tag ${name} deleted by ${within.caller.principal.name}`;
    const ofImage = { type: 'update', status: 'UPDATED', message };
    const ofTag = { type: 'deletion', status: 'DELETED', message };
    const changes = [imageChange('updated', image, before, ofImage), tagChange('deleted', tag, undefined, ofTag)];
    await updateImage(within, image);
    await deleteRow(within.db, imageTagKind, tag.id);
    await recordChanges(within, changes, growthOf('IMAGE_TAG', { workspaceId: within.workspace.id }, undefined));
    return { image: withRow(image, withEvent(image.row, ctx.now(), ofImage)), imageTag: tag };
  });
}

function tagAfter(
  { ctx, workspace }: AuthorizedWorkspace,
  { name, size }: z.output<typeof pushedTag>,
  before: Resource<VersionedTagRow> | undefined,
): Resource<VersionedTagRow> {
  const updatedAt = rowTimestamp(ctx.now());
  const createdAt = before?.row.createdAt ?? updatedAt;
  const id = before?.id ?? newResourceId(ctx.now());
  const version = (before?.row.version ?? 0) + 1;
  const row = { id, key: createdAt, name, size, version, createdAt, updatedAt };
  return new Resource<VersionedTagRow>(ctx, imageTagKind, workspace, row);
}

/** @param others the size of the other tags (bytes). @throws 400 if the image is too large to be added up exactly. */
function requireExactSum(size: number, others: number): void {
  const limit = Number.MAX_SAFE_INTEGER - others;
  if (size <= limit) return;
  const rule = `must be at most ${limit}, because the tags of an image have at most ${Number.MAX_SAFE_INTEGER} bytes`;
  throw invalidInput([problemAt(['tag', 'size'], 'too_large', rule, { limit, actual: size })]);
}

/** An image with new values: its total size (bytes), and its display name. */
function imageAfter(
  { ctx }: AuthorizedWorkspace,
  image: Resource<ImageRow>,
  values: Pick<ImageRow, 'size'> & Partial<Pick<ImageRow, 'displayName'>>,
): Resource<ImageRow> {
  const updatedAt = rowTimestamp(ctx.now());
  return withRow(image, { ...image.row, ...values, version: image.row.version + 1, updatedAt });
}

async function updateImage(
  { db }: AuthorizedWorkspace,
  { id, row: { name, displayName: title, size, version, updatedAt } }: Resource<ImageRow>,
): Promise<void> {
  const search = searchDocument({ name, displayName: title ?? undefined });
  await updateRow(db, imageKind, { id, display_name: title, search, size, version, updated_at: updatedAt });
}

async function writeTag(
  { db, workspace }: AuthorizedWorkspace,
  { image, tag: before }: LockedTag,
  { id, row: { name, size, version, createdAt, updatedAt } }: Resource<VersionedTagRow>,
): Promise<void> {
  if (before !== undefined) {
    await updateRow(db, imageTagKind, { id, size, version, updated_at: updatedAt });
    return;
  }
  await insertRow(db, imageTagKind, {
    id,
    version,
    workspace_id: workspace.id,
    image_id: image.id,
    name,
    size,
    search: searchDocument({ name }),
    created_at: createdAt,
    updated_at: updatedAt,
  });
}

function tagChange(
  verb: 'created' | 'updated' | 'deleted',
  tag: Resource<VersionedTagRow>,
  before: Resource<VersionedTagRow> | undefined,
  event: NewChange['event'],
): NewChange {
  const { name, version } = tag.row;
  const records =
    verb === 'deleted'
      ? { before: tagFromRow(tag.row) }
      : { before: before && tagFromRow(before.row), after: tagFromRow(tag.row) };
  return { kind: 'IMAGE_TAG', verb, resourceId: tag.id, name, version, ...records, event };
}
