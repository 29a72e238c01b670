// An image that is copied from the workspace that offers it into the one that accepts it, with its tags.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import type { NewChange } from '../../changes/record-changes.js';
import { Prisma } from '../../database/client/client.js';
import { isUniqueViolation } from '../../database/failures.js';
import { ApiError } from '../../errors.js';
import type { Growth } from '../../quotas/growth.js';
import { Resource } from '../../store/read/resource.js';
import { newResourceId } from '../../schema/resource-id.js';
import { rowTimestamp, withEvent } from '../../store/read/resource-row.js';
import { growthOfImage, imageChange, withRow } from './image-changes.js';
import { imageKind } from './image.js';
import type { ImageRow } from './image.js';

/** The fields that a copy takes from the offered image. */
export interface OfferedImage extends Pick<ImageRow, 'name' | 'resourceType' | 'size' | 'displayName'> {
  id: string;
  sourceWorkspace: string;
}

/** SQL of the image of a share `h` as JSON, or NULL. Locks the row, so that its size stays the sum of its tags. */
export const offeredImage = Prisma.sql`(
  SELECT row_to_json(o) FROM (
    SELECT i."id", i."name", i."resource_type" AS "resourceType", i."size", i."display_name" AS "displayName",
      s."source_workspace" AS "sourceWorkspace"
    FROM "image_share" AS s
    JOIN "image" AS i ON i."workspace_id" = s."source_workspace_id" AND i."resource_type" = s."resource_type"
      AND i."name" = s."name"
    WHERE s."id" = h."id" FOR SHARE OF i) AS o)`;

export interface ImageCopy {
  copy: Resource<ImageRow>;
  change: NewChange;
  /** What the image and its tags add to the use of quotas. */
  growths: Growth[];
}

/** Copies a locked image with its tags into the workspace that accepts it. @throws 409 `name_taken` */
export async function copyImage(within: AuthorizedWorkspace, offered: OfferedImage): Promise<ImageCopy> {
  const { ctx, workspace, caller } = within;
  const id = newResourceId(ctx.now());
  const now = rowTimestamp(ctx.now());
  const { id: sourceId, ...copied } = offered;
  const row = {
    ...copied,
    id,
    key: now,
    version: 1,
    createdAt: now,
    updatedAt: now,
    lastDeployedAt: null,
    events: null,
  };
  const image = new Resource<ImageRow>(ctx, imageKind, workspace, row);
  await insertImage(within, image, sourceId);
  const tags = await insertTags(within, image, sourceId);
  const event = { type: 'share', status: 'BUILT', message: `Accepted by ${caller.principal.name}` };
  return {
    copy: withRow(image, withEvent(row, ctx.now(), event)),
    change: imageChange('created', image, undefined, event),
    growths: growthOfImage(workspace.id, tags),
  };
}

async function insertImage(
  { db }: AuthorizedWorkspace,
  { id, workspace, row }: Resource<ImageRow>,
  sourceId: string,
): Promise<void> {
  try {
    await db.$executeRaw(Prisma.sql`
      INSERT INTO "image" ("id", "workspace_id", "resource_type", "name", "display_name", "size", "search",
        "source_workspace", "created_at", "updated_at")
      SELECT ${id}::uuid, ${workspace.id}::uuid, i."resource_type", i."name", i."display_name", i."size", i."search",
        ${row.sourceWorkspace}, ${row.createdAt}::timestamptz, ${row.updatedAt}::timestamptz
      FROM "image" AS i WHERE i."id" = ${sourceId}::uuid`);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const message =
      `The workspace already has an image named ${JSON.stringify(row.name)} of this type. ` +
      'Delete that image, or decline the share.';
    throw new ApiError('name_taken', message, { cause: error });
  }
}

/** @returns the number of tags. */
async function insertTags(
  { db }: AuthorizedWorkspace,
  { id, workspace }: Resource<ImageRow>,
  sourceId: string,
): Promise<number> {
  return db.$executeRaw(Prisma.sql`
    INSERT INTO "image_tag" ("id", "workspace_id", "image_id", "name", "size", "search", "created_at", "updated_at")
    SELECT gen_random_uuid(), ${workspace.id}::uuid, ${id}::uuid, t."name", t."size", t."search", t."created_at",
      t."updated_at"
    FROM "image_tag" AS t WHERE t."image_id" = ${sourceId}::uuid`);
}
