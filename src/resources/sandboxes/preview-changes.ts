import { z } from 'zod';
import { authorizeResource, authorizeWorkspace, requireChanger } from '../../auth/authorize.js';
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import { Prisma } from '../../database/client/client.js';
import { readJson } from '../../database/read-json.js';
import type { Reference, CreationInput, ActionInput, UpdateInput } from '../../store/write/change-input.js';
import { createResource, deleteResource, updateResource } from '../../store/write/change.js';
import type { Resource } from '../../store/read/resource.js';
import type { Writable } from '../../store/write/writable.js';
import { preconditionWithin, readParent } from '../../store/write/read-parent.js';
import { regionPrecondition } from '../../store/write/region-precondition.js';
import { assignWork, rowServedCondition } from '../../store/write/resource-work.js';
import { resourceOrigin } from '../../schema/resource-origin.js';
import { newResourceId } from '../../schema/resource-id.js';
import { changedNamedRow, namedColumnsOf, namedMetadataInput, newNamedRow } from '../../store/write/row-columns.js';
import { keptSpec } from '../../store/write/kept-secrets.js';
import { readChanged, readNew } from '../../store/write/specified-input.js';
import {
  maskedPreviewSpec,
  previewFromRow,
  previewKind,
  previewMetadata,
  previewRegionSql,
  previewSpec,
} from './preview.js';
import type { PreviewRow } from './preview.js';
import { sandboxKind } from './sandbox.js';

export const writablePreviews: Writable<PreviewRow> = {
  kind: previewKind,
  columnsOf: namedColumnsOf,
  shown: previewFromRow,
  containerId: ({ sandboxId }) => sandboxId,
  preconditionOf: regionPrecondition,
  region: previewRegionSql,
};

/** Moves the locked previews of a sandbox: they are deployed in its new region, and removed in the previous one. */
export async function movePreviews(within: AuthorizedWorkspace, sandboxId: string): Promise<void> {
  const work = { kind: 'SANDBOX_PREVIEW', region: previewRegionSql } as const;
  const previews = await readJson<{ id: string; isServed: boolean }[]>(
    within.db,
    Prisma.sql`
      SELECT coalesce(json_agg(json_build_object('id', r."id", 'isServed', ${rowServedCondition(work)})), '[]')::text
      FROM "sandbox_preview" AS r WHERE r."sandbox_id" = ${sandboxId}::uuid AND r."spec"->>'region' IS NULL`,
  );
  for (const { id, isServed } of previews)
    await assignWork(within, work, id, { wanted: isServed ? 'deploy' : 'unassign', leavesRegion: true });
}

const previewInput = z.object({ metadata: previewMetadata, spec: previewSpec, origin: resourceOrigin.optional() });

/** The sandbox of a preview. */
interface OfSandbox {
  sandboxName: string;
}

/**
 * Creates a preview of a sandbox.
 *
 * @throws 400 `invalid_input` with every violated rule; 403; 404 for an unknown sandbox; 409 `name_taken`.
 */
export async function createPreview(
  ctx: RequestContext,
  input: CreationInput & OfSandbox,
): Promise<Resource<PreviewRow>> {
  const within = authorizeWorkspace(ctx, 'sandboxes:update', input.workspace);
  const { metadata, spec, origin } = await readNew(within, regionPrecondition, previewInput, input);
  const sandbox = await readParent(within, sandboxKind, input.sandboxName);
  const owner = { sandboxId: sandbox.id, resourceName: input.sandboxName };
  const id = newResourceId(ctx.now());
  const stored = keptSpec(ctx.encryption.ofRow('sandbox_preview', id), spec);
  const row: PreviewRow = { ...newNamedRow(within, metadata, origin), spec: stored, ...owner, events: null };
  return createResource(
    within,
    writablePreviews,
    { id, row, parentColumns: { sandbox_id: sandbox.id } },
    {
      validateOnly: input.validateOnly,
      precondition: preconditionWithin(sandbox, input.sandboxName, regionPrecondition(within, spec)),
    },
  );
}

/**
 * Updates a preview: omitted fields stay unchanged, null clears a field.
 *
 * @throws 400 `invalid_input`; 403; 404; 409 `version_mismatch`.
 */
export async function updatePreview(ctx: RequestContext, input: UpdateInput<OfSandbox>): Promise<Resource<PreviewRow>> {
  const within = await authorizeResource(ctx, 'sandboxes:update', previewKind, input);
  return updateResource(within, writablePreviews, inSandbox(input), ({ id, row }) => {
    const current = { metadata: namedMetadataInput(row), spec: maskedPreviewSpec(row.spec) };
    const { metadata, spec } = readChanged(previewInput, current, input);
    const stored = keptSpec(ctx.encryption.ofRow('sandbox_preview', id), spec, row.spec);
    return {
      row: changedNamedRow(row, { metadata, spec: stored }),
      precondition: regionPrecondition(within, spec, row.spec),
    };
  });
}

/**
 * Deletes a preview. The caller must be allowed to update its sandbox; the documented REST operation needs `admin`.
 *
 * @returns the deleted resource; its last event is the deletion.
 * @throws 403; 404; 409 `version_mismatch`.
 */
export async function deletePreviewOf(
  ctx: RequestContext,
  input: ActionInput<OfSandbox>,
): Promise<Resource<PreviewRow>> {
  const within = await authorizeResource(ctx, 'sandboxes:update', previewKind, input);
  return deleteResource(within, writablePreviews, inSandbox(input));
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

function inSandbox<Input extends Reference<OfSandbox>>(input: Input) {
  return input.id === undefined ? { ...input, owner: { kind: sandboxKind, name: input.sandboxName } } : input;
}
