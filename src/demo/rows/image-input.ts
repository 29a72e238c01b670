import { z } from 'zod';
import type { Transaction } from '../../database/open.js';
import { growthOf } from '../../quotas/growth.js';
import { searchDocument, timestamp } from '../../schema/resource.js';
import { appendPast, eventInput, givenId, insertRows, newRow } from './insert-rows.js';
import { imageMetadata } from '../../resources/images/image.js';
import { imageShareMetadata, imageShareSpec, shareStatus } from '../../resources/images/image-share.js';
import { imageTag } from '../../resources/images/image-tag.js';

const times = { createdAt: timestamp, updatedAt: timestamp };

const tagInput = imageTag.extend({ id: givenId, ...times });

export const imageInput = imageMetadata.omit({ workspace: true }).extend({
  id: givenId,
  ...times,
  tags: z.array(tagInput),
  events: z.array(eventInput).default([]),
});

export type ImageInput = z.input<typeof imageInput>;

/**
 * Inserts images of one workspace with their tags and events. The size of an image is the sum of its tags. @throws
 * {z.ZodError}
 */
export async function insertImages(db: Transaction, workspaceId: string, inputs: ImageInput[]): Promise<void> {
  const checked = inputs.map((input) => imageInput.parse(input));
  const images = checked.map(({ id, events, ...image }) =>
    newRow(
      workspaceId,
      { id, events },
      {
        resource_type: image.resourceType,
        name: image.name,
        display_name: image.displayName,
        source_workspace: image.sourceWorkspace,
        created_at: image.createdAt,
        updated_at: image.updatedAt,
        last_deployed_at: image.lastDeployedAt,
        size: image.tags.reduce((sum, { size }) => sum + size, 0),
        search: searchDocument(image),
      },
    ),
  );
  await insertRows(db, 'image', images);
  const tags = checked.flatMap((image, index) =>
    image.tags.map(({ id, name, size, createdAt, updatedAt }) =>
      newRow(
        workspaceId,
        { id, events: [] },
        {
          image_id: images[index]?.row.id,
          name,
          size,
          created_at: createdAt,
          updated_at: updatedAt,
          search: searchDocument({ name }),
        },
      ),
    ),
  );
  await insertRows(db, 'image_tag', tags);
}

export const imageShareInput = imageShareMetadata
  .omit({ workspace: true })
  .required({ sourceAccount: true, sourceWorkspace: true })
  .extend({
    id: givenId,
    ...imageShareSpec.shape,
    status: shareStatus.default('pending'),
    ...times,
    events: z.array(eventInput).default([]),
  });

export type ImageShareInput = z.input<typeof imageShareInput>;

/** Inserts shares that are offered to one workspace, all or none. @throws {z.ZodError} */
export async function insertImageShares(
  db: Transaction,
  workspaceId: string,
  inputs: ImageShareInput[],
): Promise<void> {
  const rows = inputs.map((input) => {
    const { id, events, ...share } = imageShareInput.parse(input);
    return newRow(
      workspaceId,
      { id, events },
      {
        resource_type: share.resourceType,
        name: share.imageName,
        source_account: share.sourceAccount,
        source_workspace: share.sourceWorkspace,
        status: share.status,
        created_at: share.createdAt,
        updated_at: share.updatedAt,
        created_by: share.createdBy,
        updated_by: share.updatedBy,
        decided_at: share.decidedAt,
        decided_by: share.decidedBy,
        search: searchDocument({ name: share.imageName }),
      },
    );
  });
  await insertRows(db, 'image_share', rows);
  await countShares(db, workspaceId);
}

/** Finds the offering workspaces of shares from and to a workspace. Of two that are loaded, the later one finds the other. */
async function countShares(db: Transaction, workspaceId: string): Promise<void> {
  const found = await db.$queryRaw<{ accountId: string; workspaceId: string; status: string }[]>`
    UPDATE "image_share" AS s SET "source_workspace_id" = w."id"
    FROM "workspace" AS w JOIN "account" AS a ON a."id" = w."account_id"
    WHERE s."source_workspace_id" IS NULL AND w."name" = s."source_workspace" AND a."name" = s."source_account"
      AND ${workspaceId}::uuid IN (s."workspace_id", w."id")
    RETURNING a."id"::text AS "accountId", w."id"::text AS "workspaceId", s."status"::text AS "status"`;
  for (const accountId of [...new Set(found.map((share) => share.accountId))].toSorted()) {
    const own = found.filter((share) => share.accountId === accountId);
    const growths = own.flatMap((share) => growthOf('IMAGE_SHARE', undefined, share));
    await appendPast(db, accountId, [], growths);
  }
}
