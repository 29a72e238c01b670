// Records thresholds of quotas that were reached. The transaction that reaches one notes it (noteCrossings()), and this task
// moves it to the change log, in order and each once.
import { recordAsSystem } from '../changes/record-as-system.js';
import type { NewChange } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import type { Transactional } from '../database/open.js';
import { readJson } from '../database/read-json.js';
import { tryEach } from '../database/try-each.js';
import { quotaNouns } from '../quotas/quota-resources.js';
import type { QuotaResource } from '../quotas/quota-resources.js';

/** How many crossings one transaction records. */
const takenMax = 100;

interface Crossing {
  id: string;
  account: string;
  workspaceId: string | null;
  workspace: string | null;
  region: string | null;
  resource: QuotaResource;
  percent: number;
  used: number;
  limit: number;
  crossedAt: string;
}

/** Records the noted crossings of all accounts, each account in its own transaction. */
export async function recordQuotaCrossings(db: Transactional): Promise<void> {
  const accountIds = await readJson<string[]>(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(DISTINCT c."account_id"), '[]')::text FROM "quota_crossing" AS c`,
  );
  await tryEach(accountIds, (accountId) => recordOf(db, accountId));
}

async function recordOf(db: Transactional, accountId: string): Promise<void> {
  for (let count = takenMax; count === takenMax;) {
    count = await db.$begin(async (tx) => {
      const crossings = await readJson<Crossing[]>(
        tx,
        Prisma.sql`
          WITH "taken" AS (
            DELETE FROM "quota_crossing" AS c USING (
              SELECT t."id" FROM "quota_crossing" AS t WHERE t."account_id" = ${accountId}::uuid
              ORDER BY t."id" LIMIT ${takenMax}::int FOR UPDATE SKIP LOCKED) AS t
            WHERE c."id" = t."id" RETURNING c.*)
          SELECT coalesce(json_agg(json_build_object('id', t."id"::text, 'account', a."name", 'workspaceId', w."id",
            'workspace', w."name", 'region', t."region", 'resource', t."resource", 'percent', t."percent",
            'used', t."used", 'limit', t."maximum", 'crossedAt', t."crossed_at") ORDER BY t."id"), '[]')::text
          FROM "taken" AS t JOIN "account" AS a ON a."id" = t."account_id"
          LEFT JOIN "workspace" AS w ON w."id" = t."workspace_id"`,
      );
      for (const crossing of crossings) {
        const place = { accountId, workspaceId: crossing.workspaceId };
        await recordAsSystem(tx, place, new Date(crossing.crossedAt), [changeOf(crossing)]);
      }
      return crossings.length;
    });
  }
}

function changeOf({ account, workspace, region, resource, percent, used, limit }: Crossing): NewChange {
  const place = workspace === null ? `account ${account}` : `workspace ${workspace}`;
  const within = region === null ? '' : ` in the region ${region}`;
  const message = `The ${place} has reached ${percent}% of its limit of ${limit} ${quotaNouns[resource]}${within} (used: ${used}).`;
  return {
    kind: 'QUOTA',
    verb: 'threshold_reached',
    name: workspace ?? region ?? account,
    after: { resource, percent, used, limit, ...(region === null ? {} : { region }) },
    event: { type: 'quota', status: 'THRESHOLD_REACHED', message },
  };
}
