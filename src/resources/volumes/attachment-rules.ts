import { Prisma } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import type { Problem } from '../../errors.js';
import { problemAt } from '../../schema/problem.js';

/** A workload, as far as its volumes go. */
export interface Attaching {
  spec: {
    region?: string | undefined;
    volumes?: { type?: 'persistent' | 'ephemeral' | undefined; name: string }[] | undefined;
  };
}

/**
 * Returns the invalid attachments of each workload: a persistent volume must exist in its workspace and region
 * (specification, VolumeAttachment). Sends one statement for all workloads, also inside a transaction.
 */
export async function brokenAttachments<Workload extends Attaching>(
  db: Pick<Database, '$queryRaw'>,
  workspaceId: string,
  workloads: Workload[],
): Promise<{ workload: Workload; broken: Problem[] }[]> {
  const regionOf = await regionsByName(db, workspaceId, [...new Set(workloads.flatMap(persistentNames))]);
  return workloads.map((workload) => ({
    workload,
    broken: (workload.spec.volumes ?? []).flatMap(({ type, name }, index): Problem[] => {
      if (type === 'ephemeral') return [];
      const refused = (rule: string) => [problemAt(['spec', 'volumes', String(index), 'name'], 'invalid_value', rule)];
      const region = regionOf.get(name);
      if (region === undefined) return refused(`must be a volume of the workspace (got ${JSON.stringify(name)})`);
      if (region === workload.spec.region) return [];
      return refused(`must be a volume of the same region (${name} is in ${region})`);
    }),
  }));
}

function persistentNames({ spec }: Attaching): string[] {
  return (spec.volumes ?? []).filter(({ type }) => type !== 'ephemeral').map(({ name }) => name);
}

async function regionsByName(
  db: Pick<Database, '$queryRaw'>,
  workspaceId: string,
  names: string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await db.$queryRaw<{ name: string; region: string }[]>(Prisma.sql`
    SELECT "name", "spec"->>'region' AS "region" FROM "volume"
    WHERE "workspace_id" = ${workspaceId}::uuid AND "name" = ANY(${names})`);
  return new Map(rows.map(({ name, region }) => [name, region]));
}
