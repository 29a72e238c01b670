// A container image of a workspace. It is known by its resource type and its name together.
import { z } from 'zod';
import type { ReachableWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { Prisma } from '../../database/client/client.js';
import { coreEvent, timestamp } from '../resource.js';
import type { ResourceKeys, ResourceKind } from '../resource-kind.js';
import { eventsColumn, eventsFromRow, timestampFromRow } from '../resource-row.js';
import type { EventRow } from '../resource-row.js';
import { oneOf } from '../words.js';
import { imageTag, tagFromRow, tagsColumn } from './image-tag.js';
import type { TagRow } from './image-tag.js';

/** What an image is deployed as; the word stands in its address. */
export const imageResourceTypes = {
  agents: 'Images of agents.',
  functions: 'Images of functions.',
  sandboxes: 'Images of sandboxes.',
  jobs: 'Images of jobs.',
} as const;

export type ImageResourceType = keyof typeof imageResourceTypes;

export const imageMetadata = z
  .object({
    name: z.string(),
    displayName: z.string().optional(),
    resourceType: oneOf(imageResourceTypes),
    workspace: z.string().optional(),
    sourceWorkspace: z.string().optional().meta({ description: 'The workspace that shared it.' }),
    createdAt: timestamp.optional(),
    updatedAt: timestamp.optional(),
    lastDeployedAt: timestamp.optional(),
    events: z.array(coreEvent).optional(),
  })
  .meta({ id: 'ImageMetadata' });

export type ImageMetadata = z.output<typeof imageMetadata>;

/** A container image as the specification prints it. */
export const image = z
  .object({
    metadata: imageMetadata,
    spec: z
      .object({ size: z.int().meta({ description: 'Bytes, of all tags together.' }), tags: z.array(imageTag) })
      .meta({ id: 'ImageSpec' }),
  })
  .meta({ id: 'Image' });

export type Image = z.output<typeof image>;

interface ImageRow extends ResourceKeys {
  name: string;
  resourceType: ImageResourceType;
  size: number;
  displayName?: string | null;
  sourceWorkspace?: string | null;
  createdAt?: string;
  updatedAt?: string;
  lastDeployedAt?: string | null;
  events?: EventRow[] | null;
  tags?: TagRow[] | null;
}

const imageColumns = {
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

/** Images without their tags, which may be thousands: those are a list of their own. */
export const imageKind: ResourceKind<ImageRow, Image> = {
  noun: 'image',
  table: 'image',
  columns: imageColumns,
  keyColumns: ['name', 'resourceType', 'size'],
  isCounted: true,
  hasSearchIndex: true,
  fromRow: imageFromRow,
};

/** Images of one resource type, with all their tags. */
export function imageKindOf(resourceType: ImageResourceType): ResourceKind<ImageRow, Image> {
  return {
    ...imageKind,
    condition: Prisma.sql`r."resource_type" = ${resourceType}::image_resource_type`,
    columns: { ...imageColumns, tags: tagsColumn },
  };
}

function imageFromRow(_ctx: RequestContext, workspace: ReachableWorkspace, row: ImageRow): Image {
  return {
    metadata: {
      name: row.name,
      displayName: row.displayName ?? undefined,
      resourceType: row.resourceType,
      workspace: workspace.name,
      sourceWorkspace: row.sourceWorkspace ?? undefined,
      createdAt: timestampFromRow(row.createdAt),
      updatedAt: timestampFromRow(row.updatedAt),
      lastDeployedAt: timestampFromRow(row.lastDeployedAt),
      events: eventsFromRow(row.events),
    },
    spec: { size: row.size, tags: (row.tags ?? []).map(tagFromRow) },
  };
}
