// Metadata and events of a row, for every kind of resource that has them.
import { z } from 'zod';
import type { ReachableWorkspace } from '../access/caller.js';
import type { RequestContext } from '../context.js';
import { Prisma } from '../database/client/client.js';
import { timestamp, timestampFromJson } from './resource.js';
import type { CoreEvent, Metadata, Status } from './resource.js';
import type { ResourceKeys, ResourceKind } from './resource-kind.js';

/** Columns of whatever has a name, and was made and changed by somebody. */
export const namedColumns = {
  name: Prisma.sql`r."name"`,
  displayName: Prisma.sql`r."display_name"`,
  createdAt: Prisma.sql`r."created_at"`,
  updatedAt: Prisma.sql`r."updated_at"`,
  createdBy: Prisma.sql`r."created_by"`,
  updatedBy: Prisma.sql`r."updated_by"`,
};

/**
 * The newest hundred events, newest first. Arrays by position: a name and a sort for each of hundreds of
 * events would cost more than all the rest of a page.
 */
export const eventsColumn = Prisma.sql`(
  SELECT json_agg(json_build_array("time", "type", "status", "message", "revision", "canary_revision"))
  FROM (SELECT * FROM "core_event" WHERE "resource_id" = r."id" ORDER BY "time" DESC, "id" DESC LIMIT 100) AS e)`;

/** time, type, status, message, revision, canaryRevision. */
export type EventRow = [string, ...(string | null)[]];

/** A row as the database writes it into JSON. A column that was not asked for is not there. */
export interface NamedRow extends ResourceKeys {
  name: string;
  displayName?: string | null;
  createdAt?: string;
  updatedAt?: string;
  createdBy?: string | null;
  updatedBy?: string | null;
  events?: EventRow[] | null;
}

/** The metadata of whatever has a name, and was made and changed by somebody. */
export const namedMetadataAnswer = z.object({
  name: z.string(),
  displayName: z.string().optional(),
  workspace: z.string().optional(),
  createdAt: timestamp.optional(),
  updatedAt: timestamp.optional(),
  createdBy: z.string().optional(),
  updatedBy: z.string().optional(),
});

export type NamedMetadata = z.output<typeof namedMetadataAnswer>;

export function namedMetadata(workspace: ReachableWorkspace, row: NamedRow): NamedMetadata {
  return {
    name: row.name,
    displayName: row.displayName ?? undefined,
    workspace: workspace.name,
    createdAt: timestampFromRow(row.createdAt),
    updatedAt: timestampFromRow(row.updatedAt),
    createdBy: row.createdBy ?? undefined,
    updatedBy: row.updatedBy ?? undefined,
  };
}

/** Columns of the kinds that have the whole of Metadata, a status and a spec. */
const resourceColumns = {
  ...namedColumns,
  externalId: Prisma.sql`r."external_id"`,
  labels: Prisma.sql`r."labels"`,
  status: Prisma.sql`r."status"`,
  spec: Prisma.sql`r."spec"`,
  events: eventsColumn,
};

/** A kind that has the whole of Metadata, a status and a spec, and a list of its own in each workspace. */
export function specifiedKind<Row extends ResourceKeys, Resource>(
  noun: string,
  table: string,
  fromRow: ResourceKind<Row, Resource>['fromRow'],
): ResourceKind<Row, Resource> {
  return {
    noun,
    table,
    columns: resourceColumns,
    keyColumns: ['name'],
    isCounted: true,
    hasSearchIndex: true,
    fromRow,
  };
}

export interface SpecifiedRow<Spec> extends NamedRow {
  externalId?: string | null;
  labels?: Record<string, string> | null;
  status?: Status | null;
  /** Checked when it was written. */
  spec?: Spec;
}

/** Written out: made by spreading, it would cost a page of agents as much as all the rest of its rows. */
function metadataFromRow(workspace: ReachableWorkspace, row: SpecifiedRow<unknown>, url: string | undefined): Metadata {
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
  };
}

/** A resource as the specification prints it. */
export interface SpecifiedResource<Spec> {
  metadata: Metadata;
  spec: Spec;
  status?: Status | undefined;
  events?: CoreEvent[] | undefined;
}

/**
 * @param url address of the resource's endpoint, for the kinds that have one.
 * @param spec the row's own as the caller may see it, or what stands in for one that was not read.
 */
export function resourceFromRow<Spec>(
  workspace: ReachableWorkspace,
  row: SpecifiedRow<unknown>,
  spec: Spec,
  url?: string,
): SpecifiedResource<Spec> {
  return {
    metadata: metadataFromRow(workspace, row, url),
    spec,
    status: row.status ?? undefined,
    events: eventsFromRow(row.events),
  };
}

/** The address of a resource's endpoint (decision 23). */
export function endpointUrl(
  ctx: RequestContext,
  workspace: ReachableWorkspace,
  path: 'agents' | 'sandboxes',
  name: string,
): string {
  return `${ctx.inferenceUrl}/${workspace.name}/${path}/${name}`;
}

/** Events oldest first. */
export function eventsFromRow(rows: EventRow[] | null | undefined): CoreEvent[] {
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
