// How a resource is made, changed and removed, whichever kind it is of: authorised by whoever calls, it is read and
// held, checked, written together with its record, and committed.
import { workspaceOutOfReach } from '../access/authorize.js';
import type { AuthorizedWorkspace } from '../access/authorize.js';
import { kindsByTable } from '../changes/change-words.js';
import type { ChangeVerb } from '../changes/change-words.js';
import { fieldsChanged } from '../changes/fields-changed.js';
import type { NewChange } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import { isUniqueViolation } from '../database/failures.js';
import { ApiError, notFound } from '../errors.js';
import { hasStatus } from '../lifecycle/work-kinds.js';
import { concluded } from './concluded.js';
import { Whole } from './found.js';
import { heldRowAnd } from './held-row.js';
import type { Held } from './held-row.js';
import { canBeName, isResourceId } from './resource.js';
import { rowTimestamp, withEvent } from './resource-row.js';
import type { VersionedRow } from './resource-row.js';
import type { ResourceKind } from './resource-kind.js';
import { isRowServed, workOfDeletion, workOfNew, workOfUpdate } from './resource-work.js';
import type { Work } from './resource-work.js';
import { ownerId, requireNames, requireOwner } from './read-owner.js';
import type { Owner } from './read-owner.js';
import { requireVersion } from './require-version.js';
import { deletion, insertion, update, writeRow } from './write-row.js';
import type { Assigning, ColumnValues, Dependents, Needs, Written } from './write-row.js';

/** A row that can be changed. */
export interface WritableRow extends VersionedRow {
  /** Absent for what is known by its id alone. */
  name?: string;
  spec: unknown;
  updatedAt: string;
  /** Of what has one. */
  status?: string | null;
}

/** How resources of a kind are written. */
export interface Writable<Row extends WritableRow> {
  kind: ResourceKind<Row>;
  /** What is stored of a row, under the names of its columns; its id and whose it is are added. */
  columnsOf: (row: Row) => Record<string, unknown>;
  /** A resource as anybody may see it, every secret masked: what the history keeps. */
  shown: (resource: Whole<Row>) => { metadata: object; events?: unknown };
  /** What belongs to one of them and goes with it, each with a record of its own. */
  dependents?: (resource: Whole<Row>) => Dependents;
  /** How executors carry them out, where they do. */
  work?: Work;
}

/** What a row needs to be written, and what to say when that is not so. */
export interface Demands extends Needs {
  /** Why it cannot be written, from the names that were found. */
  refuse: (found: ReadonlySet<string>) => ApiError | Promise<ApiError>;
}

/** Which resource, and on what condition. */
export interface WhichResource {
  /** Its name; its id where the kind has no names. */
  name: string;
  /** The resource that it belongs to, by its id or by its name; the workspace unless one is given. */
  parentId?: string | undefined;
  owner?: Owner | undefined;
  /** The version that it must still have. */
  ifVersion?: number | null | undefined;
  /** Whether everything is done but the change itself. */
  validateOnly?: boolean | null | undefined;
}

/** What a resource is to become. */
export interface NextRow<Row> {
  row: Row;
  demands?: Demands | undefined;
  /** What the history calls it: `updated` unless it is something more particular. */
  verb?: 'updated' | 'cancelled';
  /** What executors get to do of it, where its kind says nothing of that. */
  assigning?: Assigning | undefined;
}

/** What a new resource is made with beside its row. */
interface Conditions {
  validateOnly?: boolean | null | undefined;
  demands?: Demands | undefined;
  /** What executors get to do of it, where its kind says nothing of that. */
  assigning?: Assigning | undefined;
}

/**
 * Makes a resource, by one statement.
 *
 * @param made its id, its row, and the columns that say whose it is.
 * @throws 409 `name_taken`; what `demands` refuse.
 */
