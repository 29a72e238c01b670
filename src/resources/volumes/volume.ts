import { z } from 'zod';
import { Prisma } from '../../database/client/client.js';
import { specifiedCriteria } from '../../store/read/criteria.js';
import { truth } from '../../store/read/criterion.js';
import { positive } from '../../schema/values.js';
import { resourceKind } from '../../store/read/resource-kind.js';
import { specifiedColumns } from '../../store/read/resource-row.js';
import type { SpecifiedRow } from '../../store/read/resource-row.js';
import { text } from '../../schema/text.js';

export const volumeSpec = z
  .object({
    region: text().min(1).meta({
      description: 'Region of the volume. Only workloads of the same region can attach the volume. Immutable.',
      'x-immutable': true,
    }),
    sizeMb: positive.meta({ description: 'Size (MB).' }),
  })
  .meta({ id: 'VolumeSpec', description: 'Desired state of a volume.' });

export type VolumeSpec = z.output<typeof volumeSpec>;

export type VolumeRow = SpecifiedRow<VolumeSpec>;

/**
 * SQL that selects the workloads of a workspace that have a volume attached. The indexed filter values find them, and their specs say
 * for sure.
 */
export function attachedWorkloadsSql(workspaceId: Prisma.Sql, name: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT workload."kind", workload."name", workload."id" FROM (
      SELECT 'AGENT' AS "kind", "name", "id", "workspace_id", "filter_values", "spec" FROM "agent"
      UNION ALL SELECT 'SANDBOX', "name", "id", "workspace_id", "filter_values", "spec" FROM "sandbox") AS workload
    WHERE workload."workspace_id" = ${workspaceId} AND workload."filter_values" && filter_value_keys(${workspaceId}, ARRAY['volume ' || ${name}])
      AND EXISTS (
        SELECT FROM json_entries(workload."spec"->'volumes') AS entry
        WHERE entry->>'name' = ${name} AND entry->>'type' IS DISTINCT FROM 'ephemeral')`;
}

const attachedSql = Prisma.sql`EXISTS (${attachedWorkloadsSql(Prisma.sql`r."workspace_id"`, Prisma.sql`r."name"`)})`;

export const volumeKind = resourceKind<VolumeRow>('VOLUME', {
  columns: specifiedColumns,
  hasSearchIndex: true,
  hasIndexedValues: true,
  criteria: {
    ...specifiedCriteria,
    attached: truth(
      'Matches volumes attached to a workload of their workspace if true, and unattached volumes if false.',
      attachedSql,
    ),
  },
});
