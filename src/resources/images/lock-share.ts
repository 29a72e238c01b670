// Locks a pending share for a caller who can decide it.
import { authorizeWorkspace } from '../../auth/authorize.js';
import type { Authorized, AuthorizedWorkspace } from '../../auth/authorize.js';
import type { AccessibleWorkspace } from '../../auth/caller.js';
import { Prisma } from '../../database/client/client.js';
import { ApiError, forbidden, notFound } from '../../errors.js';
import type { Resource } from '../../store/read/resource.js';
import type { DryRun } from '../../store/write/change-input.js';
import { lockInOneOf } from '../../store/write/lock-row.js';
import { requireVersion } from '../../store/write/require-version.js';
import { isResourceId } from '../../schema/resource.js';
import { offeredShareKind, shareKind } from './image-share.js';
import type { ShareRow } from './image-share.js';

/** The share, and its expected version. */
export interface ShareDecision extends DryRun {
  id: string;
  ifVersion?: number | null | undefined;
}

/** A share as the workspace that it is offered to has it, or as the one that offers it; and which the other one is. */
const sides = {
  target: { kind: shareKind, other: Prisma.sql`"source_workspace_id"` },
  source: { kind: offeredShareKind, other: Prisma.sql`"target_workspace_id"` },
};

type Side = keyof typeof sides;

export interface LockedShare<More> {
  /** The authorization to decide on it, in the transaction with the lock. */
  within: AuthorizedWorkspace;
  share: Resource<ShareRow>;
  /** The workspace on the other side; null if it was deleted. */
  other: OtherWorkspace | null;
  /** The additional values. */
  more: More;
}

export interface OtherWorkspace {
  accountId: string;
  workspaceId: string;
}

/**
 * Locks a pending share for an admin of the workspace on one side of it.
 *
 * @param may the action, for the error message: `take its offers back`.
 * @param more SQL of JSON about the share `h`.
 * @throws 403; 404; 409 `version_mismatch`, `share_not_pending`.
 */
export async function lockPendingShare<More = null>(
  access: Authorized,
  side: Side,
  { id, ifVersion }: ShareDecision,
  may: string,
  more = Prisma.sql`NULL::json`,
): Promise<LockedShare<More>> {
  const { kind, other } = sides[side];
  if (!isResourceId(id)) throw notFound(kind.label, id);
  const administered = workspacesOf(access).filter(({ role }) => role === 'admin');
  const authorized = administered.map(({ name }) => authorizeWorkspace(access.ctx, 'admin', name));
  type Asked = Pick<LockedShare<More>, 'other' | 'more'>;
  const locked = await lockInOneOf<ShareRow, Asked>(access, authorized, kind, {
    condition: Prisma.sql`r."id" = ${id}::uuid AND ${holdsWorkspaces(side, id, administered)}`,
    behind: Prisma.sql`json_build_object('more', ${more}, 'other', (
      SELECT json_build_object('accountId', w."account_id", 'workspaceId', w."id")
      FROM ${tableOf(side)} AS s JOIN "workspace" AS w ON w."id" = s.${other} WHERE s."id" = h."id"))`,
  });
  if (locked === undefined) throw await shareNotLocked(access, side, id, may);
  const { within, resource: share, behind } = locked;
  await requireVersion(within, kind.label, share.row, ifVersion);
  const { status } = share.row;
  if (status !== 'pending')
    throw new ApiError('share_not_pending', `The image share is no longer pending (status: ${status}).`);
  return { within, share, ...behind };
}

function workspacesOf({ caller }: Authorized): AccessibleWorkspace[] {
  return [...caller.workspaces.values()];
}

/**
 * SQL that locks the workspaces of both sides, and is true. They are locked before the share, in the order in which a
 * workspace is deleted. Otherwise they could deadlock.
 */
function holdsWorkspaces(side: Side, id: string, administered: readonly AccessibleWorkspace[]): Prisma.Sql {
  return Prisma.sql`(
    SELECT count(*) FROM (
      SELECT FROM "workspace" AS w
      WHERE w."id" IN (
        SELECT unnest(ARRAY[s."workspace_id", s.${sides[side].other}]) FROM ${tableOf(side)} AS s
        WHERE s."id" = ${id}::uuid AND s."workspace_id" = ANY(${administered.map((each) => each.id)}::uuid[]))
      ORDER BY w."id" FOR KEY SHARE) AS "locked") > 0`;
}

function tableOf(side: Side): Prisma.Sql {
  return Prisma.raw(`"${sides[side].kind.table}"`);
}

/**
 * The error for a share that was not locked: 403 if the caller can access its workspace but is not its admin, else 404.
 */
async function shareNotLocked(access: Authorized, side: Side, id: string, may: string): Promise<ApiError> {
  const placeId = await access.db.$text(
    Prisma.sql`SELECT s."workspace_id"::text FROM ${tableOf(side)} AS s WHERE s."id" = ${id}::uuid`,
  );
  const workspaceOfCaller = workspacesOf(access).find(
    (workspace) => workspace.id === placeId && workspace.role !== 'admin',
  );
  return workspaceOfCaller === undefined ? notFound(sides[side].kind.label, id) : notAdmin(workspaceOfCaller, may);
}

export function notAdmin({ name }: AccessibleWorkspace, may: string): ApiError {
  return forbidden(`Only an admin of the workspace ${name} can ${may}.`);
}
