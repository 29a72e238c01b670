// The stored columns of a row by name, and the rows of new and updated resources.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import type { ResourceOrigin } from '../../schema/resource-origin.js';
import { searchDocument } from '../../schema/resource.js';
import type { Status } from '../../schema/resource.js';
import { requireStorable } from '../../schema/values.js';
import { rowTimestamp } from '../read/resource-row.js';
import type { NamedRow, SpecifiedRow } from '../read/resource-row.js';

/** The columns of a row with a name and a spec. */
export function namedColumnsOf(row: NamedRow & { spec: unknown }): Record<string, unknown> {
  return {
    ...commonColumnsOf(row),
    search: searchDocument({ name: row.name, displayName: row.displayName ?? undefined }),
  };
}

function commonColumnsOf(row: NamedRow & { spec: unknown }): Record<string, unknown> {
  return {
    name: row.name,
    display_name: row.displayName,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    created_by: row.createdBy,
    updated_by: row.updatedBy,
    protected: row.protected,
    spec: row.spec,
  };
}

/** The columns of a row with full Metadata, a status and a spec. */
export function specifiedColumnsOf(row: SpecifiedRow<unknown>): Record<string, unknown> {
  const { name, displayName, labels } = row;
  return {
    ...commonColumnsOf(row),
    external_id: row.externalId,
    labels,
    status: row.status,
    search: searchDocument({ name, displayName: displayName ?? undefined, labels: labels ?? undefined }),
  };
}

interface NamedInput {
  name: string;
  displayName?: string | undefined;
  protected?: boolean | undefined;
}

/**
 * The metadata of a resource that the caller creates.
 *
 * @param origin its creation on the platform where it comes from, if it is moved in.
 */
export function newNamedRow(
  { ctx }: AuthorizedWorkspace,
  { name, displayName, ...given }: NamedInput,
  origin: ResourceOrigin | undefined,
): NamedRow {
  const now = rowTimestamp(ctx.now());
  const by = ctx.caller.principal.name;
  return {
    name,
    displayName: displayName ?? null,
    createdAt: origin?.createdAt === undefined ? now : rowTimestamp(new Date(origin.createdAt)),
    updatedAt: now,
    createdBy: origin?.createdBy ?? by,
    updatedBy: by,
    protected: given.protected === true,
    version: 1,
  };
}

/** A row with a name and a spec, with new metadata and a new spec. @throws as of {@link requireStorable}. */
export function changedNamedRow<Row extends NamedRow & { spec: unknown }>(
  row: Row,
  { metadata, spec }: { metadata: NamedInput; spec: Row['spec'] },
): Row {
  requireStorable(spec);
  return { ...row, displayName: metadata.displayName ?? null, protected: metadata.protected === true, spec };
}

interface SpecifiedInput<Spec> {
  metadata: NamedInput & { externalId?: string | undefined; labels?: Record<string, string> | undefined };
  spec: Spec;
}

/** The row of a resource that the caller creates. @param origin as of {@link newNamedRow}. */
export function newSpecifiedRow<Spec extends object>(
  within: AuthorizedWorkspace,
  { metadata, spec }: SpecifiedInput<Spec>,
  origin: ResourceOrigin | undefined,
): SpecifiedRow<Spec> {
  return {
    ...newNamedRow(within, metadata, origin),
    externalId: metadata.externalId ?? null,
    labels: keptLabels(metadata.labels),
    status: statusOf(spec),
    spec,
    events: null,
  };
}

/** A row with new metadata and a new spec. @throws as of {@link requireStorable}. */
export function changedRow<Spec extends object>(
  row: SpecifiedRow<Spec>,
  { metadata, spec }: SpecifiedInput<Spec>,
): SpecifiedRow<Spec> {
  requireStorable(spec);
  return {
    ...row,
    displayName: metadata.displayName ?? null,
    externalId: metadata.externalId ?? null,
    labels: keptLabels(metadata.labels),
    protected: metadata.protected === true,
    status: isEnabled(row.spec) === isEnabled(spec) ? row.status : statusOf(spec),
    spec,
  };
}

/** No labels are stored as null, whichever way the input says it. */
function keptLabels(labels: Record<string, string> | undefined): Record<string, string> | null {
  return labels === undefined || Object.keys(labels).length === 0 ? null : labels;
}

/** The status of a resource without an executor: it reaches its desired state immediately. */
export function statusOf(spec: object): Status {
  return isEnabled(spec) ? 'DEPLOYED' : 'DEACTIVATED';
}

function isEnabled(spec: object): boolean {
  return !('enabled' in spec && spec.enabled === false);
}

/** The metadata of a named resource that a caller may change, in the form of the input. */
export function namedMetadataInput(row: NamedRow): object {
  return { name: row.name, displayName: row.displayName ?? undefined, protected: row.protected ? true : undefined };
}

/** The metadata of a row that a caller may change, in the form of the input. */
export function metadataInput(row: Omit<SpecifiedRow<unknown>, 'spec'>): object {
  return {
    ...namedMetadataInput(row),
    externalId: row.externalId ?? undefined,
    labels: row.labels ?? undefined,
  };
}
