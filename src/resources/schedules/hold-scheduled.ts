import { Prisma } from '../../database/client/client.js';
import { findJson } from '../../database/read-json.js';
import type { Statements } from '../../database/transaction.js';

/** A resource that is due. */
export interface Scheduled<Spec> {
  name: string;
  spec: Spec;
  workspaceId: string;
  workspace: string;
  accountId: string;
}

/** Locks a resource until its execution or invocation is created. @returns undefined if it was deleted. */
export async function holdScheduled<Spec>(
  db: Statements,
  table: 'agent' | 'job',
  id: string,
): Promise<Scheduled<Spec> | undefined> {
  return findJson(
    db,
    Prisma.sql`
      SELECT json_build_object('name', r."name", 'spec', r."spec", 'workspaceId', w."id", 'workspace', w."name",
        'accountId', w."account_id")::text
      FROM "workspace" AS w JOIN ${Prisma.raw(`"${table}"`)} AS r ON r."workspace_id" = w."id" WHERE r."id" = ${id}::uuid
      FOR KEY SHARE OF w FOR SHARE OF r`,
  );
}
