// Deletes a workspace with everything in it and every access to it. The cost of its usage stays with the account.
import { authorizeWorkspace } from '../auth/authorize.js';
import type { AuthorizedWorkspace } from '../auth/authorize.js';
import type { AccessibleWorkspace } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import { insertAlike, insertChanges, takeNumbers } from '../changes/change-rows.js';
import { changeRows } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import { ApiError } from '../errors.js';
import type { DeletionInput } from '../store/write/change-input.js';
import { runInTransaction } from '../store/write/change.js';
import { lockWorkspace } from './lock-workspace.js';
import { requireAccountAdmin, workspaceChange } from './workspace.js';
import { resourceKindNames, resourceKinds } from '../resource-kinds.js';

export interface WorkspaceDeletionInput extends Pick<DeletionInput, 'name' | 'ifVersion' | 'validateOnly'> {
  /** Whether to delete everything in it as well. */
  force?: boolean | null | undefined;
}

/**
 * Deletes a workspace with all access that is confined to it: memberships, keys, clients and tokens. Its name becomes
 * available; its usage stays, and is billed.
 *
 * @returns the workspace before the deletion.
 * @throws 403 if the caller is not an admin of the account, or if the workspace does not exist; 409 `version_mismatch`;
 * 409 `not_deletable` with its contents, unless `force` is set.
 */
export async function deleteWorkspace(
  ctx: RequestContext,
  input: WorkspaceDeletionInput,
): Promise<AccessibleWorkspace> {
  const authorized = authorizeWorkspace(ctx, 'workspaces:delete', input.name);
  requireAccountAdmin(authorized);
  return runInTransaction(authorized, input.validateOnly, async (within) => {
    // Nothing can be created in it from here on: every creation locks the workspace first.
    const current = await lockWorkspace(within, 'removal', input.ifVersion);
    const removed = await within.db.$text(removal(within, current, input.force === true));
    if (removed === '0') throw await notEmpty(within);
    return current;
  });
}

interface Holding {
  kind: string;
  count: number;
}

/** The resources in a workspace. Image shares belong to the workspace that receives them. */
const tables = resourceKindNames.map((kind) => [resourceKinds[kind].table, kind] as const);

/**
 * A workspace with rows in one of these tables is not empty. Image shares do not count: other workspaces offer them.
 */
export const workspaceTables = tables.filter(([table]) => table !== 'image_share');

/** SQL that is true if a workspace is empty. */
function isEmpty(id: string): Prisma.Sql {
  const rows = workspaceTables.map(
    ([table]) => Prisma.sql`NOT EXISTS (SELECT FROM ${nameOf(table)} WHERE "workspace_id" = ${id}::uuid)`,
  );
  return Prisma.join(rows, ' AND ');
}

async function notEmpty({ db, workspace }: AuthorizedWorkspace): Promise<ApiError> {
  const counts = workspaceTables.map(
    ([table, kind]) => Prisma.sql`
      SELECT ${kind}::text AS "kind", count(*) AS "count" FROM ${nameOf(table)} WHERE "workspace_id" = ${workspace.id}::uuid`,
  );
  const text = await db.$text(Prisma.sql`
    SELECT coalesce(json_agg(h), '[]')::text FROM (${Prisma.join(counts, ' UNION ALL ')}) AS h WHERE h."count" > 0`);
  const holds: Holding[] = JSON.parse(text);
  const told = holds.map(({ kind, count }) => `${kind.toLowerCase().replaceAll('_', ' ')}: ${count}`).join(', ');
  const message = `The workspace ${workspace.name} is not empty (${told}). Delete its resources first, or call deleteWorkspace with force.`;
  return new ApiError('not_deletable', message, {
    details: { holds: holds.map(({ kind, count }) => ({ kind, count })) },
  });
}

/**
 * SQL that locks the image shares from and to a workspace, sorted by id. The deletion of the other workspace locks them
 * too, and without the order the two would deadlock.
 */
function lockShares(id: string): Prisma.Sql {
  return Prisma.sql`
    SELECT FROM "image_share" WHERE "workspace_id" = ${id}::uuid OR "source_workspace_id" = ${id}::uuid
    ORDER BY "id" FOR UPDATE`;
}

