// Metadata and events of a row, for every kind of resource that has them.
import type { AccessibleWorkspace } from '../../auth/caller.js';
import type { ChangeEvent } from '../../changes/record-changes.js';
import { Prisma } from '../../database/client/client.js';
import type { ShownResource } from './resource.js';
import { timestampFromJson } from '../../schema/resource.js';
import type { CoreEvent, Metadata, NamedMetadata, Status } from '../../schema/resource.js';

/** Columns of rows with a name, creation and update. */
export const namedColumns = {
  version: Prisma.sql`r."version"`,
  name: Prisma.sql`r."name"`,
  displayName: Prisma.sql`r."display_name"`,
  createdAt: Prisma.sql`r."created_at"`,
  updatedAt: Prisma.sql`r."updated_at"`,
  createdBy: Prisma.sql`r."created_by"`,
  updatedBy: Prisma.sql`r."updated_by"`,
  protected: Prisma.sql`r."protected"`,
};

/** How many events a resource returns, the newest ones (decision 41). */
export const eventsMax = 100;

/**
 * The newest events of the resource from the change log, newest first. Each event is an array of texts: named and
 * sorted fields, or values of several types, would cost more than the rest of a page.
 */
export const eventsColumn = Prisma.sql`(
  SELECT to_json(array_agg(ARRAY["time"::text, "type", "status", "message", "revision", "canary_revision"]))
  FROM (
    SELECT "time", "type", "status", "message", "revision", "canary_revision" FROM "change"
    WHERE "account_id" = (SELECT w."account_id" FROM "workspace" AS w WHERE w."id" = r."workspace_id")
      AND "resource_id" = r."id"
    ORDER BY "sequence" DESC LIMIT ${Prisma.raw(String(eventsMax))}) AS e)`;

/** time (as in JSON or as text), type, status, message, revision, canaryRevision. */
export type EventRow = [string, ...(string | null)[]];

/** The columns of a row as the database writes them into JSON. */
export interface NamedRow extends VersionedRow {
  name: string;
  displayName: string | null;
  createdAt: string;
  updatedAt: string;
  createdBy: string | null;
  updatedBy: string | null;
  /** Whether its deletion is refused. */
  protected: boolean;
}

/** A row with a version. */
export interface VersionedRow {
  /** Incremented by each change. */
  version: number;
}

/** A row with events. */
export interface EventfulRow extends VersionedRow {
  events: EventRow[] | null;
}

/** The columns that each field of the metadata is computed from. */
export const namedMetadataColumns = {
  name: ['name'],
  displayName: ['displayName'],
  workspaceName: [],
  createdAt: ['createdAt'],
  updatedAt: ['updatedAt'],
  createdBy: ['createdBy'],
  updatedBy: ['updatedBy'],
  protected: ['protected'],
} as const;

/** The metadata of a row, from the columns that were read. */
export function namedMetadata(
  workspace: AccessibleWorkspace,
  row: Partial<NamedRow> & { name: string },
): NamedMetadata {
  return {
    name: row.name,
    displayName: row.displayName ?? undefined,
    workspace: workspace.name,
    createdAt: timestampFromRow(row.createdAt),
    updatedAt: timestampFromRow(row.updatedAt),
    createdBy: row.createdBy ?? undefined,
    updatedBy: row.updatedBy ?? undefined,
    protected: row.protected === true ? true : undefined,
  };
}

/** Columns of the kinds with full Metadata, a status and a spec. */
export const specifiedColumns = {
  ...namedColumns,
  externalId: Prisma.sql`r."external_id"`,
  labels: Prisma.sql`r."labels"`,
  status: Prisma.sql`r."status"`,
  spec: Prisma.sql`r."spec"`,
  events: eventsColumn,
};

/** The columns of Metadata. */
export interface MetadataRow extends NamedRow {
  externalId: string | null;
  labels: Record<string, string> | null;
}

export interface SpecifiedRow<Spec> extends MetadataRow, EventfulRow {
  status: Status | null;
  /** Validated when it was written. */
  spec: Spec;
}

/** The columns that each field of Metadata is computed from. */
export const metadataColumns = {
  ...namedMetadataColumns,
  externalId: ['externalId'],
  labels: ['labels'],
  plan: [],
  url: ['name'],
} as const;

/**
 * Fields are listed one by one: with object spread, this would take as long as the rest of a page of agents.
 *
 * @param url the URL of the resource's endpoint, for the kinds that have one.
 */
function metadataFromRow(
  workspace: AccessibleWorkspace,
  row: Partial<MetadataRow> & { name: string },
  url: string | undefined,
): Metadata {
  return {
    name: row.name,
    displayName: row.displayName ?? undefined,
    externalId: row.externalId ?? undefined,
    labels: row.labels ?? undefined,
    plan: workspace.account.plan,
    url,
    workspace: workspace.name,
    createdAt: timestampFromRow(row.createdAt),
    updatedAt: timestampFromRow(row.updatedAt),
    createdBy: row.createdBy ?? undefined,
    updatedBy: row.updatedBy ?? undefined,
    protected: row.protected === true ? true : undefined,
  };
}

/** A resource in the form of the specification. */
export interface SpecifiedResource<Spec> {
  metadata: Metadata;
  spec: Spec;
  status?: Status | undefined;
  events?: CoreEvent[] | undefined;
}

type Described = Omit<ShownResource<object>, 'row'>;

/** The URL of a resource's endpoint, if it has one (decision 23). */
export function endpointUrl(found: Described, name: string): string | undefined {
  const { ctx, kind, workspace } = found;
  return kind.endpointPath && `${ctx.inferenceUrl}/${workspace.name}/${kind.endpointPath}/${name}`;
}

/** The Metadata of a resource, from the columns that were read. */
export function metadataOf(found: Described, row: Partial<MetadataRow> & { name: string }): Metadata {
  return metadataFromRow(found.workspace, row, endpointUrl(found, row.name));
}

/** The response fields of kinds with full Metadata, a status and a spec. */
export function resourceFromRow<Spec>(
  found: ShownResource<SpecifiedRow<unknown>>,
  spec: Spec,
): SpecifiedResource<Spec> {
  const { row } = found;
  return {
    metadata: metadataOf(found, row),
    spec,
    status: row.status ?? undefined,
    events: eventsFromRow(row.events),
  };
}

export function eventsFromRow(rows: EventRow[] | null): CoreEvent[] {
  return (rows ?? []).map(eventFromRow).reverse();
}

function eventFromRow(row: EventRow): CoreEvent {
  const [time, type, status, message, revision, canaryRevision] = row;
  return {
    time: timestampFromJson(time),
    type: type ?? undefined,
    status: status ?? undefined,
    message: message ?? undefined,
    revision: revision ?? undefined,
    canaryRevision: canaryRevision ?? undefined,
  };
}

export function timestampFromRow(text: string | null | undefined): string | undefined {
  return text ? timestampFromJson(text) : undefined;
}

/** A time in the format in which PostgreSQL writes it into JSON in a UTC session. */
export function rowTimestamp(time: Date): string {
  return time.toISOString().replace('Z', '+00:00');
}

/** A row with the event that was just recorded. */
export function withEvent<Row extends EventfulRow>(row: Row, time: Date, event: ChangeEvent): Row {
  const { type, status, message, revision = null, canaryRevision = null } = event;
  const added: EventRow = [rowTimestamp(time), type, status, message, revision, canaryRevision];
  return { ...row, events: [added, ...(row.events ?? [])].slice(0, eventsMax) };
}
