import { authorizeResourceChange } from '../../auth/authorize.js';
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import { eventBy, recordChanges } from '../../changes/record-changes.js';
import type { NewChange } from '../../changes/record-changes.js';
import { Prisma } from '../../database/client/client.js';
import { growthOf } from '../../quotas/growth.js';
import type { Growth } from '../../quotas/growth.js';
import { Resource } from '../../store/read/resource.js';
import { requireVersion } from '../../store/write/require-version.js';
import { withEvent } from '../../store/read/resource-row.js';
import { requireUnused } from '../../store/write/unused.js';
import { runInTransaction } from '../../auth/run-in-transaction.js';
import type { DryRun } from '../../store/write/change-input.js';
import { lockImage } from './lock-image.js';
import type { WhichImage } from './lock-image.js';
import { imageKind, recordedImage } from './image.js';
import type { ImageResourceType, ImageRow } from './image.js';

/** The image to change, and whether the change is a dry run. */
export type ImageInput<Which extends WhichImage = WhichImage> = Which &
  DryRun & { workspace?: string | null | undefined };

/**
 * Deletes an image with all its tags. Copies in other workspaces stay.
 *
 * @returns the deleted resource.
 * @throws 403; 404; 409 `version_mismatch`; 409 `in_use` while it is offered to other workspaces.
 */
export async function deleteImage(
  ctx: RequestContext,
  input: ImageInput & { ifVersion?: number | null | undefined },
): Promise<Resource<ImageRow>> {
  const authorized = await authorizeResourceChange(ctx, 'admin', imageKind, input);
  return runInTransaction(authorized, input.validateOnly, async (within) => {
    const image = await lockImage(within, input);
    const { resourceType, name } = image.row;
    await requireVersion(within, imageKind.label, image.row, input.ifVersion);
    await requireUnused(within, { label: imageKind.label, name }, pendingOffers(within, resourceType, name));
    const growths = await deleteWithTags(within, image);
    const event = eventBy('deleted', within.caller.principal.name);
    await recordChanges(within, [imageChange('deleted', image, undefined, event)], growths);
    return withRow(image, withEvent(image.row, ctx.now(), event));
  });
}

/** Deletes a locked image with its tags. @returns what this adds to the use of quotas */
async function deleteWithTags({ db, workspace }: AuthorizedWorkspace, { id }: Resource<ImageRow>): Promise<Growth[]> {
  const tags = await db.$text(Prisma.sql`
    WITH "deleted" AS (DELETE FROM "image" AS i WHERE i."id" = ${id}::uuid)
    SELECT count(*)::text FROM "image_tag" AS t WHERE t."image_id" = ${id}::uuid`);
  return growthOfImage(workspace.id, Number(tags)).map((growth) => ({ ...growth, amount: -growth.amount }));
}

/** What a new image with its tags adds to the use of quotas. */
export function growthOfImage(workspaceId: string, tags: number): Growth[] {
  const [one] = growthOf('IMAGE_TAG', undefined, { workspaceId });
  const ofTags = one === undefined || tags === 0 ? [] : [{ ...one, amount: BigInt(tags) }];
  return [...growthOf('IMAGE', undefined, { workspaceId }), ...ofTags];
}

/** SQL that selects the pending offers of an image. */
function pendingOffers({ workspace }: AuthorizedWorkspace, type: ImageResourceType, name: string): Prisma.Sql {
  return Prisma.sql`
    SELECT 'IMAGE_SHARE' AS "kind", w."name" FROM "image_share" AS s JOIN "workspace" AS w ON w."id" = s."workspace_id"
    WHERE s."source_workspace_id" = ${workspace.id}::uuid AND s."resource_type" = ${type}::image_resource_type
      AND s."name" = ${name} AND s."status" = 'pending'`;
}

/** @param before the previous image, if it existed and still exists. */
export function imageChange(
  verb: 'created' | 'updated' | 'deleted',
  image: Resource<ImageRow>,
  before: Resource<ImageRow> | undefined,
  event: NewChange['event'],
): NewChange {
  const { name, version } = image.row;
  const records =
    verb === 'deleted'
      ? { before: recordedImage(image) }
      : { before: before && recordedImage(before), after: recordedImage(image) };
  return { kind: 'IMAGE', verb, resourceId: image.id, name, version, ...records, event };
}

/** The same image with another row. */
export function withRow(
  { ctx, kind, workspace }: Resource<ImageRow>,
  row: Resource<ImageRow>['row'],
): Resource<ImageRow> {
  return new Resource<ImageRow>(ctx, kind, workspace, row);
}
