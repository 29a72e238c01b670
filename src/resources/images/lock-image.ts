// Locks images while they or their tags change, so that the size of an image stays the sum of its tags.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { notFound, unknownId } from '../../errors.js';
import { Resource } from '../../store/read/resource.js';
import { lockResourceRow } from '../../store/write/lock-row.js';
import type { PartRow } from '../../store/read/list-definition.js';
import { canBeName, searchDocument } from '../../schema/resource.js';
import { newResourceId } from '../../schema/resource-id.js';
import { imageKind } from './image.js';
import type { ImageResourceType, ImageRow } from './image.js';
import { imageTagKind } from './image-tag.js';
import type { VersionedTagRow } from './image-tag.js';

/** An image by its name, which is unique among those of one type. */
export interface NamedImage {
  id?: undefined;
  resourceType: ImageResourceType;
  name: string;
}

/** Which image of a workspace. */
export type WhichImage = { id: string } | NamedImage;

/** A locked image, and one of its tags if it exists. */
export interface LockedTag {
  image: Resource<ImageRow>;
  tag: Resource<VersionedTagRow> | undefined;
}

/** @throws 404 */
export async function lockImage(within: AuthorizedWorkspace, which: WhichImage): Promise<Resource<ImageRow>> {
  return (await lockImageWith(within, which)).image;
}

/** The same, with additional values. @param behind SQL of JSON about the image `h`. @throws like lockImage() */
export async function lockImageWith<More = null>(
  within: AuthorizedWorkspace,
  which: WhichImage,
  behind = Prisma.sql`NULL::json`,
): Promise<{ image: Resource<ImageRow>; more: More }> {
  const rowLock = { condition: imageSql(which), behind };
  const locked =
    which.id !== undefined || canBeName(which.name)
      ? await lockResourceRow<ImageRow, More>(within, imageKind, rowLock)
      : undefined;
  if (locked === undefined) {
    throw which.id === undefined ? notFound(imageKind.label, which.name) : unknownId(imageKind.label);
  }
  return { image: locked.resource, more: locked.behind };
}

/** @throws like lockImage(). */
export async function lockImageAndTag(within: AuthorizedWorkspace, which: NamedImage, tag: string): Promise<LockedTag> {
  if (!canBeName(tag)) throw notFound(imageTagKind.label, tag);
  const { image, more } = await lockImageWith<TagJson | null>(within, which, tagOf(Prisma.sql`${tag}`));
  return { image, tag: tagFromJson(within, more) };
}

/** Locks the image of a tag with an id. @throws 404, also for a tag that was deleted while this waited for the lock. */
export async function lockImageOfTag(within: AuthorizedWorkspace, id: string): Promise<LockedTag> {
  const tag = (column: string) =>
    Prisma.sql`(SELECT t.${Prisma.raw(`"${column}"`)} FROM "image_tag" AS t WHERE t."id" = ${id}::uuid)`;
  const rowLock = { condition: Prisma.sql`r."id" = ${tag('image_id')}`, behind: tagOf(tag('name')) };
  const locked = await lockResourceRow<ImageRow, TagJson | null>(within, imageKind, rowLock);
  if (locked?.behind?.id !== id) throw unknownId(imageTagKind.label);
  return { image: locked.resource, tag: tagFromJson(within, locked.behind) };
}

/** Locks an image, which is created without a version if it does not exist, and reads one of its tags. */
export async function createOrLockImageAndTag(
  within: AuthorizedWorkspace,
  which: NamedImage,
  tag: string,
): Promise<LockedTag> {
  await insertImageIfMissing(within, which);
  return lockImageAndTag(within, which, tag);
}

type TagJson = PartRow<VersionedTagRow> & VersionedTagRow;

function tagFromJson({ ctx, workspace }: AuthorizedWorkspace, row: TagJson | null): LockedTag['tag'] {
  return row === null ? undefined : new Resource<VersionedTagRow>(ctx, imageTagKind, workspace, row);
}

function imageSql(which: WhichImage): Prisma.Sql {
  if (which.id !== undefined) return Prisma.sql`r."id" = ${which.id}::uuid`;
  const { resourceType, name } = which;
  return Prisma.sql`r."resource_type" = ${resourceType}::image_resource_type AND r."name" = ${name}`;
}

function tagOf(name: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`tag_of_image(h."id", ${name})`;
}

/**
 * If several callers create it concurrently, one succeeds, and the others wait and find its row. The UPDATE changes
 * nothing, but waits for the end of a deletion and locks an existing row: without it, a deletion could come between this
 * statement and the next one.
 */
async function insertImageIfMissing(
  { ctx, db, workspace }: AuthorizedWorkspace,
  { resourceType, name }: NamedImage,
): Promise<void> {
  const now = ctx.now();
  await db.$executeRaw(Prisma.sql`
    INSERT INTO "image" ("id", "version", "workspace_id", "resource_type", "name", "size", "search", "created_at", "updated_at")
    SELECT ${newResourceId(now)}::uuid, 0, w."id", ${resourceType}::image_resource_type, ${name}, 0,
      ${searchDocument({ name })}, ${now}::timestamptz, ${now}::timestamptz
    FROM (SELECT "id" FROM "workspace" WHERE "id" = ${workspace.id}::uuid FOR KEY SHARE) AS w
    ON CONFLICT ("workspace_id", "resource_type", "name") DO UPDATE SET "name" = EXCLUDED."name" WHERE false`);
}
