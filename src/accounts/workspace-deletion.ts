// Deletes a workspace with everything in it and every access to it. The cost of its usage stays with the account.
import { authorizeWorkspace, requireAccountAdmin, workspaceNameOf } from '../auth/authorize.js';
import type { AuthorizedWorkspace } from '../auth/authorize.js';
import type { AccessibleWorkspace } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import type { ChangeKind } from '../changes/change-subjects.js';
import { eventBy, recordInSeveralAccounts } from '../changes/record-changes.js';
import type { NewChange, OtherAccountChange } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import { readJson } from '../database/read-json.js';
import { ApiError } from '../errors.js';
import { growthOf } from '../quotas/growth.js';
import type { CountedRow } from '../quotas/growth.js';
import type { ActionInput } from '../store/write/change-input.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import { deletedWorkspaceLabelsStatement } from '../store/write/label-history.js';
import { requireUnprotected } from '../store/write/require-unprotected.js';
import { lockWorkspace } from './lock-workspace.js';
import { workspaceChange } from './workspace.js';
import {
  containersOf,
  eachKind,
  isKindWith,
  isResourceKind,
  labelOfKind,
  resourceKindNames,
  resourceKinds,
} from '../resource-kinds.js';
import type { ResourceKindName } from '../resource-kinds.js';

export type WorkspaceDeletionInput = ActionInput & {
  /** Whether to delete everything in it as well. */
  force?: boolean | null | undefined;
};

/**
 * Deletes a workspace with all access that is confined to it: memberships, keys, clients and tokens. Its name becomes
 * available; its usage stays, and is billed.
 *
 * @returns the workspace before the deletion.
 * @throws 403 if the caller is not an admin of the account, or if the workspace does not exist; 409 `version_mismatch`;
 * 409 `not_deletable` with its contents, unless `force` is set; 409 `protected` for a protected resource in it.
 */
export async function deleteWorkspace(
  ctx: RequestContext,
  input: WorkspaceDeletionInput,
): Promise<AccessibleWorkspace> {
  const authorized = authorizeWorkspace(ctx, 'workspaces:delete', workspaceNameOf(ctx, input));
  requireAccountAdmin(authorized, 'can create or delete workspaces');
  return runInTransaction(authorized, input.validateOnly, async (within) => {
    // Nothing can be created in it from here on: every creation locks the workspace first.
    const current = await lockWorkspace(within, 'removal', input.ifVersion);
    await lockShares(within);
    const contents = await readContents(within);
    requireEmpty(current, contents, input.force === true);
    for (const { kind, protectedName } of contents) {
      if (protectedName === null) continue;
      requireUnprotected(
        { label: labelOfKind(kind) },
        { name: protectedName, protected: true },
        ', which would be deleted too',
      );
    }
    const event = eventBy('deleted', within.caller.principal.name);
    const changes = workspaceChange(within, 'deleted', { before: current });
    const uses: OtherAccountChange[] = [];
    if (contents.some(({ kind }) => isKindWith('hasLabels', kind)))
      await within.db.$defer(deletedWorkspaceLabelsStatement(within));
    for (const each of deletedTables.filter(({ table }) => contents.some((content) => content.table === table))) {
      const rows = await deleteContents(within, each);
      for (const { counted, ...row } of rows) {
        changes.push({ ...row, kind: each.kind, verb: 'deleted', event });
        if (counted !== null) uses.push(useOf(within, each.kind, counted));
      }
    }
    await within.db.$executeRaw(Prisma.sql`DELETE FROM "workspace" WHERE "id" = ${current.id}::uuid`);
    await recordInSeveralAccounts(within, { changes }, uses);
    return current;
  });
}

/** The resources in a workspace, those in another resource first: the deletion of their parent would leave no records. */
const resourceTables = resourceKindNames
  .toSorted((a, b) => containersOf(b).length - containersOf(a).length)
  .map((kind) => ({ table: resourceKinds[kind].table, kind }));

