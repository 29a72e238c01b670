import { z } from 'zod';
import type { ReachableWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { Prisma } from '../../database/client/client.js';
import { timestamp } from '../resource.js';
import type { ResourceKeys, ResourceKind } from '../resource-kind.js';
import { timestampFromRow } from '../resource-row.js';

export const imageTag = z
  .object({
    name: z.string(),
    size: z.int().meta({ description: 'Bytes.' }),
    createdAt: timestamp.optional(),
    updatedAt: timestamp.optional(),
  })
  .meta({ id: 'ImageTag' });

export type ImageTag = z.output<typeof imageTag>;

export interface TagRow {
  name: string;
  size: number;
  createdAt?: string;
  updatedAt?: string;
}

/** All tags of an image `r`, newest first. */
export const tagsColumn = Prisma.sql`(
  SELECT json_agg(t) FROM (
    SELECT "name", "size", "created_at" AS "createdAt", "updated_at" AS "updatedAt" FROM "image_tag"
    WHERE "image_id" = r."id" ORDER BY "created_at" DESC, "id" DESC) AS t)`;

export const imageTagKind: ResourceKind<TagRow & ResourceKeys, ImageTag> = {
  noun: 'tag',
  table: 'image_tag',
  parent: Prisma.sql`r."image_id"`,
  columns: {
    name: Prisma.sql`r."name"`,
    size: Prisma.sql`r."size"`,
    createdAt: Prisma.sql`r."created_at"`,
    updatedAt: Prisma.sql`r."updated_at"`,
  },
  keyColumns: ['name', 'size'],
  isCounted: false,
  hasSearchIndex: false,
  fromRow: (_ctx: RequestContext, _workspace: ReachableWorkspace, row) => tagFromRow(row),
};

export function tagFromRow(row: TagRow): ImageTag {
  return {
    name: row.name,
    size: row.size,
    createdAt: timestampFromRow(row.createdAt),
    updatedAt: timestampFromRow(row.updatedAt),
  };
}
