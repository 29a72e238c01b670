// A container image of a workspace, identified by its resource type and name.
import { z } from 'zod';
import { Prisma } from '../../database/client/client.js';
import { timedCriteria } from '../../store/read/criteria.js';
import { nameMatching, optionalTimeBetween, textMatching, textsIn, wordMatching } from '../../store/read/criterion.js';
import type { PartialResource, Resource } from '../../store/read/resource.js';
import { bytes, oneOf } from '../../schema/values.js';
import { coreEvent, displayName, provenance, resourceName, timestamp } from '../../schema/resource.js';
import { resourceKind } from '../../store/read/resource-kind.js';
import type { ResourceKind } from '../../store/read/resource-kind.js';
import { eventsColumn, eventsFromRow, timestampFromRow } from '../../store/read/resource-row.js';
import type { EventfulRow } from '../../store/read/resource-row.js';
import { text } from '../../schema/text.js';
import { imageTag, tagFromRow, tagsColumn } from './image-tag.js';
import type { TagRow } from './image-tag.js';

/** Types of workload that an image is deployed as. The type is part of the REST path of an image. */
export const imageResourceTypes = {
  agents: 'Images of agents.',
  functions: 'Images of functions.',
  sandboxes: 'Images of sandboxes.',
  jobs: 'Images of jobs.',
} as const;

export const imageResourceType = oneOf(imageResourceTypes).meta({
  id: 'ImageResourceType',
  description: 'Type of workload that an image is deployed as.',
});

export type ImageResourceType = keyof typeof imageResourceTypes;

export const imageMetadata = z
  .object({
    name: resourceName.meta({ description: 'Name, unique within the workspace and resource type.' }),
    displayName: displayName.optional().meta({ description: 'Display name (at most 63 characters).' }),
    resourceType: imageResourceType,
    workspace: provenance.workspace,
    sourceWorkspace: text().optional().meta({ description: 'Workspace that shared the image, if any.' }),
    createdAt: provenance.createdAt,
    updatedAt: provenance.updatedAt,
    lastDeployedAt: timestamp
      .optional()
      .meta({ description: 'Time of the last deployment of a workload that runs the image.' }),
    events: z.array(coreEvent).meta({ description: 'Events of the image, oldest first (the latest 100).' }),
  })
  .meta({ id: 'ImageMetadata', description: 'Name and timestamps of an image.' });

export type ImageMetadata = z.output<typeof imageMetadata>;

export const imageSpec = z
  .object({
    size: bytes.meta({ description: 'Total size of all tags (bytes, a whole number).' }),
    tags: z.array(imageTag),
  })
  .meta({ id: 'ImageSpec', description: 'Contents of an image.' });

/** A container image as the specification prints it. */
export const image = z
  .object({ metadata: imageMetadata, spec: imageSpec })
  .meta({ id: 'Image', description: 'A container image.' });

export type Image = z.output<typeof image>;

export interface ImageRow extends EventfulRow {
  name: string;
  resourceType: ImageResourceType;
  size: number;
  displayName: string | null;
  sourceWorkspace: string | null;
  createdAt: string;
  updatedAt: string;
  lastDeployedAt: string | null;
}

const imageColumns = {
  version: Prisma.sql`r."version"`,
  name: Prisma.sql`r."name"`,
  resourceType: Prisma.sql`r."resource_type"`,
  size: Prisma.sql`r."size"`,
  displayName: Prisma.sql`r."display_name"`,
  sourceWorkspace: Prisma.sql`r."source_workspace"`,
  createdAt: Prisma.sql`r."created_at"`,
  updatedAt: Prisma.sql`r."updated_at"`,
  lastDeployedAt: Prisma.sql`r."last_deployed_at"`,
  events: eventsColumn,
};

const imageDefinition = {
  hasSearchIndex: true,
  criteria: {
    ...timedCriteria,
    name: nameMatching('Name of the image.', Prisma.sql`r."name"`),
    displayName: textMatching('Display name of the image.', Prisma.sql`r."display_name"`),
    lastDeployedAt: optionalTimeBetween(
      'Time of the last deployment of a workload that runs the image.',
      'last_deployed_at',
    ),
    resourceType: wordMatching(
      'Type of workload that the image is deployed as.',
      imageResourceType,
      Prisma.sql`r."resource_type"::text`,
    ),
    sourceWorkspace: textMatching('Workspace that shared the image.', Prisma.sql`r."source_workspace"`),
    tags: textsIn(
      'Matches images with any of these tags.',
      (names) => Prisma.sql`EXISTS (
        SELECT FROM "image_tag" AS t WHERE t."image_id" = r."id" AND t."name" = ANY(${names}::text[]))`,
    ),
  },
} as const;

/** Images without their tags. An image can have thousands, so tags are a separate list. */
export const imageKind = resourceKind<ImageRow>('IMAGE', { ...imageDefinition, columns: imageColumns });

/** An image with all its tags. */
export interface TaggedImageRow extends ImageRow {
  tags: TagRow[] | null;
}

/** Images of each resource type, with all their tags. A name is unique within its type. */
export const imageKindsByType: Record<ImageResourceType, ResourceKind<TaggedImageRow>> = {
  agents: imageKindOf('agents'),
  functions: imageKindOf('functions'),
  sandboxes: imageKindOf('sandboxes'),
  jobs: imageKindOf('jobs'),
};

function imageKindOf(resourceType: ImageResourceType): ResourceKind<TaggedImageRow> {
  return resourceKind<TaggedImageRow>('IMAGE', {
    ...imageDefinition,
    condition: Prisma.sql`r."resource_type" = ${resourceType}::image_resource_type`,
    columns: { ...imageColumns, tags: tagsColumn },
  });
}

/** The columns that each metadata field is read from. */
export const imageMetadataColumns = {
  name: ['name'],
  displayName: ['displayName'],
  resourceType: ['resourceType'],
  workspaceName: [],
  sourceWorkspaceName: ['sourceWorkspace'],
  createdAt: ['createdAt'],
  updatedAt: ['updatedAt'],
  lastDeployedAt: ['lastDeployedAt'],
  events: [],
} as const;

/** Returns the metadata of an image from the columns that were read. */
export function imageMetadataOf(
  { workspace }: PartialResource<ImageRow>,
  row: Partial<ImageRow> & Pick<ImageRow, 'name' | 'resourceType' | 'events'>,
): ImageMetadata {
  return {
    name: row.name,
    displayName: row.displayName ?? undefined,
    resourceType: row.resourceType,
    workspace: workspace.name,
    sourceWorkspace: row.sourceWorkspace ?? undefined,
    createdAt: timestampFromRow(row.createdAt),
    updatedAt: timestampFromRow(row.updatedAt),
    lastDeployedAt: timestampFromRow(row.lastDeployedAt),
    events: eventsFromRow(row.events),
  };
}

export function imageFromRow(found: Resource<TaggedImageRow>): Image {
  const { row } = found;
  return { metadata: imageMetadataOf(found, row), spec: { size: row.size, tags: (row.tags ?? []).map(tagFromRow) } };
}

/** Returns an image for the change log. Its tags have their own records. */
export function recordedImage(found: Resource<ImageRow>): object {
  const { events: _, ...metadata } = imageMetadataOf(found, found.row);
  return { metadata, spec: { size: found.row.size } };
}
