import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { invalidInput } from '../../errors.js';
import type { Problem } from '../../errors.js';
import type { Precondition } from './precondition.js';
import { problemAt } from '../../schema/problem.js';
import { allowedRegion, regionProblem } from './region-precondition.js';
import type { SoundSpec } from './specified-input.js';

/**
 * The preconditions of a workload: a region that the account can use, and persistent volumes in the same workspace and
 * region. References that the update leaves unchanged are not checked.
 */
export function workloadPrecondition(
  within: AuthorizedWorkspace,
  { region, volumes = [] }: SoundSpec,
  before: SoundSpec = {},
): Precondition | undefined {
  const isMoved = region !== before.region;
  const known = new Set(isMoved ? [] : persistentNames(before.volumes ?? []));
  const names = region === undefined ? [] : persistentNames(volumes).filter((name) => !known.has(name));
  const regions = region !== undefined && isMoved ? [allowedRegion(within, region)] : [];
  if (names.length === 0 && regions.length === 0) return undefined;
  return {
    names: Prisma.join(
      [
        Prisma.sql`
          SELECT 'volume ' || v."name" AS "name" FROM (
            SELECT "name" FROM "volume" WHERE "workspace_id" = ${within.workspace.id}::uuid
              AND "name" = ANY(${names}::text[]) AND "spec"->>'region' = ${region}
              AND "status" IS DISTINCT FROM 'DELETING' FOR SHARE) AS v`,
        ...regions,
      ],
      ' UNION ALL ',
    ),
    count: names.length + regions.length,
    refuse: (found) => {
      const problems: Problem[] = [];
      if (regions.length > 0 && !found.has(`region ${region}`)) problems.push(regionProblem());
      for (const [index, { name, type }] of volumes.entries()) {
        if (type !== 'persistent' || !names.includes(name) || found.has(`volume ${name}`)) continue;
        const rule = `must be a volume of this workspace in the region ${region}`;
        problems.push(problemAt(['spec', 'volumes', String(index), 'name'], 'not_available', rule));
      }
      return invalidInput(problems);
    },
  };
}

function persistentNames(volumes: NonNullable<SoundSpec['volumes']>): string[] {
  return [...new Set(volumes.filter(({ type }) => type === 'persistent').map(({ name }) => name))];
}
