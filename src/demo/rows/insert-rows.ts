// Rows of the sample data: validated against the rules of the specification, and inserted many at a time with their past
// events. Only the demo and fixtures of tests write like this, and no request.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { appendChanges } from '../../changes/change-rows.js';
import type { ChangeRow } from '../../changes/change-rows.js';
import type { ChangeAction, ChangeKind } from '../../changes/change-subjects.js';
import { Prisma } from '../../database/client/client.js';
import { runAtOnce } from '../../database/transaction.js';
import type { Statements } from '../../database/transaction.js';
import { isEncryptedTable } from '../../encryption.js';
import type { Encryption } from '../../encryption.js';
import { growthOf, sumOfGrowth } from '../../quotas/growth.js';
import type { CountedRow, Growth } from '../../quotas/growth.js';
import { coreEvent, metadata, searchDocument, status, timestamp } from '../../schema/resource.js';
import { kindOfRows, resourceKinds } from '../../resource-kinds.js';
import type { ResourceTable } from '../../resource-kinds.js';
import { withSecrets } from '../../store/write/encrypted-spec.js';
import type { SecretSpec } from '../../store/write/encrypted-spec.js';
import { importedLabelsStatement } from '../../store/write/label-history.js';

/** A past event, which therefore has a time. */
export const eventInput = coreEvent.required({ time: true });

const metadataInput = metadata
  .pick({ name: true, displayName: true, externalId: true, labels: true, createdBy: true, updatedBy: true })
  .extend({ createdAt: timestamp, updatedAt: timestamp });

/** A given id, for rows that keep their identity; a new one by default. */
export const givenId = z.uuid().default(() => randomUUID());

/** The number of changes up to now, the creation included. */
export const givenVersion = z.int().min(1).default(1);

/** A named resource with its metadata and events. */
export const namedInput = z.object({
  id: givenId,
  version: givenVersion,
  metadata: metadataInput.omit({ externalId: true, labels: true }),
  events: z.array(eventInput).default([]),
});

/** A resource with the fields that the platform sets: times, principals, status and events. */
export const resourceInput = z.object({
  id: givenId,
  version: givenVersion,
  metadata: metadataInput,
  status: status.optional(),
  events: z.array(eventInput).default([]),
});

type EventInput = z.output<typeof eventInput>;

/** A resource of a kind with a specification, as its schema returns it. */
interface CheckedResource {
  id: string;
  version: number;
  metadata: z.output<typeof metadataInput>;
  status?: string | undefined;
  spec: SecretSpec & Record<string, unknown>;
  events: EventInput[];
}

/** A row by column name, and its events. */
export interface NewRow {
  row: Record<string, unknown> & { id: string; workspace_id: string; name?: unknown };
  events: EventInput[];
}

/**
 * Returns the function that inserts resources of one kind into one workspace, with their events and with their secrets
 * encrypted, all or none. It throws a `ZodError` if one of them breaks a rule of the specification.
 *
 * @param ownColumns the columns that only this kind has.
 */
export function insertionOf<Checked extends CheckedResource, Input>(
  table: ResourceTable,
  schema: z.ZodType<Checked, Input>,
  ownColumns: (checked: Checked) => Record<string, unknown> = () => ({}),
) {
  const { hasStatus, hasLabels } = resourceKinds[kindOfRows(table)];
  return async (db: Writing, encryption: Encryption, workspaceId: string, inputs: Input[]): Promise<void> => {
    const rows = inputs.map((input) => {
      const checked = schema.parse(input);
      const { id, metadata, status: state, spec } = checked;
      return newRow(workspaceId, checked, {
        name: metadata.name,
        display_name: metadata.displayName,
        created_at: metadata.createdAt,
        updated_at: metadata.updatedAt,
        created_by: metadata.createdBy,
        updated_by: metadata.updatedBy,
        search: searchDocument(metadata),
        ...(hasLabels && { external_id: metadata.externalId, labels: metadata.labels }),
        ...(hasStatus && { status: state }),
        spec: isEncryptedTable(table) ? withSecrets(spec, encryption.ofRow(table, id).encrypt) : spec,
        ...ownColumns(checked),
      });
    });
    await insertRows(db, table, rows);
  };
}

export function newRow(
  workspaceId: string,
  { id, version = 1, events }: { id: string; version?: number; events: EventInput[] },
  columns: Record<string, unknown>,
): NewRow {
  return { row: { ...columns, id, workspace_id: workspaceId, version }, events };
}

/**
 * Inserts rows of one table and workspace, and their events as change records. Call it in a transaction.
 *
 * @throws 409 `quota_exceeded`, `budget_exceeded`
 */
export async function insertRows(db: Writing, table: ResourceTable, rows: NewRow[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const name = Prisma.raw(`"${table}"`);
  // A single statement is ten times as fast as createMany.
  const keys = [...new Set(rows.flatMap(({ row }) => Object.keys(row)))];
  const columns = Prisma.raw(keys.map((key) => `"${key}"`).join(', '));
  await db.$executeRaw(Prisma.sql`
    INSERT INTO ${name} (${columns})
    SELECT ${columns} FROM json_populate_recordset(NULL::${name}, ${JSON.stringify(rows.map(({ row }) => row))}::json)`);
  const labeled = rows.flatMap(({ row }) => (row['labels'] === undefined ? [] : [row]));
  if (labeled.length > 0) await db.$executeRaw(importedLabelsStatement(kindOfRows(table), labeled));
  const account = Prisma.sql`(SELECT "account_id" FROM "workspace" WHERE "id" = ${first.row.workspace_id}::uuid)`;
  const changes = rows.flatMap(({ row: { id, workspace_id: workspaceId, name: given }, events }) =>
    pastChanges(kindOfRows(table), workspaceId, { id, name: typeof given === 'string' ? given : undefined, events }),
  );
  const growths = rows.flatMap(({ row }) => growthOf(kindOfRows(table), undefined, countedRow(row)));
  await appendPast(db, account, changes, sumOfGrowth(growths));
}

/** The database, or a transaction of Prisma's client: loading takes longer than a transaction of a request may. */
export type Writing = Pick<Statements, '$executeRaw'>;

/** Appends changes at once. @see appendChanges @throws 409 `quota_exceeded`, `budget_exceeded` */
export async function appendPast(db: Writing, ...[account, rows, growths]: AppendedChanges): Promise<void> {
  await appendChanges({ $defer: runAtOnce(db) }, account, rows, growths);
}

type AppendedChanges = [account: string | Prisma.Sql, rows: readonly ChangeRow[], growths?: readonly Growth[]];

/** A new row, as quotas count it. */
function countedRow({ workspace_id: workspaceId, ...row }: NewRow['row']): CountedRow {
  const containerId = row['job_id'] ?? row['sandbox_id'] ?? row['egress_gateway_id'];
  return {
    workspaceId,
    spec: row['spec'],
    status: typeof row['status'] === 'string' ? row['status'] : null,
    containerId: typeof containerId === 'string' ? containerId : undefined,
  };
}

/** Events from before the import become change records without a principal. */
export function pastChanges(
  kind: ChangeKind,
  workspaceId: string,
  { id, name, events }: { id: string; name: string | undefined; events: readonly EventInput[] },
): ChangeRow[] {
  return events.map(({ canaryRevision, ...event }) => ({
    ...event,
    canary_revision: canaryRevision,
    workspace_id: workspaceId,
    kind,
    resource_id: id,
    name,
    verb: verbOf(event.type),
    actor_kind: 'system',
  }));
}

function verbOf(type: string | undefined): ChangeAction {
  return type === 'creation' ? 'created' : 'status';
}
