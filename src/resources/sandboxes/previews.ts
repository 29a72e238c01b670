import { authorizeScope, authorizeWorkspace, requireChanger } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import { Prisma } from '../../database/client/client.js';
import type { PartialResource, Resource } from '../../store/read/resource.js';
import type { GroupCount } from '../../store/read/grouping.js';
import type { ListInput, ListPage } from '../../store/read/list-input.js';
import { readGroups } from '../../store/read/read-groups.js';
import type { GroupsInput } from '../../store/read/read-groups.js';
import { readByIds, readByName } from '../../store/read/read-one.js';
import { readPage } from '../../store/read/read-page.js';
import { deleteResource } from '../../store/write/change.js';
import { regionPrecondition } from '../../store/write/region-precondition.js';
import type { Writable } from '../../store/write/writable.js';
import { namedColumnsOf } from '../../store/write/row-columns.js';
import { previewFromRow, previewKind } from './preview.js';
import type { PreviewRow } from './preview.js';
import { sandboxKind } from './sandbox.js';
import type { SandboxRow } from './sandbox.js';

export const writablePreviews: Writable<PreviewRow> = {
  kind: previewKind,
  columnsOf: namedColumnsOf,
  shown: previewFromRow,
  containerId: ({ sandboxId }) => sandboxId,
  preconditionOf: regionPrecondition,
  region: Prisma.sql`coalesce(r."spec"->>'region', (
    SELECT s."spec"->>'region' FROM "sandbox" AS s WHERE s."id" = r."sandbox_id"))`,
};

/** One page of the previews of one sandbox. @throws 400 for an invalid cursor or search; 403. */
export async function listPreviews(
  ctx: RequestContext,
  sandbox: PartialResource<SandboxRow>,
  input: ListInput,
): Promise<ListPage<PartialResource<PreviewRow>>> {
  const within = authorizeWorkspace(ctx, 'admin', sandbox.workspace.name);
  return readPage(within, previewKind, input, sandbox.id);
}

/** Counts the previews of one sandbox by the value of a field. @throws 400; 403. */
export async function countPreviews(
  ctx: RequestContext,
  sandbox: PartialResource<SandboxRow>,
  input: GroupsInput,
): Promise<GroupCount[]> {
  const within = authorizeWorkspace(ctx, 'admin', sandbox.workspace.name);
  return readGroups(within, previewKind, input, sandbox.id);
}

/** One preview by its name. @throws 403; 404 for an unknown name. */
export async function getPreview(
  ctx: RequestContext,
  sandbox: PartialResource<SandboxRow>,
  input: { name: string; columns?: ReadonlySet<string> },
): Promise<PartialResource<PreviewRow>> {
  const within = authorizeWorkspace(ctx, 'admin', sandbox.workspace.name);
  return readByName(within, previewKind, { ...input, parentId: sandbox.id });
}

/** Previews by id, in the order of the ids; null for ids that do not exist or are not accessible. @throws 403 */
export async function findPreviews(
  ctx: RequestContext,
  ids: readonly string[],
): Promise<(Resource<PreviewRow> | null)[]> {
  const within = authorizeScope(ctx, 'admin');
  return readByIds(within, previewKind, ids);
}

/**
 * Deletes a preview (specification, DELETE /sandboxes/{sandboxName}/previews/{previewName}).
 *
 * @returns the deleted resource; its last event is the deletion.
 * @throws 403 without `admin`, or if the workspace is not accessible; 404 for an unknown sandbox or preview.
 */
export async function deletePreview(
  ctx: RequestContext,
  input: { workspace?: string | null | undefined; sandbox: string; preview: string },
): Promise<Resource<PreviewRow>> {
  const within = authorizeWorkspace(ctx, 'admin', input.workspace);
  requireChanger(within.workspace);
  const owner = { kind: sandboxKind, name: input.sandbox };
  return deleteResource(within, writablePreviews, { name: input.preview, owner });
}
