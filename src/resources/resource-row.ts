// Metadata and events of a row, for every kind of resource that has them.
import type { ReachableWorkspace } from '../access/caller.js';
import type { RequestContext } from '../context.js';
import { Prisma } from '../database/client/client.js';
import type { Keyed } from '../database/select-page.js';
import { timestampFromJson } from './resource.js';
import type { CoreEvent, Metadata } from './resource.js';

/** Columns of the metadata beside the name. */
export const metadataColumns = {
  displayName: Prisma.sql`r."display_name"`,
  externalId: Prisma.sql`r."external_id"`,
  labels: Prisma.sql`r."labels"`,
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
export interface ResourceRow extends Keyed {
  name: string;
  workspaceId?: string;
  displayName?: string | null;
  externalId?: string | null;
  labels?: Record<string, string> | null;
  createdAt?: string;
  updatedAt?: string;
  createdBy?: string | null;
  updatedBy?: string | null;
  events?: EventRow[] | null;
}

/** @param url address of the resource's endpoint, for the kinds that have one. */
export function metadataFromRow(workspace: ReachableWorkspace, row: ResourceRow, url?: string): Metadata {
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