export async function createResource<Row extends WritableRow>(
  authorized: AuthorizedWorkspace,
  writable: Writable<Row>,
  made: { id: string; row: Row; place?: Record<string, string> },
  { validateOnly, demands, assigning }: Conditions = {},
): Promise<Whole<Row>> {
  const { kind, columnsOf } = writable;
  const { id, row, place } = made;
  const values = { ...columnsOf(row), ...place, id, workspace_id: authorized.workspace.id, version: row.version };
  const create = async (within: AuthorizedWorkspace) => {
    const work = writable.work && workOfNew(within, writable.work, row);
    const placeholder = work?.assigning.placeholder;
    const resource = whole(within, kind, id, placeholder === undefined ? row : { ...row, status: placeholder });
    const change = changeOf(within, kind, 'created', resource, { after: recordOf(writable, resource) });
    const writing = insertion(kind.table, values, work?.status);
    let written: Written;
    try {
      written = await writeOrRefuse(within, writing, change, { demands, assigning: work?.assigning ?? assigning });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new ApiError('name_taken', `The name ${JSON.stringify(row.name)} is taken: another ${kind.noun} has it.`, {
        field: 'metadata.name',
        cause: error,
      });
    }
    const made = written.status === undefined ? row : { ...row, status: written.status };
    return whole(within, kind, id, withEvent({ ...made, events: null }, within.ctx.now(), change.event));
  };
  // The one statement is all or nothing by itself.
  return validateOnly === true ? concluded(authorized, validateOnly, create) : create(authorized);
}

/**
 * Changes a resource. A change that changes nothing leaves no record, and the version as it is.
 *
 * @param next the row as it is to be, from the row as it is; its version, and who changed it when, are added.
 * @throws 404; 409 `version_mismatch`; what `next` and its demands refuse.
 */
export async function updateResource<Row extends WritableRow>(
  authorized: AuthorizedWorkspace,
  writable: Writable<Row>,
  which: WhichResource,
  next: (current: Whole<Row>) => NextRow<Row>,
): Promise<Whole<Row>> {
  const { kind, columnsOf, work } = writable;
  return concluded(authorized, which.validateOnly, async (within) => {
    const { resource: current, answer: isServedBefore } = await heldResource(within, writable, which);
    const { row: wanted, demands, verb = 'updated', ...more } = next(current);
    const after = whole(within, kind, current.id, wanted);
    const asked = changedFields(writable, current, after);
    if (asked.length === 0) return current;
    const change = { id: current.id, before: current.row, after: after.row, fields: asked, isServedBefore };
    const { row: begun, assigning } =
      work === undefined ? { row: after.row, assigning: more.assigning } : await workOfUpdate(within, work, change);
    const { principal } = within.caller;
    const updatedAt = rowTimestamp(within.ctx.now());
    const row = { ...begun, updatedAt, updatedBy: principal.name, version: current.row.version + 1 };
    const values: ColumnValues = { ...columnsOf(row), id: current.id, version: row.version };
    const resource = whole(within, kind, current.id, row);
    // When and by whom is no change of the resource: the record has both.
    const done = changedFields(writable, current, whole(within, kind, current.id, begun));
    const fields = [...new Set([...done, ...asked])];
    const records = { before: recordOf(writable, current), after: recordOf(writable, resource), fields };
    const record = changeOf(within, kind, verb, resource, records);
    const { events } = await writeOrRefuse(within, update(kind.table, values), record, { demands, assigning });
    return whole(within, kind, current.id, withEvent({ ...row, events }, within.ctx.now(), record.event));
  });
}

/**
 * Removes a resource. Of two callers at the same time one gets it.
 *
 * @param demandsOf what else has to hold of it before it may go, as long as it is held; throws what does not.
 * @returns the resource as it was, its events ending with that of its deletion (decision 28).
 * @throws 404; 409 `version_mismatch`; what its demands refuse.
 */
export async function deleteResource<Row extends WritableRow>(
  authorized: AuthorizedWorkspace,
  writable: Writable<Row>,
  which: WhichResource,
  demandsOf?: (within: AuthorizedWorkspace, current: Whole<Row>) => Demands | undefined,
): Promise<Whole<Row>> {
  const { kind, dependents, work } = writable;
  return concluded(authorized, which.validateOnly, async (within) => {
    const { resource: current, answer: isServed } = await heldResource(within, writable, which);
    const demands = demandsOf?.(within, current);
    const conditions = { demands, dependents: dependents?.(current) };
    if (work !== undefined && isServed && hasStatus(work.kind))
      return takeDown(within, writable, work, current, conditions);
    const change = changeOf(within, kind, 'deleted', current, { before: recordOf(writable, current) });
    const { events } = await writeOrRefuse(within, deletion(kind.table, current.id), change, conditions);
    return whole(within, kind, current.id, withEvent({ ...current.row, events }, within.ctx.now(), change.event));
  });
}