/**
 * A workspace with rows in one of these tables is not empty. Image shares do not count: other workspaces offer them.
 */
export const workspaceTables = resourceKindNames
  .map((kind) => [resourceKinds[kind].table, kind] as const)
  .filter(([table]) => table !== 'image_share');

/**
 * Locks the image shares from and to a workspace, sorted by id. The deletion of the other workspace locks them too, and
 * without the order the two could deadlock.
 */
async function lockShares({ db, workspace: { id } }: AuthorizedWorkspace): Promise<void> {
  await db.$executeRaw(Prisma.sql`
    SELECT FROM "image_share" WHERE "workspace_id" = ${id}::uuid OR "source_workspace_id" = ${id}::uuid
    ORDER BY "id" FOR UPDATE`);
}

interface Contents {
  table: string;
  kind: ChangeKind;
  count: number;
  /** The name of the first protected resource, if any. */
  protectedName: string | null;
}

/** The tables with rows of a workspace. Nothing can be added while it is locked. */
async function readContents({ db, workspace }: AuthorizedWorkspace): Promise<Contents[]> {
  const counts = deletedTables.map(
    ({ table, kind }) => Prisma.sql`
      SELECT ${table}::text AS "table", ${kind}::text AS "kind", count(*) AS "count",
        ${isKindWith('isApplied', kind) ? Prisma.sql`min("name") FILTER (WHERE "protected")` : Prisma.sql`NULL`} AS "protectedName"
      FROM ${nameOf(table)} WHERE "workspace_id" = ${workspace.id}::uuid`,
  );
  return readJson(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(c), '[]')::text FROM (${Prisma.join(counts, ' UNION ALL ')}) AS c WHERE c."count" > 0`,
  );
}

/** @throws 409 `not_deletable` with the contents, unless the deletion is forced. */
function requireEmpty({ name }: AccessibleWorkspace, contents: readonly Contents[], isForced: boolean): void {
  const holds = workspaceTables.flatMap(([table]) => contents.find((each) => each.table === table) ?? []);
  if (isForced || holds.length === 0) return;
  const counts = holds.map(({ kind, count }) => `${labelOfKind(kind)}: ${count}`).join(', ');
  const message = `The workspace ${name} is not empty (${counts}). Delete its resources first, or call deleteWorkspace with force.`;
  throw new ApiError('not_deletable', message, {
    conflict: { contents: holds.map(({ kind, count }) => ({ kind, count })) },
  });
}

/** A table with rows that are deleted with a workspace, and SQL of the change record of a row `r`. */
interface DeletedTable {
  table: string;
  kind: ChangeKind;
  id: Prisma.Sql;
  name: Prisma.Sql;
  version: Prisma.Sql;
  /** SQL of what quotas count of it (DeletedUse). */
  counted: Prisma.Sql;
}

/** The amounts that quotas count of a deleted resource; the workspace and the account are those of the deletion by default. */
interface DeletedUse extends Omit<CountedRow, 'workspaceId'> {
  workspaceId?: string;
  accountId?: string;
}

const specOfR = Prisma.sql`json_build_object('enabled', r."spec"->'enabled', 'region', r."spec"->'region',
  'parallelism', r."spec"->'parallelism', 'runtime', r."spec"->'runtime')`;

/** The amounts that quotas count of a row `r` of a resource table. Nobody moves its container while the workspace is locked. */
const countedSql: Record<ResourceKindName, Prisma.Sql> = {
  ...eachKind(() => Prisma.sql`json_build_object('spec', ${specOfR})`),
  SANDBOX_PREVIEW: Prisma.sql`json_build_object('spec', ${specOfR}, 'containerRegion', (
    SELECT s."spec"->>'region' FROM "sandbox" AS s WHERE s."id" = r."sandbox_id"))`,
  JOB_EXECUTION: Prisma.sql`json_build_object('status', r."status", 'containerRegion', (
    SELECT j."spec"->>'region' FROM "job" AS j WHERE j."id" = r."job_id"))`,
  EGRESS_IP: Prisma.sql`json_build_object('containerRegion', (
    SELECT g."spec"->>'region' FROM "egress_gateway" AS g WHERE g."id" = r."egress_gateway_id"))`,
  IMAGE: Prisma.sql`json_build_object()`,
  IMAGE_TAG: Prisma.sql`json_build_object()`,
  // A share counts in the workspace that offers it.
  IMAGE_SHARE: Prisma.sql`(
    SELECT json_build_object('status', r."status", 'workspaceId', w."id", 'accountId', w."account_id")
    FROM "workspace" AS w WHERE w."id" = r."source_workspace_id")`,
};

/** The amounts that the deletion of a row adds to the use of quotas. */
function useOf(
  { account, workspace }: AuthorizedWorkspace,
  kind: ChangeKind,
  { accountId = account.id, workspaceId, containerRegion, ...row }: DeletedUse,
): OtherAccountChange {
  // The use of the workspace itself is deleted with it.
  const counted = { ...row, containerRegion: containerRegion ?? undefined, workspaceId: workspaceId ?? null };
  const growths = isResourceKind(kind) ? growthOf(kind, counted, undefined) : [];
  return { accountId, workspaceId: workspaceId ?? workspace.id, growths };
}

const ofResource = { id: Prisma.sql`r."id"`, name: Prisma.sql`r."name"`, version: Prisma.sql`r."version"` };
const ofAccess = { ...ofResource, version: Prisma.sql`NULL::int`, counted: Prisma.sql`NULL::json` };

const deletedTables: readonly DeletedTable[] = [
  ...resourceTables.map((each) => ({
    ...ofResource,
    ...each,
    counted: countedSql[each.kind],
    ...(each.kind === 'JOB_EXECUTION' ? { name: Prisma.sql`NULL` } : {}),
  })),
  {
    ...ofResource,
    table: 'offered_image_share',
    kind: 'IMAGE_SHARE',
    counted: Prisma.sql`json_build_object('status', r."status")`,
  },
  { ...ofAccess, table: 'api_key', kind: 'API_KEY' },
  { ...ofAccess, ...ofResource, table: 'group_role', kind: 'GROUP_ROLE' },
  { ...ofAccess, ...ofResource, table: 'webhook', kind: 'WEBHOOK' },
  {
    ...ofAccess,
    table: 'workspace_member',
    kind: 'MEMBER',
    id: Prisma.sql`r."principal_id"`,
    name: Prisma.sql`(SELECT p."name" FROM "principal" AS p WHERE p."id" = r."principal_id")`,
  },
  // The id of a client is a text.
  { ...ofAccess, table: 'oauth_client', kind: 'OAUTH_CLIENT', id: Prisma.sql`NULL::uuid`, name: Prisma.sql`r."id"` },
];

/** Deletes the rows of a workspace in a table. @returns what to record of each; its last state is in its previous record. */
async function deleteContents(
  { db, workspace }: AuthorizedWorkspace,
  { table, id, name, version, counted }: DeletedTable,
): Promise<(Pick<NewChange, 'resourceId' | 'name' | 'version'> & { counted: DeletedUse | null })[]> {
  return readJson(
    db,
    Prisma.sql`
      WITH "deleted" AS (
        DELETE FROM ${nameOf(table)} AS r WHERE r."workspace_id" = ${workspace.id}::uuid
        RETURNING ${id} AS "resourceId", ${name}::text AS "name", ${version} AS "version",
          ${counted} AS "counted")
      SELECT coalesce(json_agg(d ORDER BY d."name", d."resourceId"), '[]')::text FROM "deleted" AS d`,
  );
}

function nameOf(table: string): Prisma.Sql {
  return Prisma.raw(`"${table}"`);
}
