// How a resource of any kind is created, updated and deleted. Each change runs in one transaction, in these steps: lock
// and load the row, check the version and the rules, write the row together with its record in the change log, commit.
// A request with an Idempotency-Key runs them in the transaction that stores its response
// (changes/idempotent-change.ts).
import { workspaceNotAccessible } from '../../auth/authorize.js';
import type { Authorized, AuthorizedWorkspace } from '../../auth/authorize.js';
import type { NewChange } from '../../changes/record-changes.js';
import { Prisma } from '../../database/client/client.js';
import { isUniqueViolation } from '../../database/failures.js';
import { readNames } from '../../database/read-names.js';
import { orRollBack } from '../../database/roll-back.js';
import { ApiError, notFound } from '../../errors.js';
import { resourceKinds } from '../../resource-kinds.js';
import { canBeName, isResourceId } from '../../schema/resource.js';
import { Resource } from '../read/resource.js';
import type { ResourceKind } from '../read/resource-kind.js';
import { rowTimestamp, withEvent } from '../read/resource-row.js';
import { changedFields, changeOf, recordOf } from './change-record.js';
import { lockResourceRow } from './lock-row.js';
import type { Held } from './lock-row.js';
import { ownerId, requireNames, requireOwner } from './read-owner.js';
import { requireVersion } from './require-version.js';
import { isRowServed, workOf, workOfDeletion, workOfNew, workOfUpdate } from './resource-work.js';
import type { Work } from './resource-work.js';
import { withUnmet } from './specified-input.js';
import type { WhichResource, Writable, WritableRow } from './writable.js';
import { deletion, insertion, update, writeRow } from './write-row.js';
import type { Along, Assigning, ColumnValues, Precondition } from './write-row.js';

/** A resource's next state. */
export interface NextRow<Row> {
  row: Row;
  precondition?: Precondition | undefined;
  /** The verb of the change record; `updated` by default. */
  verb?: 'updated' | 'cancelled';
  /** The work to assign to executors, for kinds that executors do not reconcile. */
  assigning?: Assigning | undefined;
}

/** The options of a creation. */
interface Conditions {
  validateOnly?: boolean | null | undefined;
  precondition?: Precondition | undefined;
  /** The work to assign to executors, for kinds that executors do not reconcile. */
  assigning?: Assigning | undefined;
}

/**
 * Creates a resource.
 *
 * @param made its id, its row, and the columns of its parent.
 * @throws 409 `name_taken`; the precondition's error.
 */
export async function createResource<Row extends WritableRow>(
  authorized: AuthorizedWorkspace,
  writable: Writable<Row>,
  made: { id: string; row: Row; place?: Record<string, string> },
  { validateOnly, precondition, assigning }: Conditions = {},
): Promise<Resource<Row>> {
  const { kind, columnsOf } = writable;
  const { id, place } = made;
  const reconciled = workOf(writable);
  return runInTransaction(authorized, validateOnly, async (within) => {
    const work = reconciled && (await workOfNew(within, reconciled, made.row));
    const row = work?.row ?? made.row;
    const values = { ...columnsOf(row), ...place, id, workspace_id: within.workspace.id, version: row.version };
    const resource = whole(within, kind, id, row);
    const change = changeOf(within, kind, 'created', resource, { after: recordOf(writable, resource) });
    try {
      const along = { precondition, assigning: work?.assigning ?? assigning };
      await writeChange(within, insertion(kind.table, values), change, along);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new ApiError('name_taken', `The name ${JSON.stringify(row.name)} is taken by another ${kind.label}.`, {
        field: 'metadata.name',
        cause: error,
      });
    }
    return whole(within, kind, id, withEvent({ ...row, events: null }, within.ctx.now(), change.event));
  });
}

/**
 * Updates a resource. An update that changes nothing leaves no change record and keeps the version.
 *
 * @param next returns the next row from the current one; the version, `updatedAt` and `updatedBy` are set here.
 * @throws 404; 409 `version_mismatch`; the errors of `next` and of its precondition.
 */
export async function updateResource<Row extends WritableRow>(
  authorized: AuthorizedWorkspace,
  writable: Writable<Row>,
  which: WhichResource,
  next: (current: Resource<Row>) => NextRow<Row>,
): Promise<Resource<Row>> {
  const { kind, columnsOf, preconditionOf } = writable;
  const work = workOf(writable);
  return runInTransaction(authorized, which.validateOnly, async (within) => {
    const { resource: current, answer: isServedBefore } = await lockResource(within, writable, which);
    const {
      row: wanted,
      precondition,
      verb = 'updated',
      ...more
    } = await withUnmet(within, preconditionOf, current.row.spec, () => next(current));
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
    // `updatedAt` and `updatedBy` are not compared: the change record has both.
    const done = changedFields(writable, current, whole(within, kind, current.id, begun));
    const fields = [...new Set([...done, ...asked])];
    const records = { before: recordOf(writable, current), after: recordOf(writable, resource), fields };
    const record = changeOf(within, kind, verb, resource, records);
    await writeChange(within, update(kind.table, values), record, { precondition, assigning });
    return withRecordedEvent(within, kind, current, row, record);
  });
}

/**
 * Deletes a resource. Of two concurrent calls, one succeeds.
 *
 * @param preconditionOf returns the precondition for the locked resource, or throws.
 * @returns the resource as it was, its events ending with the deletion (decision 28).
 * @throws 404; 409 `version_mismatch`; the precondition's error.
 */
