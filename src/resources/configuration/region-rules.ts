import { Prisma } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import type { Problem } from '../../errors.js';
import { problemAt } from '../../schema/problem.js';

/** An item with or without a region. */
export interface Located {
  spec: { region?: string | undefined };
}

/**
 * Returns the problems of each item's region: it must be in the platform configuration, and the account of the
 * workspace must be allowed to use it. Without a configuration, every region is valid. Sends one statement for all
 * items, also inside a transaction.
 *
 * @param feature the feature that the region must offer, if any.
 */
export async function brokenRegions<Thing extends Located>(
  db: Pick<Database, '$queryRaw'>,
  workspaceId: string,
  things: Thing[],
  feature?: 'egress',
): Promise<{ thing: Thing; broken: Problem[] }[]> {
  const known = await regionsByName(db, workspaceId);
  const ruleOf = (name: string): string | undefined => {
    const region = known.get(name);
    if (region === undefined) return `must be a region of the platform (got ${JSON.stringify(name)})`;
    if (!region.isAllowed) return `must be a region that the account can use (${name} is restricted to other accounts)`;
    if (feature === 'egress' && !region.hasEgress) return `must be a region with egress (${name} has none)`;
    return undefined;
  };
  return things.map((thing) => {
    const name = thing.spec.region;
    const rule = name === undefined || known.size === 0 ? undefined : ruleOf(name);
    return { thing, broken: rule === undefined ? [] : [problemAt(['spec', 'region'], 'invalid_value', rule)] };
  });
}

interface RegionRow {
  name: string;
  isAllowed: boolean;
  hasEgress: boolean;
}

async function regionsByName(db: Pick<Database, '$queryRaw'>, workspaceId: string): Promise<Map<string, RegionRow>> {
  const rows = await db.$queryRaw<RegionRow[]>(Prisma.sql`
    SELECT r."name", r."egress_available" AS "hasEgress", NOT r."is_restricted" OR EXISTS (
        SELECT 1 FROM "region_account" a JOIN "workspace" w ON w."account_id" = a."account_id"
        WHERE a."region" = r."name" AND w."id" = ${workspaceId}::uuid
      ) AS "isAllowed"
    FROM "region" r`);
  return new Map(rows.map((row) => [row.name, row]));
}
