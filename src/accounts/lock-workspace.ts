import { workspaceNotAccessible } from '../auth/authorize.js';
import type { AuthorizedWorkspace } from '../auth/authorize.js';
import type { AccessibleWorkspace } from '../auth/caller.js';
import { Prisma } from '../database/client/client.js';
import { lockRow } from '../store/write/lock-row.js';
import { requireVersion } from '../store/write/require-version.js';

/**
 * How a workspace is locked: an update conflicts with other updates only, a deletion also with everything that is
 * created in the workspace.
 */
const holds = { change: Prisma.sql`FOR NO KEY UPDATE`, removal: Prisma.sql`FOR UPDATE` };

interface LockedRow {
  version: number;
  displayName: string | null;
  updatedAt: string;
}

/**
 * The current workspace, locked until the transaction ends.
 *
 * @throws 403 if it was deleted; 409 `version_mismatch`.
 */
export async function lockWorkspace(
  within: AuthorizedWorkspace,
  hold: keyof typeof holds,
  ifVersion: number | null | undefined,
): Promise<AccessibleWorkspace> {
  const { workspace } = within;
  const row = await lockRow<LockedRow>(
    within.db,
    Prisma.sql`
      SELECT w."version", w."display_name" AS "displayName", w."updated_at" AS "updatedAt"
      FROM "workspace" AS w WHERE w."id" = ${workspace.id}::uuid ${holds[hold]}`,
  );
  if (row === null) throw workspaceNotAccessible();
  const { version, displayName, updatedAt } = row;
  // After a version_mismatch, clients read the workspace again: it must not come from the caller's cache.
  within.caller.forget();
  await requireVersion(within, 'workspace', { id: workspace.id, version }, ifVersion);
  return { ...workspace, version, displayName: displayName ?? undefined, updatedAt: new Date(updatedAt) };
}
