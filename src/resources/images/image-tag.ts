import { z } from 'zod';
import { Prisma } from '../../database/client/client.js';
import { timedCriteria } from '../../store/read/criteria.js';
import { nameMatching } from '../../store/read/criterion.js';
import { bytes } from '../../schema/values.js';
import { timestamp } from '../../schema/resource.js';
import { resourceKind } from '../../store/read/resource-kind.js';
import { timestampFromRow } from '../../store/read/resource-row.js';
import type { VersionedRow } from '../../store/read/resource-row.js';
import { text } from '../../schema/text.js';

export const imageTag = z
  .object({
    name: text(128).min(1).meta({ description: 'Name of the tag.' }),
    size: bytes.meta({ description: 'Size (bytes, a whole number).' }),
    createdAt: timestamp.optional().meta({ description: 'Time of the first push.' }),
    updatedAt: timestamp.optional().meta({ description: 'Time of the last push.' }),
  })
  .meta({ id: 'ImageTag', description: 'A tag of a container image.' });

/** The report of a registry for a pushed tag. */
export const pushedTag = z
  .object({
    name: z
      .string()
      .regex(
        /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/,
        'must be 1 to 128 letters, digits, underscores, dots and hyphens, not starting with a dot or hyphen',
      )
      .meta({ description: 'Name of the tag, in the format of container registries (at most 128 characters).' }),
    size: bytes.meta({ description: 'Size (bytes, a whole number).' }),
  })
  .meta({ id: 'PushedTag', description: 'A tag that was pushed to a registry.' });

export type ImageTag = z.output<typeof imageTag>;

export interface TagRow {
  name: string;
  size: number;
  createdAt: string;
  updatedAt: string;
}

/** All tags of an image `r`, newest first. */
export const tagsColumn = Prisma.sql`(
  SELECT json_agg(t) FROM (
    SELECT "name", "size", "created_at" AS "createdAt", "updated_at" AS "updatedAt" FROM "image_tag"
    WHERE "image_id" = r."id" ORDER BY "created_at" DESC, "id" DESC) AS t)`;

export type VersionedTagRow = TagRow & VersionedRow;

export const imageTagKind = resourceKind<VersionedTagRow>('IMAGE_TAG', {
  parent: Prisma.sql`r."image_id"`,
  columns: {
    version: Prisma.sql`r."version"`,
    name: Prisma.sql`r."name"`,
    size: Prisma.sql`r."size"`,
    createdAt: Prisma.sql`r."created_at"`,
    updatedAt: Prisma.sql`r."updated_at"`,
  },
  hasSearchIndex: false,
  criteria: { ...timedCriteria, name: nameMatching('Name of the tag.', Prisma.sql`r."name"`) },
});

export function tagFromRow(row: TagRow): ImageTag {
  return {
    name: row.name,
    size: row.size,
    createdAt: timestampFromRow(row.createdAt),
    updatedAt: timestampFromRow(row.updatedAt),
  };
}