export async function deleteResource<Row extends WritableRow>(
  authorized: AuthorizedWorkspace,
  writable: Writable<Row>,
  which: WhichResource,
  preconditionOf?: (within: AuthorizedWorkspace, current: Resource<Row>) => Precondition | undefined,
): Promise<Resource<Row>> {
  const { kind, dependents } = writable;
  const work = workOf(writable);
  return runInTransaction(authorized, which.validateOnly, async (within) => {
    const { resource: current, answer: isServed } = await lockResource(within, writable, which);
    const precondition = preconditionOf?.(within, current);
    const conditions = { precondition, dependents: dependents?.(current) };
    if (work !== undefined && isServed && resourceKinds[work.kind].hasStatus)
      return takeDown(within, writable, work, current, conditions);
    const change = changeOf(within, kind, 'deleted', current, { before: recordOf(writable, current) });
    const row = writable.removed?.(current.row, within.ctx.now()) ?? current.row;
    await writeChange(within, deletion(kind.table, current.id), change, conditions);
    return withRecordedEvent(within, kind, current, row, change);
  });
}

/** Assigns the removal of the deployment to an executor. The row stays until the executor reports that it is done. */
async function takeDown<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  { kind }: Writable<Row>,
  work: Work,
  current: Resource<Row>,
  conditions: Pick<Along, 'precondition' | 'dependents'>,
): Promise<Resource<Row>> {
  const { id } = current;
  const status = 'DELETING';
  if (current.row.status === status) return current;
  const before = { status: current.row.status };
  const deleted = changeOf(within, kind, 'deleted', current, { before, after: { status } });
  const change = { ...deleted, verb: 'status', event: { ...deleted.event, status } } as const;
  const assigning = workOfDeletion(within, work);
  await writeChange(within, update(kind.table, { id, status }), change, { ...conditions, assigning });
  return withRecordedEvent(within, kind, current, { ...current.row, status }, change);
}

/** The resource after a change, with the event of the change. */
function withRecordedEvent<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  before: Resource<Row>,
  row: Row,
  { event }: NewChange,
): Resource<Row> {
  const events = before.row.events ?? null;
  return whole(within, kind, before.id, withEvent({ ...row, events }, within.ctx.now(), event));
}

function whole<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  id: string,
  row: Row & { createdAt?: string },
): Resource<Row> {
  return new Resource<Row>(within.ctx, kind, within.workspace, { ...row, id, key: row.createdAt ?? '' });
}

/** An authorization that can open a transaction. */
interface Changing<Within extends Authorized> {
  transaction: <Result>(act: (within: Within) => Promise<Result>) => Promise<Result>;
}

/**
 * Runs a change in a transaction.
 *
 * @param validateOnly whether to roll back the transaction (dry run).
 * @returns the result of the change, also after a dry run.
 */
export async function runInTransaction<Within extends Authorized, Result>(
  authorized: Changing<Within>,
  validateOnly: boolean | null | undefined,
  act: (within: Within) => Promise<Result>,
): Promise<Result> {
  if (validateOnly !== true) return authorized.transaction(act);
  return orRollBack((rollBack) => authorized.transaction(async (within) => rollBack(await act(within))));
}

/**
 * Locks a resource until the transaction ends, and reads whether an executor serves it.
 *
 * @throws 404; 409 `version_mismatch`.
 */
export async function lockResource<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  writable: Writable<Row>,
  { name, parentId = within.workspace.id, owner, ifVersion }: WhichResource,
): Promise<Held<Row>> {
  const { kind } = writable;
  const work = workOf(writable);
  if (owner !== undefined) requireNames(owner);
  const isNamed = 'name' in kind.columns;
  if (isNamed ? !canBeName(name) : !isResourceId(name)) throw notFound(kind.label, name);
  const parent = owner === undefined ? Prisma.sql`${parentId}::uuid` : ownerId(within, owner);
  const held = await lockResourceRow(within, kind, {
    condition: Prisma.sql`${kind.parent ?? Prisma.sql`r."workspace_id"`} = ${parent}
      AND ${isNamed ? Prisma.sql`r."name" = ${name}` : Prisma.sql`r."id" = ${name}::uuid`}`,
    ...(work !== undefined && { question: isRowServed(work) }),
  });
  if (held === undefined && owner !== undefined) await requireOwner(within, owner);
  if (held === undefined) throw notFound(kind.label, name);
  await requireVersion(within, kind.label, held.resource.row, ifVersion);
  return held;
}

/** How many times the write is attempted when the precondition fails but its rows are found afterwards. */
const attemptsMax = 3;

/** Writes a row and its change record. @throws the precondition's error. */
export async function writeChange(
  within: AuthorizedWorkspace,
  writing: Prisma.Sql,
  change: NewChange,
  along: Along,
): Promise<void> {
  const { precondition } = along;
  for (let attempt = 1; ; attempt++) {
    if (await writeRow(within, writing, change, along)) return;
    const workspaces = await within.db.workspace.count({ where: { id: within.workspace.id } });
    if (workspaces === 0) throw workspaceNotAccessible();
    if (precondition === undefined) throw new Error('a locked row does not exist');
    const found = await readNames(within.db, precondition.names);
    // Concurrent changes may have met the precondition by now: try again.
    if (found.size === precondition.count && attempt < attemptsMax) continue;
    throw await precondition.refuse(found);
  }
}
