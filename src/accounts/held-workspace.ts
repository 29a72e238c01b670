import { workspaceOutOfReach } from '../auth/authorize.js';
import type { AuthorizedWorkspace } from '../auth/authorize.js';
import type { ReachableWorkspace } from '../auth/caller.js';
import { Prisma } from '../database/client/client.js';
import { lockRow } from '../store/write/lock-row.js';
import { requireVersion } from '../store/write/require-version.js';

/**
 * How a workspace is locked: an update conflicts with other updates only, a deletion also with everything that is
 * created in the workspace.
 */
const holds = { change: Prisma.sql`FOR NO KEY UPDATE`, removal: Prisma.sql`FOR UPDATE` };

interface HeldRow {
  version: number;
  displayName: string | null;
  updatedAt: string;
}

/**
 * The current workspace, locked until the transaction ends.
 *
 * @throws 403 if it was deleted; 409 `version_mismatch`.
 */
export async function heldWorkspace(
  within: AuthorizedWorkspace,
  hold: keyof typeof holds,
  ifVersion: number | null | undefined,
): Promise<ReachableWorkspace> {
  const { workspace } = within;
  const row = await lockRow<HeldRow>(
    within.db,
    Prisma.sql`
      SELECT w."version", w."display_name" AS "displayName", w."updated_at" AS "updatedAt"
      FROM "workspace" AS w WHERE w."id" = ${workspace.id}::uuid ${holds[hold]}`,
  );
  if (row === null) throw workspaceOutOfReach();
  const { version, displayName, updatedAt } = row;
  await requireVersion(within, 'workspace', { id: workspace.id, version }, ifVersion);
  return { ...workspace, version, displayName: displayName ?? undefined, updatedAt: new Date(updatedAt) };
}