/** Rows that are deleted with a workspace: the table, and SQL of the change record of a row `r`. */
interface Ending {
  table: string;
  kind: string;
  id: Prisma.Sql;
  name: Prisma.Sql;
  version: Prisma.Sql;
  createdAt: Prisma.Sql;
}

const ofResource = {
  id: Prisma.sql`r."id"`,
  name: Prisma.sql`r."name"`,
  version: Prisma.sql`r."version"`,
  createdAt: Prisma.sql`r."created_at"`,
};

const resourceTables = [...tables, ['offered_image_share', 'IMAGE_SHARE'] as const];

const resourceEndings = resourceTables.map(([table, kind]): Ending =>
  table === 'job_execution' ? { ...ofResource, table, kind, name: Prisma.sql`NULL` } : { ...ofResource, table, kind },
);

const ofAccess = { ...ofResource, version: Prisma.sql`NULL::int` };

const accessEndings: Ending[] = [
  { ...ofAccess, table: 'api_key', kind: 'API_KEY' },
  { ...ofResource, table: 'webhook', kind: 'WEBHOOK' },
  {
    ...ofAccess,
    table: 'workspace_member',
    kind: 'MEMBER',
    id: Prisma.sql`r."principal_id"`,
    name: Prisma.sql`(SELECT p."name" FROM "principal" AS p WHERE p."id" = r."principal_id")`,
    createdAt: Prisma.sql`NULL::timestamptz`,
  },
  // The id of a client is a text.
  { ...ofAccess, table: 'oauth_client', kind: 'OAUTH_CLIENT', id: Prisma.sql`NULL::uuid`, name: Prisma.sql`r."id"` },
];

const endings = [...resourceEndings, ...accessEndings];

/**
 * SQL that deletes a workspace with everything in it, and records each deletion: one statement, however much there is.
 * The last state of each resource is in its previous change record. Unless forced, it deletes nothing if the workspace
 * is not empty.
 */
function removal(within: AuthorizedWorkspace, current: AccessibleWorkspace, isForced: boolean): Prisma.Sql {
  const removals = endings.map(
    ({ table, id, name, version, createdAt }) => Prisma.sql`
      ${nameOf(`${table}_gone`)} AS (
        DELETE FROM ${nameOf(table)} AS r WHERE r."workspace_id" = ${current.id}::uuid AND ${isReady}
        RETURNING ${id} AS "resource_id", ${name}::text AS "name", ${version} AS "version", ${createdAt} AS "created_at")`,
  );
  const gone = endings.map(
    ({ table, kind }) => Prisma.sql`SELECT ${kind}::text AS "kind", g.* FROM ${nameOf(`${table}_gone`)} AS g`,
  );
  const account = Prisma.sql`SELECT ${within.account.id}::uuid AS "account_id" FROM "written"`;
  const records = changeRows(within, workspaceChange(within, 'deleted', { before: current }));
  const others = Prisma.sql`SELECT g.*, NULL::json AS "before" FROM "gone" AS g`;
  return Prisma.sql`
    WITH "share" AS MATERIALIZED (${lockShares(current.id)}),
    "ready" AS MATERIALIZED (
      SELECT (SELECT count(*) FROM "share") >= 0 AND ${isForced ? Prisma.sql`true` : isEmpty(current.id)} AS "is"),
    ${Prisma.join(removals)},
    "gone" AS (${Prisma.join(gone, ' UNION ALL ')}),
    "written" AS (DELETE FROM "workspace" WHERE "id" = ${current.id}::uuid AND ${isReady} RETURNING "id"),
    "head" AS (${takeNumbers(account, Prisma.sql`(SELECT 1 + count(*) FROM "gone")`)}),
    "recorded" AS (${insertChanges(records)} RETURNING *),
    "told" AS (${insertAlike('recorded', others)})
    SELECT count(*)::text FROM "written"`;
}

const isReady = Prisma.sql`(SELECT "is" FROM "ready")`;

function nameOf(table: string): Prisma.Sql {
  return Prisma.raw(`"${table}"`);
}
