// How resources come in: checked by the specification's rules once, then kept as rows with their events.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { displayName, externalId, labels, resourceName, searchDocument, status } from './resource.js';

export const eventInput = z.object({
  time: z.iso.datetime(),
  type: z.string().optional(),
  status: z.string().optional(),
  message: z.string().optional(),
  revision: z.string().optional(),
  canaryRevision: z.string().optional(),
});

const metadataInput = z.object({
  name: resourceName,
  displayName: displayName.optional(),
  externalId: externalId.optional(),
  labels: labels.optional(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  createdBy: z.string().optional(),
  updatedBy: z.string().optional(),
});

/** What has a name, and was made and changed by somebody, with its events. */
export const namedInput = z.object({
  id: z.uuid().optional(),
  metadata: metadataInput.omit({ externalId: true, labels: true }),
  events: z.array(eventInput).default([]),
});

/** A resource with what the platform itself knows of it: when, by whom, its status and its events. */
export const resourceInput = z.object({
  /** Given where a resource must keep its identity; made up otherwise. */
  id: z.uuid().optional(),
  metadata: metadataInput,
  status: status.optional(),
  events: z.array(eventInput).default([]),
});

type Checked = Omit<z.output<typeof resourceInput>, 'metadata'>;
type CheckedMetadata = z.output<typeof metadataInput>;

/** A row under the names of its columns, and its events. */
export interface NewRow {
  row: Record<string, unknown> & { id: string };
  events: Record<string, unknown>[];
}

/** The row of a resource that has the whole of Metadata, a status and a spec. */
export function newResourceRow(
  workspaceId: string,
  input: Checked & { metadata: CheckedMetadata },
  spec: unknown,
): NewRow {
  const { externalId: external_id, labels: given } = input.metadata;
  return newRow(workspaceId, input, {
    ...namedRow(input.metadata),
    external_id,
    labels: given,
    status: input.status,
    spec,
  });
}

/** The columns of the metadata of everything that has a name, and that somebody made. */
export function namedRow(metadata: Omit<CheckedMetadata, 'externalId'>): Record<string, unknown> {
  return {
    name: metadata.name,
    display_name: metadata.displayName,
    created_at: metadata.createdAt,
    updated_at: metadata.updatedAt,
    created_by: metadata.createdBy,
    updated_by: metadata.updatedBy,
    search: searchDocument(metadata),
  };
}

export function newRow(
  workspaceId: string,
  input: Pick<Checked, 'id' | 'events'>,
  columns: Record<string, unknown>,
): NewRow {
  const id = input.id ?? randomUUID();
  return {
    row: { ...columns, id, workspace_id: workspaceId },
    events: input.events.map(({ canaryRevision, ...rest }) => ({
      ...rest,
      id: randomUUID(),
      resource_id: id,
      canary_revision: canaryRevision,
    })),
  };
}

/** Inserts rows of one table with their events, all or none; inside a transaction of the caller as well. */
export async function insertRows(db: Pick<Database, '$executeRaw'>, table: string, rows: NewRow[]): Promise<void> {
  const name = Prisma.raw(`"${table}"`);
  const events = rows.flatMap((each) => each.events);
  // An order of magnitude faster than createMany for batches of this kind, and atomic by itself.
  await db.$executeRaw(Prisma.sql`
    WITH "inserted" AS (
      INSERT INTO ${name}
      SELECT * FROM json_populate_recordset(NULL::${name}, ${JSON.stringify(rows.map(({ row }) => row))}::json)
    )
    INSERT INTO "core_event"
    SELECT * FROM json_populate_recordset(NULL::"core_event", ${JSON.stringify(events)}::json)`);
}