/** Has an executor take a resource down, which is there until that is done. */
async function takeDown<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  { kind }: Writable<Row>,
  work: Work,
  current: Whole<Row>,
  conditions: Pick<WritingConditions, 'demands' | 'dependents'>,
): Promise<Whole<Row>> {
  const { id } = current;
  const status = 'DELETING';
  if (current.row.status === status) return current;
  const row = { ...current.row, status };
  const before = { status: current.row.status };
  const change = changeOf(within, kind, 'deleted', current, { before, after: { status } });
  const told = { ...change, verb: 'status', event: { ...change.event, status } } as const;
  const assigning = workOfDeletion(within, work);
  const { events } = await writeOrRefuse(within, update(kind.table, { id, status }), told, {
    ...conditions,
    assigning,
  });
  return whole(within, kind, id, withEvent({ ...row, events }, within.ctx.now(), told.event));
}

async function heldResource<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  { kind, work }: Writable<Row>,
  { name, parentId = within.workspace.id, owner, ifVersion }: WhichResource,
): Promise<Held<Row>> {
  if (owner !== undefined) requireNames(owner);
  const isNamed = 'name' in kind.columns;
  if (isNamed ? !canBeName(name) : !isResourceId(name)) throw notFound(kind.noun, name);
  const parent = owner === undefined ? Prisma.sql`${parentId}::uuid` : ownerId(within, owner);
  const held = await heldRowAnd(
    within,
    kind,
    Prisma.sql`${kind.parent ?? Prisma.sql`r."workspace_id"`} = ${parent}
      AND ${isNamed ? Prisma.sql`r."name" = ${name}` : Prisma.sql`r."id" = ${name}::uuid`}`,
    work === undefined ? Prisma.sql`false` : isRowServed(work),
  );
  if (held === undefined && owner !== undefined) await requireOwner(within, owner);
  if (held === undefined) throw notFound(kind.noun, name);
  await requireVersion(within, kind.noun, held.resource.row, ifVersion);
  return held;
}

/** How often something is looked for that was there each time when it was asked why it was not. */
const attemptsMax = 3;

interface WritingConditions {
  demands?: Demands | undefined;
  dependents?: Dependents | undefined;
  assigning?: Assigning | undefined;
}

async function writeOrRefuse(
  within: AuthorizedWorkspace,
  writing: Prisma.Sql,
  change: NewChange,
  { demands, dependents, assigning }: WritingConditions,
): Promise<Written> {
  for (let attempt = 1; ; attempt++) {
    const written = await writeRow(within, writing, change, demands, dependents, assigning);
    if (written !== undefined) return written;
    const workspaces = await within.db.workspace.count({ where: { id: within.workspace.id } });
    if (workspaces === 0) throw workspaceOutOfReach();
    if (demands === undefined) throw new Error('a row that was held is gone');
    const names = Prisma.sql`SELECT coalesce(json_agg(n."name"), '[]')::text FROM (${demands.names}) AS n`;
    const found: string[] = JSON.parse(await within.db.$text(names));
    // What was in the way may be gone by now, and what was missing there: then there is nothing to refuse.
    if (found.length === demands.count && attempt < attemptsMax) continue;
    throw await demands.refuse(new Set(found));
  }
}

function recordOf<Row extends WritableRow>({ shown }: Writable<Row>, resource: Whole<Row>): object {
  const { events: _, ...record } = shown(resource);
  return record;
}

function changedFields<Row extends WritableRow>(
  writable: Writable<Row>,
  current: Whole<Row>,
  next: Whole<Row>,
): string[] {
  // A secret that is given anew looks the same in the records.
  const inside = fieldsChanged({ spec: current.row.spec }, { spec: next.row.spec });
  return [...new Set([...fieldsChanged(recordOf(writable, current), recordOf(writable, next)), ...inside])];
}

const events = {
  created: { type: 'creation', status: 'CREATED', word: 'Created' },
  updated: { type: 'update', status: 'UPDATED', word: 'Updated' },
  deleted: { type: 'deletion', status: 'DELETED', word: 'Deleted' },
  cancelled: { type: 'cancellation', status: 'CANCELLED', word: 'Cancelled' },
} as const satisfies Partial<Record<ChangeVerb, object>>;

function changeOf<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  verb: keyof typeof events,
  { id: resourceId, row }: Whole<Row>,
  records: Pick<NewChange, 'before' | 'after' | 'fields'>,
): NewChange {
  const { type, status, word } = events[verb];
  const event = { type, status, message: `${word} by ${within.caller.principal.name}` };
  return { kind: kindsByTable[kind.table], verb, resourceId, name: row.name, version: row.version, ...records, event };
}

function whole<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  id: string,
  row: Row & { createdAt?: string },
): Whole<Row> {
  return new Whole<Row>(within.ctx, kind, within.workspace, { ...row, id, key: row.createdAt ?? '' });
}
