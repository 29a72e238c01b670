import { workspaceOutOfReach } from '../../access/authorize.js';
import type { AuthorizedWorkspace } from '../../access/authorize.js';
import type { ReachableWorkspace } from '../../access/caller.js';
import { Prisma } from '../../database/client/client.js';
import { requireVersion } from '../../kind/require-version.js';

/** How a workspace is held: only other changes of it wait for one of it, and everything that comes into it for its end. */
const holds = { change: Prisma.sql`FOR NO KEY UPDATE`, removal: Prisma.sql`FOR UPDATE` };

interface HeldRow {
  version: number;
  displayName: string | null;
  updatedAt: string;
}

/**
 * The workspace as it is now, held until the transaction ends.
 *
 * @throws 403 when it is gone by now; 409 `version_mismatch`.
 */
export async function heldWorkspace(
  within: AuthorizedWorkspace,
  hold: keyof typeof holds,
  ifVersion: number | null | undefined,
): Promise<ReachableWorkspace> {
  const { workspace } = within;
  const text = await within.db.$text(Prisma.sql`
    SELECT json_build_object('version', w."version", 'displayName', w."display_name", 'updatedAt', w."updated_at")::text
    FROM "workspace" AS w WHERE w."id" = ${workspace.id}::uuid ${holds[hold]}`);
  if (text === '') throw workspaceOutOfReach();
  const { version, displayName, updatedAt }: HeldRow = JSON.parse(text);
  await requireVersion(within, 'workspace', { id: workspace.id, version }, ifVersion);
  return { ...workspace, version, displayName: displayName ?? undefined, updatedAt: new Date(updatedAt) };
}
