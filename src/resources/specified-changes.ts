// Creates, updates, deletes and redeploys the resources that are directly in a workspace and have Metadata and a
// specification. A kind says how its resources differ (`SpecifiedKind`).
import { z } from 'zod';
import { authorizeResourceChange } from '../auth/authorize.js';
import type { AuthorizedWorkspace } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import type { Scope } from '../auth/scopes.js';
import type { EncryptedTable, RowEncryption } from '../encryption.js';
import { newResourceId } from '../schema/resource-id.js';
import { resourceOrigin } from '../schema/resource-origin.js';
import { metadata } from '../schema/resource.js';
import type { Resource } from '../store/read/resource.js';
import type { SpecifiedRow } from '../store/read/resource-row.js';
import type { ActionInput, CreationInput, UpdateInput } from '../store/write/change-input.js';
import { createResource, deleteResource, updateResource } from '../store/write/change.js';
import { redeployResource } from '../store/write/redeploy.js';
import { changedRow, metadataInput, newSpecifiedRow } from '../store/write/row-columns.js';
import { readChanged, readNew } from '../store/write/specified-input.js';
import type { PreconditionOf } from '../store/write/specified-input.js';
import type { Writable } from '../store/write/writable.js';

/** How resources of a kind are written, and the scopes for it. */
export interface SpecifiedKind<Spec extends object> extends Writable<SpecifiedRow<Spec>> {
  /** The scope `update` also redeploys. */
  scopes: Record<'create' | 'update' | 'delete', Scope>;
  input: ReturnType<typeof specifiedInput<z.ZodType<Spec>>>;
  preconditionOf: PreconditionOf;
  /** For kinds whose specification can contain secrets. */
  secrets?: {
    table: EncryptedTable;
    /** The specification to store: new secrets are encrypted, unchanged ones stay as they are stored. */
    stored: (encryption: RowEncryption, spec: Spec, before?: Spec) => Spec;
    /** A stored specification in the form of an input. */
    masked: (spec: Spec) => object;
  };
  /** Throws if a locked resource cannot be deleted. */
  checkDeletion?: (within: AuthorizedWorkspace, current: Resource<SpecifiedRow<Spec>>) => Promise<void>;
}

/** The schema of a new or updated resource. */
export function specifiedInput<Schema extends z.ZodType>(spec: Schema) {
  return z.object({ metadata, spec, origin: resourceOrigin.optional() });
}

/**
 * Creates a resource.
 *
 * @throws 400 `invalid_input` with every violated rule; 403; 409 `name_taken`.
 */
export async function createSpecified<Spec extends object>(
  ctx: RequestContext,
  kind: SpecifiedKind<Spec>,
  input: CreationInput,
): Promise<Resource<SpecifiedRow<Spec>>> {
  const within = await authorizeResourceChange(ctx, kind.scopes.create, kind.kind, input);
  const { metadata: given, spec, origin } = await readNew(within, kind.preconditionOf, kind.input, input);
  const id = newResourceId(ctx.now());
  const row = newSpecifiedRow(within, { metadata: given, spec: storedSpec(ctx, kind, id, spec) }, origin);
  const precondition = kind.preconditionOf(within, spec);
  return createResource(within, kind, { id, row }, { validateOnly: input.validateOnly, precondition });
}

/**
 * Updates a resource: omitted fields stay unchanged, null clears a field, lists are replaced. What is inside moves along to
 * another region.
 *
 * @throws 400 `invalid_input`; 403; 404; 409 `version_mismatch`.
 */
export async function updateSpecified<Spec extends object>(
  ctx: RequestContext,
  kind: SpecifiedKind<Spec>,
  input: UpdateInput,
): Promise<Resource<SpecifiedRow<Spec>>> {
  const within = await authorizeResourceChange(ctx, kind.scopes.update, kind.kind, input);
  return updateResource(within, kind, input, ({ id, row }) => {
    const current = { metadata: metadataInput(row), spec: kind.secrets?.masked(row.spec) ?? row.spec };
    const { metadata: changed, spec } = readChanged(kind.input, current, input);
    return {
      row: changedRow(row, { metadata: changed, spec: storedSpec(ctx, kind, id, spec, row.spec) }),
      precondition: kind.preconditionOf(within, spec, row.spec),
    };
  });
}

/**
 * Deletes a resource with those in it, and records the deletion of each.
 *
 * @returns the deleted resource.
 * @throws 403; 404; 409 `version_mismatch`; 409 `in_use` with the resources that use it.
 */
export async function deleteSpecified<Spec extends object>(
  ctx: RequestContext,
  kind: SpecifiedKind<Spec>,
  input: ActionInput,
): Promise<Resource<SpecifiedRow<Spec>>> {
  const within = await authorizeResourceChange(ctx, kind.scopes.delete, kind.kind, input);
  return deleteResource(within, kind, input, kind.checkDeletion);
}

/**
 * Deploys a resource again.
 *
 * @throws 403; 404; 409 `version_mismatch`; 409 `conflict` if it is disabled or is being deleted.
 */
export async function redeploySpecified<Spec extends object>(
  ctx: RequestContext,
  kind: SpecifiedKind<Spec>,
  input: ActionInput,
): Promise<Resource<SpecifiedRow<Spec>>> {
  const within = await authorizeResourceChange(ctx, kind.scopes.update, kind.kind, input);
  return redeployResource(within, kind, input);
}

function storedSpec<Spec extends object>(
  { encryption }: RequestContext,
  { secrets }: SpecifiedKind<Spec>,
  id: string,
  spec: Spec,
  before?: Spec,
): Spec {
  return secrets?.stored(encryption.ofRow(secrets.table, id), spec, before) ?? spec;
}
