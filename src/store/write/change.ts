// How a resource of any kind is created, updated and deleted. Each change is one transaction:
//
//   begin, lock the workspace and the row → lock the rows of the precondition →
//   write the row, assign work to executors, append to the change log and count quotas, commit
//
// Each line is one round trip: the statements that write are deferred, and sent with COMMIT (database/transaction.ts). The
// change log is appended to last, because that locks the log of the account: writers of one account wait for each other as
// shortly as possible. The same statement changes the use of quotas (quotas/use-quotas.ts). A request with an
// Idempotency-Key runs these steps in the transaction that stores its response (changes/idempotent-change.ts).
import { workspaceNotAccessible } from '../../auth/authorize.js';
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { recordChanges } from '../../changes/record-changes.js';
import type { NewChange } from '../../changes/record-changes.js';
import { Prisma } from '../../database/client/client.js';
import { findJson } from '../../database/read-json.js';
import type { Statements } from '../../database/transaction.js';
import { runInTransaction } from '../../auth/run-in-transaction.js';
import { notFound, unknownId } from '../../errors.js';
import { readReported } from '../../lifecycle/reported.js';
import { isAssignmentKind } from '../../lifecycle/work-kinds.js';
import { growthOf } from '../../quotas/growth.js';
import { resourceKinds } from '../../resource-kinds.js';
import { canBeName } from '../../schema/resource.js';
import { Resource } from '../read/resource.js';
import type { ResourceKind } from '../read/resource-kind.js';
import { rowTimestamp, withEvent } from '../read/resource-row.js';
import type { DryRun } from './change-input.js';
import { changedFields, changeOf, recordOf } from './change-record.js';
import { countedRow, growthOfMove, regionIn } from './count-row.js';
import { changedLabelsCtes, deletedLabelsCtes, newLabelsCtes } from './label-history.js';
import { lockResourceRow } from './lock-row.js';
import type { LockedRow } from './lock-row.js';
import { lockPrecondition, namesSql, requirePrecondition } from './precondition.js';
import type { Precondition } from './precondition.js';
import { ownerId, requireNames, requireOwner } from './read-owner.js';
import { requireUnprotected } from './require-unprotected.js';
import { requireVersion } from './require-version.js';
import {
  assignWork,
  newRowServedCondition,
  noteDeployed,
  rowServedCondition,
  workOf,
  workOfNew,
  workOfUpdate,
} from './resource-work.js';
import { deleteReportedRow, deleteRow, insertRow, updateRow } from './rows.js';
import { withFailedPrecondition } from './specified-input.js';
import type { NamedResource, WhichResource, Writable, WritableRow } from './writable.js';

/** Assigns work to executors after the row is written, for kinds that executors do not reconcile. */
type Assign = (db: Statements) => Promise<void>;

/** A resource's next state. */
export interface NextRow<Row> {
  row: Row;
  precondition?: Precondition | undefined;
  /** The verb of the change record; `updated` by default. */
  verb?: 'updated' | 'cancelled';
  assign?: Assign | undefined;
}

/** The options of a creation. */
interface CreationOptions extends DryRun {
  precondition?: Precondition | undefined;
  assign?: Assign | undefined;
}

/**
 * Creates a resource.
 *
 * @param created its id, its row, and the columns of its parent.
 * @throws 403 if the workspace was deleted; 409 `name_taken`; the precondition's error.
 */
