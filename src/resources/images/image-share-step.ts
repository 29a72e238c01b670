// A share as it goes from one state to the next: held, changed, and recorded on both sides.
import type { AuthorizedWorkspace } from '../../access/authorize.js';
import type { ChangeVerb } from '../../changes/change-words.js';
import { recordChanges, recordOnBothSides } from '../../changes/record-changes.js';
import type { NewChange } from '../../changes/record-changes.js';
import { Prisma } from '../../database/client/client.js';
import { ApiError, notFound } from '../../errors.js';
import { Whole } from '../../kind/found.js';
import { heldRow } from '../../kind/held-row.js';
import { requireVersion } from '../../kind/require-version.js';
import type { ResourceKind } from '../../kind/resource-kind.js';
import { rowTimestamp, withEvent } from '../../kind/resource-row.js';
import { shareFromRow } from './image-share.js';
import type { ShareRow, ShareStatus } from './image-share.js';

/** Which share, and on what condition. */
export interface ShareDecision {
  id: string;
  ifVersion?: number | null | undefined;
  validateOnly?: boolean | null | undefined;
}

/** A share that waits for a decision, held. @throws 404; 409 `version_mismatch`, `share_not_pending`. */
export async function heldPending(
  within: AuthorizedWorkspace,
  kind: ResourceKind<ShareRow>,
  { id, ifVersion }: ShareDecision,
): Promise<Whole<ShareRow>> {
  const held = await heldRow(within, kind, { condition: Prisma.sql`r."id" = ${id}::uuid AND ${holdsWorkspaces(id)}` });
  if (held === undefined) throw notFound(kind.noun, id);
  const { resource: share } = held;
  await requireVersion(within, kind.noun, share.row, ifVersion);
  const { status } = share.row;
  if (status !== 'pending') throw new ApiError('share_not_pending', `This share is not pending any more: ${status}.`);
  return share;
}

/**
 * SQL that holds the workspaces of both sides, and is true. They are held before the share is, as whoever removes a
 * workspace does: otherwise each would wait for what the other holds.
 */
function holdsWorkspaces(id: string): Prisma.Sql {
  return Prisma.sql`(
    SELECT count(*) FROM (
      SELECT FROM "workspace" AS w
      WHERE w."id" IN (
        SELECT unnest(ARRAY[s."workspace_id", s."source_workspace_id"]) FROM "image_share" AS s WHERE s."id" = ${id}::uuid)
      ORDER BY w."id" FOR KEY SHARE) AS "held") > 0`;
}

/** Gives a share another status; who decided is named where it was decided. */
export async function changed(
  within: AuthorizedWorkspace,
  { ctx, kind, workspace, row }: Whole<ShareRow>,
  status: ShareStatus,
  { decidedBy }: { decidedBy?: string },
): Promise<Whole<ShareRow>> {
  const now = within.ctx.now();
  const updatedBy = within.caller.principal.name;
  const next = { status, version: row.version + 1, updatedBy };
  const decision = decidedBy === undefined ? {} : { decidedAt: now, decidedBy };
  await within.db.imageShare.update({ where: { id: row.id }, data: { ...next, ...decision, updatedAt: now } });
  const updatedAt = rowTimestamp(now);
  const decided = decidedBy === undefined ? {} : { decidedAt: updatedAt, decidedBy };
  return new Whole<ShareRow>(ctx, kind, workspace, { ...row, ...next, ...decided, updatedAt });
}

export interface OtherWorkspace {
  accountId: string;
  workspaceId: string;
}

/** The workspace that offers it; undefined where that is gone. */
export async function sourceSideOf({ db }: AuthorizedWorkspace, id: string): Promise<OtherWorkspace | undefined> {
  const { source } = await db.imageShare.findUniqueOrThrow({
    where: { id },
    select: { source: { select: { id: true, accountId: true } } },
  });
  return source === null ? undefined : { accountId: source.accountId, workspaceId: source.id };
}

/** The workspace that it is offered to. */
export async function targetSideOf({ db }: AuthorizedWorkspace, id: string): Promise<OtherWorkspace> {
  const { workspace } = await db.imageShare.findUniqueOrThrow({
    where: { id },
    select: { workspace: { select: { id: true, accountId: true } } },
  });
  return { accountId: workspace.accountId, workspaceId: workspace.id };
}

/** How a step is told. */
interface Step {
  /** Type of the event, and how its message begins: `Offered`. */
  type: string;
  word: string;
  other: OtherWorkspace | undefined;
  /** What else was done with it. */
  more?: NewChange[];
}

/** Records a step on both sides. @returns the share with its event. */
export async function recorded(
  within: AuthorizedWorkspace,
  verb: ChangeVerb,
  before: Whole<ShareRow> | undefined,
  after: Whole<ShareRow>,
  { type, word, other, more = [] }: Step,
): Promise<Whole<ShareRow>> {
  const { imageName: name, status, version } = after.row;
  const event = (by: string) => ({ type, status, message: `${word} by ${by}` });
  const changeBy = (by: string, shown: (share: Whole<ShareRow>) => object): NewChange => ({
    kind: 'IMAGE_SHARE',
    verb,
    resourceId: after.id,
    name,
    version,
    before: before && shown(before),
    after: shown(after),
    event: event(by),
  });
  const by = within.caller.principal.name;
  const own = [changeBy(by, shownShare), ...more];
  if (other === undefined) await recordChanges(within, own);
  else {
    const told = changeBy(`the workspace ${within.workspace.name}`, shownToOthers);
    await recordOnBothSides(within, own, { ...other, change: told });
  }
  return withRow(after, withEvent(after.row, within.ctx.now(), event(by)));
}

function shownShare(share: Whole<ShareRow>): object {
  const { events: _, ...shown } = shareFromRow(share);
  return shown;
}

/** Who changed it in the one workspace is not told in the other, but for who offered it. */
function shownToOthers(share: Whole<ShareRow>): object {
  return shownShare(withRow(share, { ...share.row, updatedBy: null, decidedBy: null }));
}

function withRow({ ctx, kind, workspace }: Whole<ShareRow>, row: Whole<ShareRow>['row']): Whole<ShareRow> {
  return new Whole<ShareRow>(ctx, kind, workspace, row);
}
