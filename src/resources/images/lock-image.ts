// Locks images while they or their tags change, so that the size of an image stays the sum of its tags.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { notFound } from '../../errors.js';
import { Resource } from '../../store/read/resource.js';
import { lockResourceRow } from '../../store/write/lock-row.js';
import type { Holding } from '../../store/write/lock-row.js';
import type { PartRow } from '../../store/read/list-definition.js';
import { canBeName, searchDocument } from '../../schema/resource.js';
import { newResourceId } from '../../schema/resource-id.js';
import { imageKind } from './image.js';
import type { ImageResourceType, ImageRow } from './image.js';
import { imageTagKind } from './image-tag.js';
import type { VersionedTagRow } from './image-tag.js';

/** Which image of a workspace: a name is unique among those of one type. */
export interface WhichImage {
  resourceType: ImageResourceType;
  imageName: string;
}

/** A locked image, and one of its tags if it exists. */
export interface LockedTag {
  image: Resource<ImageRow>;
  tag: Resource<VersionedTagRow> | undefined;
}

/** @throws 404 */
export async function lockImage(within: AuthorizedWorkspace, which: WhichImage): Promise<Resource<ImageRow>> {
  return (await lockImageWith(within, which)).image;
}

/** The same, and what else is asked with it. @param more SQL of JSON about the image `h`. @throws like lockImage(). */
export async function lockImageWith<More = null>(
  within: AuthorizedWorkspace,
  which: WhichImage,
  behind = Prisma.sql`NULL::json`,
): Promise<{ image: Resource<ImageRow>; more: More }> {
  const holding = { ...holdingOf(within, which), behind };
  const locked = canBeName(which.imageName)
    ? await lockResourceRow<ImageRow, More>(within, imageKind, holding)
    : undefined;
  if (locked === undefined) throw notFound(imageKind.label, which.imageName);
  return { image: locked.resource, more: locked.behind };
}

/** @throws like lockImage(). */
export async function lockImageAndTag(within: AuthorizedWorkspace, which: WhichImage, tag: string): Promise<LockedTag> {
  if (!canBeName(tag)) throw notFound(imageTagKind.label, tag);
  const { image, more } = await lockImageWith<TagJson | null>(within, which, tagOf(tag));
  return { image, tag: tagFromJson(within, more) };
}

/**
 * The same; where there is no such image, one is made that has no version yet. @throws 404 where the workspace is gone.
 */
export async function createOrLockImageAndTag(
  within: AuthorizedWorkspace,
  which: WhichImage,
  tag: string,
): Promise<LockedTag> {
  const holding = { ...holdingOf(within, which), behind: tagOf(tag), making: insertionUnlessLocked(within, which) };
  const locked = await lockResourceRow<ImageRow, TagJson | null>(within, imageKind, holding);
  if (locked === undefined) throw notFound(imageKind.label, which.imageName);
  return { image: locked.resource, tag: tagFromJson(within, locked.behind) };
}

type TagJson = PartRow<VersionedTagRow> & VersionedTagRow;

function tagFromJson({ ctx, workspace }: AuthorizedWorkspace, row: TagJson | null): LockedTag['tag'] {
  return row === null ? undefined : new Resource<VersionedTagRow>(ctx, imageTagKind, workspace, row);
}

/**
 * Locks the workspace before the image, in the order in which a workspace is deleted. Otherwise they could deadlock.
 */
function holdingOf({ workspace }: AuthorizedWorkspace, { resourceType, imageName }: WhichImage): Holding {
  const condition = Prisma.sql`
    EXISTS (${workspaceLock(workspace)})
      AND r."resource_type" = ${resourceType}::image_resource_type AND r."name" = ${imageName}`;
  return { condition };
}

function workspaceLock({ id }: { id: string }): Prisma.Sql {
  return Prisma.sql`SELECT w."id" FROM "workspace" AS w WHERE w."id" = ${id}::uuid FOR KEY SHARE`;
}

function tagOf(name: string): Prisma.Sql {
  return Prisma.sql`tag_of_image(h."id", ${name})`;
}

/** Of several who make it at the same time, one does, and the others wait and hold what that one has made. */
function insertionUnlessLocked(
  { ctx, workspace }: AuthorizedWorkspace,
  { resourceType, imageName: name }: WhichImage,
): Prisma.Sql {
  const now = ctx.now();
  return Prisma.sql`
    INSERT INTO "image" AS r
      ("id", "version", "workspace_id", "resource_type", "name", "size", "search", "created_at", "updated_at")
    SELECT ${newResourceId(now)}::uuid, 0, w."id", ${resourceType}::image_resource_type, ${name}, 0,
      ${searchDocument({ name })}, ${now}::timestamptz, ${now}::timestamptz
    FROM (${workspaceLock(workspace)}) AS w WHERE NOT EXISTS (SELECT FROM "held")
    ON CONFLICT ("workspace_id", "resource_type", "name") DO UPDATE SET "version" = r."version"`;
}
