import { z } from 'zod';
import type { Database } from '../../database/open.js';
import { displayName, resourceName, searchDocument } from '../resource.js';
import { eventInput, insertRows, newRow } from '../resource-input.js';
import { oneOf } from '../words.js';
import { imageResourceTypes } from './image.js';
import { shareStatuses } from './image-share.js';

type Inserting = Pick<Database, '$executeRaw'>;

const time = z.iso.datetime();
const bytes = z.int().min(0);

const tagInput = z.object({
  id: z.uuid().optional(),
  name: z.string().min(1).max(128),
  size: bytes,
  createdAt: time,
  updatedAt: time,
});

export const imageInput = z.object({
  id: z.uuid().optional(),
  resourceType: oneOf(imageResourceTypes),
  name: resourceName,
  displayName: displayName.optional(),
  /** The workspace that shared it. */
  sourceWorkspace: z.string().optional(),
  createdAt: time,
  updatedAt: time,
  lastDeployedAt: time.optional(),
  tags: z.array(tagInput),
  events: z.array(eventInput).default([]),
});

export type ImageInput = z.input<typeof imageInput>;

/** Inserts images of one workspace with their tags and events. Their size is that of all tags together. @throws {z.ZodError} */
export async function insertImages(db: Inserting, workspaceId: string, inputs: ImageInput[]): Promise<void> {
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

export const imageShareInput = z.object({
  id: z.uuid().optional(),
  resourceType: oneOf(imageResourceTypes),
  imageName: resourceName,
  sourceAccount: z.string(),
  sourceWorkspace: z.string(),
  status: oneOf(shareStatuses).default('pending'),
  createdAt: time,
  updatedAt: time,
  createdBy: z.string().optional(),
  updatedBy: z.string().optional(),
  decidedAt: time.optional(),
  decidedBy: z.string().optional(),
  events: z.array(eventInput).default([]),
});

export type ImageShareInput = z.input<typeof imageShareInput>;

/** Inserts shares that are offered to one workspace, all or none. @throws {z.ZodError} */
export async function insertImageShares(db: Inserting, workspaceId: string, inputs: ImageShareInput[]): Promise<void> {
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
}
