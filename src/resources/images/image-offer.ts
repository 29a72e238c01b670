// Checks before an image is offered: the target workspace exists, and has no copy or pending offer of it.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { ApiError, invalidInput, notFound, quoted } from '../../errors.js';
import type { Resource } from '../../store/read/resource.js';
import { problemAt } from '../../schema/problem.js';
import { canBeName, searchDocument } from '../../schema/resource.js';
import type { ImageRow } from './image.js';
import type { ShareRow } from './image-share.js';

/** To whom an image is offered; an account by its name, which is the caller's own when it is left out. */
export interface ShareTarget {
  targetWorkspace: string;
  targetAccount?: string | null | undefined;
}

export interface TargetWorkspace {
  id: string;
  name: string;
  accountId: string;
}

/**
 * SQL of the workspace as JSON, by account and workspace name. A caller that does not know both names learns about
 * neither.
 */
export function targetJson(
  { account }: AuthorizedWorkspace,
  { targetWorkspace, targetAccount }: ShareTarget,
): Prisma.Sql {
  const accountName = targetAccount ?? account.name;
  if (!canBeName(targetWorkspace) || !canBeName(accountName)) return Prisma.sql`NULL::json`;
  return Prisma.sql`(
    SELECT json_build_object('id', w."id", 'name', w."name", 'accountId', w."account_id")
    FROM "workspace" AS w JOIN "account" AS a ON a."id" = w."account_id"
    WHERE w."name" = ${targetWorkspace} AND a."name" = ${accountName})`;
}

/** @throws 404 for an unknown workspace; 400 `invalid_input` for the offering workspace itself. */
export function requireTarget(
  { account, workspace }: AuthorizedWorkspace,
  { targetWorkspace, targetAccount }: ShareTarget,
  found: TargetWorkspace | null,
): TargetWorkspace {
  const accountName = targetAccount ?? account.name;
  if (found === null) throw notFound(`workspace of the account ${quoted(accountName)}`, targetWorkspace);
  if (found.id !== workspace.id) return found;
  throw invalidInput([
    problemAt(['targetWorkspace'], 'invalid_value', 'must be a workspace other than the workspace of the image'),
  ]);
}

/** Inserts an offer. */
export async function insertOffer(
  { db, workspace }: AuthorizedWorkspace,
  target: TargetWorkspace,
  { id, row }: Resource<ShareRow>,
): Promise<void> {
  await db.$executeRaw(Prisma.sql`
    INSERT INTO "image_share" ("id", "version", "workspace_id", "source_workspace_id", "source_account", "source_workspace",
      "resource_type", "name", "status", "created_by", "updated_by", "created_at", "updated_at", "search")
    SELECT ${id}::uuid, ${row.version}::int, ${target.id}::uuid, ${workspace.id}::uuid, ${row.sourceAccount},
      ${row.sourceWorkspace}, ${row.resourceType}::image_resource_type, ${row.imageName}, ${row.status}::share_status,
      ${row.createdBy}, ${row.updatedBy}, ${row.createdAt}::timestamptz, ${row.updatedAt}::timestamptz,
      ${searchDocument({ name: row.imageName })}`);
}

/**
 * Checks that the workspace has neither the image nor a pending offer of it. The lock on the image prevents concurrent
 * offers.
 *
 * @throws 409 `already_shared`
 */
export async function requireNoOffer(
  within: AuthorizedWorkspace,
  image: Resource<ImageRow>,
  target: TargetWorkspace,
): Promise<void> {
  const status = await within.db.$text(lastOffer(within, image, target));
  if (status === '') return;
  const how = status === 'accepted' ? 'already has the image' : 'has a pending share of the image';
  throw new ApiError('already_shared', `The workspace ${target.name} ${how}.`, { field: 'targetWorkspace' });
}

/** SQL of the status of the last offer to the workspace, if it is pending, or was accepted and the image is still there. */
function lastOffer(
  { workspace }: AuthorizedWorkspace,
  { row: { resourceType, name } }: Resource<ImageRow>,
  target: TargetWorkspace,
): Prisma.Sql {
  const same = (row: Prisma.Sql) => Prisma.sql`
    ${row}."workspace_id" = ${target.id}::uuid AND ${row}."resource_type" = ${resourceType}::image_resource_type
    AND ${row}."name" = ${name}`;
  return Prisma.sql`
    SELECT o."status"::text FROM (
      SELECT s."status" FROM "image_share" AS s
      WHERE ${same(Prisma.sql`s`)} AND s."source_workspace_id" = ${workspace.id}::uuid
        AND s."status" IN ('pending', 'accepted')
      ORDER BY s."created_at" DESC LIMIT 1) AS o
    WHERE o."status" = 'pending' OR EXISTS (
      SELECT FROM "image" AS i WHERE ${same(Prisma.sql`i`)} AND i."source_workspace" = ${workspace.name})`;
}
