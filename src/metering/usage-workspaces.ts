// Finds an account's workspaces for recorded usage. They are read for each chunk of events, because the cached caller
// may be half a second old and a workspace may have been deleted since.
import { Prisma } from '../database/client/client.js';
import { refusalFrom } from '../database/failures.js';
import { readNames } from '../database/read-names.js';
import type { Statements } from '../database/open.js';
import { arrayLiteral } from './sql-arrays.js';
import type { UsageWorkspaces } from './usage-chunk.js';

/** @param workspaceId the workspace that the caller is confined to, if any. */
export function usageWorkspaces(db: Statements, accountId: string, workspaceId?: string): UsageWorkspaces {
  const isAccessible = workspaceId === undefined ? Prisma.sql`TRUE` : Prisma.sql`"id" = ${workspaceId}::uuid`;
  return {
    accountId,
    existing: async (names, eventsSent) => {
      const statement = Prisma.sql`
        WITH "spent" AS MATERIALIZED (SELECT spend_usage_events(${accountId}::uuid, ${eventsSent}::int) AS "is_allowed")
        SELECT "name" FROM "workspace", "spent"
        WHERE "account_id" = ${accountId}::uuid AND "name" = ANY(${arrayLiteral(names)}::text::text[]) AND ${isAccessible}
          AND "is_allowed"`;
      try {
        return await readNames(db, statement);
      } catch (error) {
        throw refusalFrom(error) ?? error;
      }
    },
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
