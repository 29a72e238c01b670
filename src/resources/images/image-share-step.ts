// The steps of a share from one state to the next, and their change records in both workspaces.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import type { ChangeAction } from '../../changes/change-subjects.js';
import type { NewChange, OtherAccountChange } from '../../changes/record-changes.js';
import { Prisma } from '../../database/client/client.js';
import { Resource } from '../../store/read/resource.js';
import { rowTimestamp, withEvent } from '../../store/read/resource-row.js';
import type { OtherWorkspace } from './lock-share.js';
import { shareFromRow } from './image-share.js';
import type { ShareRow, ShareStatus } from './image-share.js';

/** The share with another status. Only the workspace that decided sees the user who did. */
export function changedShare(
  within: AuthorizedWorkspace,
  share: Resource<ShareRow>,
  status: ShareStatus,
  decidedBy?: string,
): Resource<ShareRow> {
  const updatedAt = rowTimestamp(within.ctx.now());
  const decision = decidedBy === undefined ? {} : { decidedAt: updatedAt, decidedBy };
  const changed = { status, version: share.row.version + 1, updatedBy: within.caller.principal.name, updatedAt };
  return withRow(share, { ...share.row, ...changed, ...decision });
}

/** Writes the new status of a share. */
export async function updateShare({ db }: AuthorizedWorkspace, { id, row }: Resource<ShareRow>): Promise<void> {
  await db.$executeRaw(Prisma.sql`
    UPDATE "image_share"
    SET "status" = ${row.status}::share_status, "version" = ${row.version}::int, "updated_by" = ${row.updatedBy},
      "updated_at" = ${row.updatedAt}::timestamptz, "decided_at" = ${row.decidedAt}::timestamptz, "decided_by" = ${row.decidedBy}
    WHERE "id" = ${id}::uuid`);
}

/** The change record of a step. */
interface Step {
  verb: ChangeAction;
  before?: Resource<ShareRow>;
  after: Resource<ShareRow>;
  other: OtherWorkspace | null;
  /** Type of the event, and how its message begins: `Offered`. */
  type: string;
  word: string;
}

export interface ToldStep {
  change: NewChange;
  otherSide: OtherAccountChange | undefined;
  /** The share with the event of the step. */
  share: Resource<ShareRow>;
}

/** The change records of a step in both workspaces. */
export function toldStep(
  { ctx, caller, workspace }: AuthorizedWorkspace,
  { verb, before, after, other, type, word }: Step,
): ToldStep {
  const { imageName: name, status, version } = after.row;
  const event = (by: string) => ({ type, status, message: `${word} by ${by}` });
  const changeBy = (by: string, shown: (share: Resource<ShareRow>) => object): NewChange => ({
    kind: 'IMAGE_SHARE',
    verb,
    resourceId: after.id,
    name,
    version,
    before: before && shown(before),
    after: shown(after),
    event: event(by),
  });
  const by = caller.principal.name;
  const othersChange = changeBy(`the workspace ${workspace.name}`, shownToOthers);
  return {
    change: changeBy(by, shownShare),
    otherSide: other === null ? undefined : { ...other, change: othersChange },
    share: withRow(after, withEvent(after.row, ctx.now(), event(by))),
  };
}

function shownShare(share: Resource<ShareRow>): object {
  const { events: _, ...shown } = shareFromRow(share);
  return shown;
}

/** Hides the user who changed the share from the other workspace, except the user who offered it. */
function shownToOthers(share: Resource<ShareRow>): object {
  return shownShare(withRow(share, { ...share.row, updatedBy: null, decidedBy: null }));
}

function withRow({ ctx, kind, workspace }: Resource<ShareRow>, row: Resource<ShareRow>['row']): Resource<ShareRow> {
  return new Resource<ShareRow>(ctx, kind, workspace, row);
}
