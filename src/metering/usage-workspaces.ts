// Finds an account's workspaces and labels for recorded usage. They are read for each chunk of events, because the cached caller
// may be half a second old and a workspace may have been deleted since.
import { Prisma } from '../database/client/client.js';
import { readJson } from '../database/read-json.js';
import { readNames } from '../database/read-names.js';
import type { Statements } from '../database/transaction.js';
import { giveEventsBack, settleSpent, spendCtes, spendEvents, spentJson } from '../quotas/spend-usage-events.js';
import type { SpentEvents } from '../quotas/spend-usage-events.js';
import { assignLabels, hasLabelsSql } from './label-sets.js';
import { resourceIdsSql } from './resource-names.js';
import { arrayLiteral } from './sql-arrays.js';
import type { UsageWorkspaces } from './usage-chunk.js';

interface Found {
  spent: SpentEvents;
  names: string[];
  hasLabels: boolean;
}

/** @param workspaceId the workspace that the caller is confined to, if any. */
export function usageWorkspaces(db: Statements, accountId: string, workspaceId?: string): UsageWorkspaces {
  const accessibleSql = workspaceId === undefined ? Prisma.sql`TRUE` : Prisma.sql`w."id" = ${workspaceId}::uuid`;
  return {
    accountId,
    resourceIds: (named) => readJson(db, resourceIdsSql(accountId, named, accessibleSql)),
    existing: async (names, sent) => {
      const {
        spent,
        names: existing,
        hasLabels,
      } = await readJson<Found>(
        db,
        Prisma.sql`
          WITH ${spendCtes(accountId, sent)}
          SELECT json_build_object('spent', ${spentJson}, 'names', (
            SELECT coalesce(json_agg(w."name"), '[]') FROM "workspace" AS w
            WHERE w."account_id" = ${accountId}::uuid AND w."name" = ANY(${arrayLiteral(names)}::text::text[])
              AND ${accessibleSql}),
            'hasLabels', ${hasLabelsSql(accountId)})::text`,
      );
      return { ...(await settleSpent(db, accountId, sent, spent)), names: new Set(existing), hasLabels };
    },
    spend: async (sent) => spendEvents(db, accountId, sent),
    giveBack: async (count) => giveEventsBack(db, accountId, count),
    assignLabels: async (events) => assignLabels(db, accountId, events),
    recorded: async (names) =>
      workspaceId === undefined
        ? readNames(
            db,
            Prisma.sql`
              SELECT DISTINCT "workspace" AS "name" FROM "usage_series"
              WHERE "account_id" = ${accountId}::uuid AND "workspace" = ANY(${arrayLiteral(names)}::text::text[])`,
          )
        : new Set(),
  };
}
