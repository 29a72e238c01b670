// Checks that a resource's region is one that the configuration allows to the account.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { invalidInput } from '../../errors.js';
import type { Problem } from '../../errors.js';
import type { Precondition } from './precondition.js';
import { problemAt } from '../../schema/problem.js';
import type { SoundSpec } from './specified-input.js';

/** A feature that a region may offer. */
export type RegionFeature = 'egress';

/** SQL that selects the region's name if the account may use the region and it offers the feature. */
export function allowedRegion({ account }: AuthorizedWorkspace, region: string, feature?: RegionFeature): Prisma.Sql {
  return Prisma.sql`
    SELECT 'region ' || g."name" AS "name" FROM "region" AS g
    WHERE g."name" = ${region} AND (${feature !== 'egress'} OR g."egress_available") AND (NOT g."is_restricted" OR EXISTS (
      SELECT 1 FROM "region_account" AS a WHERE a."region" = g."name" AND a."account_id" = ${account.id}::uuid))`;
}

/** The problem to report for a region that was not found. */
export function regionProblem(feature?: RegionFeature): Problem {
  const rule = 'must be a region that this account can use';
  return problemAt(['spec', 'region'], 'not_available', feature === 'egress' ? `${rule}, with egress` : rule);
}

/**
 * The precondition for placing a resource in a region. None for a resource without a region, or whose region does not
 * change.
 */
export function regionPrecondition(
  within: AuthorizedWorkspace,
  { region }: SoundSpec,
  before: SoundSpec = {},
  feature?: RegionFeature,
): Precondition | undefined {
  if (region === undefined || region === before.region) return undefined;
  const names = allowedRegion(within, region, feature);
  return { names, count: 1, refuse: () => invalidInput([regionProblem(feature)]) };
}
