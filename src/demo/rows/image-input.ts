import { z } from 'zod';
import type { Transaction } from '../../database/open.js';
import { searchDocument, timestamp } from '../../schema/resource.js';
import { eventInput, givenId, givenVersion, insertRows, newRow } from './insert-rows.js';
import { imageMetadata } from '../../resources/images/image.js';
import { imageTag } from '../../resources/images/image-tag.js';

const times = { createdAt: timestamp, updatedAt: timestamp };

const tagInput = imageTag.extend({ id: givenId, ...times });

export const imageInput = imageMetadata.omit({ workspace: true }).extend({
  id: givenId,
  version: givenVersion,
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
  const images = checked.map(({ id, version, events, ...image }) =>
    newRow(
      workspaceId,
      { id, version, events },
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
