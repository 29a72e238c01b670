// Finds an account's workspaces for recorded usage. They are read for each chunk of events, because the cached caller
// may be half a second old and a workspace may have been deleted since.
import { Prisma } from '../database/client/client.js';
import type { Statements } from '../database/open.js';
import { arrayLiteral } from './sql-arrays.js';
import type { UsagePlace } from './usage-chunk.js';

/** @param workspaceId the workspace that the caller is confined to, if any. */
export function usagePlace(db: Statements, accountId: string, workspaceId?: string): UsagePlace {
  const isReached = workspaceId === undefined ? Prisma.sql`TRUE` : Prisma.sql`"id" = ${workspaceId}::uuid`;
  return {
    accountId,
    existing: (names) =>
      namesIn(
        db,
        Prisma.sql`
          SELECT "name" FROM "workspace"
          WHERE "account_id" = ${accountId}::uuid AND "name" = ANY(${arrayLiteral(names)}::text::text[]) AND ${isReached}`,
      ),
    recorded: async (names) =>
      workspaceId === undefined
        ? namesIn(
            db,
            Prisma.sql`
              SELECT DISTINCT "workspace" AS "name" FROM "usage_series"
              WHERE "account_id" = ${accountId}::uuid AND "workspace" = ANY(${arrayLiteral(names)}::text::text[])`,
          )
        : new Set(),
  };
}

async function namesIn(db: Statements, rows: Prisma.Sql): Promise<Set<string>> {
  const names: string[] = JSON.parse(
    await db.$text(Prisma.sql`SELECT coalesce(json_agg(n."name"), '[]')::text FROM (${rows}) AS n`),
  );
  return new Set(names);
}
