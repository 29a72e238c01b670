import type { AuthorizedWorkspace } from '../../access/authorize.js';
import type { NewChange } from '../../changes/record-changes.js';
import { Prisma } from '../../database/client/client.js';
import { isUniqueViolation } from '../../database/failures.js';
import { ApiError } from '../../errors.js';
import { Whole } from '../../kind/found.js';
import { heldRow } from '../../kind/held-row.js';
import { newResourceId } from '../../kind/resource-id.js';
import { withEvent } from '../../kind/resource-row.js';
import { imageKind, recordedImage } from './image.js';
import type { ImageRow } from './image.js';
import type { ShareRow } from './image-share.js';

/**
 * Copies the image of a share that is accepted, with its tags, into the workspace.
 *
 * @returns the copy, with the event that records it.
 * @throws 409 `conflict` when the image is gone, `name_taken` when the workspace has one of that name.
 */
export async function copyImage(
  within: AuthorizedWorkspace,
  { id: shareId, imageName }: ShareRow & { id: string },
): Promise<{ copy: Whole<ImageRow>; change: NewChange }> {
  const id = newResourceId(within.ctx.now());
  if (!(await insertCopy(within, id, shareId, imageName))) {
    throw new ApiError('conflict', `The image ${imageName} is not there any more in the workspace that offered it.`);
  }
  const held = await heldRow(within, imageKind, { condition: Prisma.sql`r."id" = ${id}::uuid` });
  if (held === undefined) throw new Error('the copy of an image is gone');
  const { resource: copied } = held;
  const { name, version } = copied.row;
  const event = { type: 'share', status: 'BUILT', message: `Accepted by ${within.caller.principal.name}` };
  const after = recordedImage(copied);
  const row = withEvent(copied.row, within.ctx.now(), event);
  return {
    copy: new Whole<ImageRow>(within.ctx, imageKind, within.workspace, row),
    change: { kind: 'IMAGE', verb: 'created', resourceId: id, name, version, after, event },
  };
}

/** The image is held while it is read, so that its size is that of its tags. @returns whether it was there. */
async function insertCopy(within: AuthorizedWorkspace, id: string, shareId: string, name: string): Promise<boolean> {
  const now = within.ctx.now();
  try {
    const copies = await within.db.$executeRaw`
      INSERT INTO "image" ("id", "workspace_id", "resource_type", "name", "display_name", "size", "search",
        "source_workspace", "created_at", "updated_at")
      SELECT ${id}::uuid, s."workspace_id", i."resource_type", i."name", i."display_name", i."size", i."search",
        s."source_workspace", ${now}::timestamptz, ${now}::timestamptz
      FROM "image_share" AS s
      JOIN "image" AS i ON i."workspace_id" = s."source_workspace_id" AND i."resource_type" = s."resource_type"
        AND i."name" = s."name"
      WHERE s."id" = ${shareId}::uuid FOR SHARE OF i`;
    await within.db.$executeRaw`
      INSERT INTO "image_tag" ("id", "workspace_id", "image_id", "name", "size", "search", "created_at", "updated_at")
      SELECT gen_random_uuid(), s."workspace_id", ${id}::uuid, t."name", t."size", t."search", t."created_at", t."updated_at"
      FROM "image_share" AS s
      JOIN "image" AS i ON i."workspace_id" = s."source_workspace_id" AND i."resource_type" = s."resource_type"
        AND i."name" = s."name"
      JOIN "image_tag" AS t ON t."image_id" = i."id"
      WHERE s."id" = ${shareId}::uuid`;
    return copies > 0;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ApiError('name_taken', `The workspace has an image named ${JSON.stringify(name)} of this type already.`, {
      cause: error,
    });
  }
}
