import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { readJson } from '../database/read-json.js';

/** The number of assignments that are leased and that are due, and how long the oldest due one has waited (seconds). */
export async function countAssignments(
  db: Database,
): Promise<{ leased: number; due: number; oldestDueSeconds: number }> {
  return readJson(
    db,
    Prisma.sql`
      SELECT json_build_object(
        'leased', count(*) FILTER (WHERE "lease_until" > now()), 'due', count(*) FILTER (WHERE "due_at" <= now()),
        'oldestDueSeconds', coalesce(extract(epoch FROM now() - min("due_at") FILTER (WHERE "due_at" <= now())), 0))::text
      FROM "assignment" WHERE "due_at" IS NOT NULL`,
  );
}