export async function createResource<Row extends WritableRow>(
  authorized: AuthorizedWorkspace,
  writable: Writable<Row>,
  { id, row: newRow, parentColumns }: { id: string; row: Row; parentColumns?: Record<string, string> },
  { validateOnly, precondition, assign }: CreationOptions = {},
): Promise<Resource<Row>> {
  const { kind, columnsOf } = writable;
  const work = workOf(writable);
  return runInTransaction(authorized, validateOnly, async (within) => {
    const valuesOf = (row: Row) => ({ ...columnsOf(row), ...parentColumns, id, workspace_id: within.workspace.id });
    const isServed = await lockWorkspace(within, precondition, work && newRowServedCondition(work, valuesOf(newRow)));
    const { row, next } = work === undefined ? { row: newRow } : workOfNew(work, newRow, isServed);
    const values = { ...valuesOf(row), version: row.version };
    await insertRow(within.db, kind, values, newLabelsCtes(within, kind.name, values));
    await assign?.(within.db);
    if (work !== undefined && next !== undefined) {
      await assignWork(within, work, id, next);
      await noteDeployed(within, work, row);
    }
    const resource = resourceOf(within, kind, id, row);
    const change = changeOf(within, kind, 'created', resource, { after: recordOf(writable, resource) });
    await recordChanges(within, [change], growthOf(kind.name, undefined, countedRow(within, writable, row)));
    const done = withEvent({ ...row, events: null }, within.ctx.now(), change.event);
    return withReports(within, { validateOnly }, resourceOf(within, kind, id, done));
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
    const { id } = current;
    const {
      row: nextRow,
      precondition,
      verb = 'updated',
      assign,
    } = await withFailedPrecondition(within, preconditionOf, current.row.spec, () => next(current));
    const changed = changedFields(writable, current, resourceOf(within, kind, id, nextRow));
    if (changed.length === 0) return current;
    const change = { id, before: current.row, after: nextRow, fields: changed, isServedBefore };
    const { row: begun, next: nextWork } =
      work === undefined ? { row: nextRow } : await workOfUpdate(within, work, change);
    await lockPrecondition(within, precondition);
    const updatedAt = rowTimestamp(within.ctx.now());
    const version = current.row.version + 1;
    const row = { ...begun, updatedAt, updatedBy: within.caller.principal.name, version };
    const values = { ...columnsOf(row), id, version };
    const ctes = changedLabelsCtes(within, kind.name, columnsOf(current.row), values);
    await updateRow(within.db, kind, values, ctes);
    await assign?.(within.db);
    if (work !== undefined && nextWork !== undefined) {
      await assignWork(within, work, id, nextWork);
      if (nextWork.wanted === 'unassign') await noteDeployed(within, work, row);
    }
    // `updatedAt` and `updatedBy` are not compared: the change record has both.
    const done = changedFields(writable, current, resourceOf(within, kind, id, begun));
    const fields = [...new Set([...done, ...changed])];
    const after = resourceOf(within, kind, id, row);
    const records = { before: recordOf(writable, current), after: recordOf(writable, after), fields };
    const record = changeOf(within, kind, verb, after, records);
    const moved = { from: regionIn(current.row.spec), to: regionIn(row.spec) };
    const growths = [
      ...growthOf(kind.name, countedRow(within, writable, current.row), countedRow(within, writable, row)),
      ...(await growthOfMove(within, kind.name, id, moved)),
    ];
    // What is inside is locked by now.
    if (moved.from !== moved.to) await writable.moveDependents?.(within, id);
    await recordChanges(within, [record], growths);
    return withReports(within, which, withRecordedEvent(within, kind, current, row, record));
  });
}

/**
 * Deletes a resource. Of two concurrent calls, one succeeds. If an executor serves it, the executor gets the work of
 * removing the deployment, and the row stays until it reports that this is done.
 *
 * @param check throws if the locked resource cannot be deleted.
 * @returns the resource as it was, its events ending with the deletion (decision 28).
 * @throws 404; 409 `version_mismatch`; 409 `protected` for it or a resource in it; the errors of `check`.
 */
export async function deleteResource<Row extends WritableRow>(
  authorized: AuthorizedWorkspace,
  writable: Writable<Row>,
  which: WhichResource,
  check?: (within: AuthorizedWorkspace, current: Resource<Row>) => Promise<void> | void,
): Promise<Resource<Row>> {
  const { kind, columnsOf, deleteDependents } = writable;
  const work = workOf(writable);
  return runInTransaction(authorized, which.validateOnly, async (within) => {
    const { resource: current, answer: isServed } = await lockResource(within, writable, which);
    const { id } = current;
    requireUnprotected(kind, current.row);
    await check?.(within, current);
    const removal = work !== undefined && isServed && resourceKinds[work.kind].hasStatus ? work : undefined;
    if (removal !== undefined && current.row.status === 'DELETING') return current;
    const dependents = (await deleteDependents?.(within, current)) ?? { changes: [], growths: [] };
    const ctes = deletedLabelsCtes(within, kind.name, { ...columnsOf(current.row), id });
    if (removal !== undefined) {
      await updateRow(within.db, kind, { id, status: 'DELETING' }, ctes);
      await assignWork(within, removal, id, { wanted: 'delete' });
      const change = deletionBegun(within, writable, current);
      await recordChanges(within, [change, ...dependents.changes], dependents.growths);
      const deleting = withRecordedEvent(within, kind, current, { ...current.row, status: 'DELETING' }, change);
      return withReports(within, which, deleting);
    }
    const reported = isAssignmentKind(kind.name)
      ? await deleteReportedRow(within.db, kind, id, ctes)
      : await deleteRow(within.db, kind, id, ctes);
    const change = changeOf(within, kind, 'deleted', current, { before: recordOf(writable, current) });
    const growths = growthOf(kind.name, countedRow(within, writable, current.row), undefined);
    await recordChanges(within, [change, ...dependents.changes], [...growths, ...dependents.growths]);
    const row = writable.removed?.(current.row, within.ctx.now()) ?? current.row;
    const deleted = withRecordedEvent(within, kind, current, row, change);
    if (reported !== undefined) deleted.reported = reported;
    return deleted;
  });
}

/**
 * The change of a resource whose deployment an executor has to remove before it is deleted. It has the whole resource:
 * the executor's report that ends the deletion does not, and a deleted resource can be created again from the change log.
 */
function deletionBegun<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  writable: Writable<Row>,
  current: Resource<Row>,
): NewChange {
  const status = 'DELETING';
  const before = recordOf(writable, current);
  const change = changeOf(within, writable.kind, 'deleted', current, { before, after: { ...before, status } });
  return { ...change, verb: 'status', event: { ...change.event, status } };
}

/** The resource after a change, with the event of the change. */
export function withRecordedEvent<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  before: Resource<Row>,
  row: Row,
  { event }: Pick<NewChange, 'event'>,
): Resource<Row> {
  const events = before.row.events ?? null;
  return resourceOf(within, kind, before.id, withEvent({ ...row, events }, within.ctx.now(), event));
}

/** In a dry run, reads the reports on a changed resource in its transaction, because the change is rolled back afterwards. */
export async function withReports<Row extends object>(
  { db }: AuthorizedWorkspace,
  { validateOnly }: DryRun,
  changed: Resource<Row>,
): Promise<Resource<Row>> {
  if (validateOnly === true) changed.reported = await readReported(db, changed.id);
  return changed;
}

function resourceOf<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  id: string,
  row: Row & { createdAt?: string },
): Resource<Row> {
  return new Resource<Row>(within.ctx, kind, within.workspace, { ...row, id, key: row.createdAt ?? '' });
}

/**
 * Locks the workspace of a new resource, so that it is not deleted until the transaction ends. It is the first lock of
 * every change, as it is of the deletion of a workspace: the two cannot deadlock. The rows of the precondition are locked
 * after it, in the same statement.
 *
 * @param question SQL of a boolean to read with it.
 * @throws 403 if the workspace was deleted; the precondition's error.
 */
async function lockWorkspace(
  { db, workspace }: AuthorizedWorkspace,
  precondition: Precondition | undefined,
  question = Prisma.sql`false`,
): Promise<boolean> {
  const found = await findJson<[boolean, string[]]>(
    db,
    Prisma.sql`
      WITH "locked" AS MATERIALIZED (SELECT FROM "workspace" AS w WHERE w."id" = ${workspace.id}::uuid FOR KEY SHARE)
      SELECT json_build_array((${question}), ${namesSql(precondition)})::text FROM "locked"`,
  );
  if (found === undefined) throw workspaceNotAccessible();
  const [answer, names] = found;
  requirePrecondition(precondition, names);
  return answer;
}

/**
 * Locks a resource until the transaction ends, and reads whether an executor serves it.
 *
 * @throws 404; 409 `version_mismatch`.
 */
export async function lockResource<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  writable: Writable<Row>,
  which: WhichResource,
): Promise<LockedRow<Row>> {
  const { kind } = writable;
  const work = workOf(writable);
  const owner = which.id === undefined ? which.owner : undefined;
  const condition =
    which.id === undefined ? nameCondition(within, kind, which) : Prisma.sql`r."id" = ${which.id}::uuid`;
  const locked = await lockResourceRow(within, kind, {
    condition,
    ...(work !== undefined && { question: rowServedCondition(work) }),
  });
  if (locked === undefined && owner !== undefined) await requireOwner(within, owner);
  if (locked === undefined) throw which.id === undefined ? notFound(kind.label, which.name) : unknownId(kind.label);
  await requireVersion(within, kind.label, locked.resource.row, which.ifVersion);
  return locked;
}

/** SQL condition on the row with a name. @throws 404 `not_found` for a name that is syntactically impossible. */
function nameCondition<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  { name, owner }: NamedResource,
): Prisma.Sql {
  if (owner !== undefined) requireNames(owner);
  if (!canBeName(name)) throw notFound(kind.label, name);
  const parent = owner === undefined ? Prisma.sql`${within.workspace.id}::uuid` : ownerId(within, owner);
  return Prisma.sql`${kind.parent ?? Prisma.sql`r."workspace_id"`} = ${parent} AND r."name" = ${name}`;
}
