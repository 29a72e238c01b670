// How a resource of any kind is created, updated and deleted. Each change runs in one transaction, in these steps: lock and
// load the row, check the version and the rules, write the row together with its record in the change log, commit. A request
// with an Idempotency-Key runs them in the transaction that stores its response (changes/idempotent-change.ts).
import { workspaceOutOfReach } from '../../auth/authorize.js';
import type { Authorized, AuthorizedWorkspace } from '../../auth/authorize.js';
import type { NewChange } from '../../changes/record-changes.js';
import { Prisma } from '../../database/client/client.js';
import { isUniqueViolation } from '../../database/failures.js';
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
import { deletion, insertion, namesFound, update, writeRow } from './write-row.js';
import type { Along, Assigning, ColumnValues, Precondition } from './write-row.js';

/** What a resource is to become. */
export interface NextRow<Row> {
  row: Row;
  precondition?: Precondition | undefined;
  /** What the history calls it: `updated` unless it is something more particular. */
  verb?: 'updated' | 'cancelled';
  /** What executors get to do of it, where its kind says nothing of that. */
  assigning?: Assigning | undefined;
}

/** What a new resource is made with beside its row. */
interface Conditions {
  validateOnly?: boolean | null | undefined;
  precondition?: Precondition | undefined;
  /** What executors get to do of it, where its kind says nothing of that. */
  assigning?: Assigning | undefined;
}

/**
 * Makes a resource.
 *
 * @param made its id, its row, and the columns that say whose it is.
 * @throws 409 `name_taken`; or the precondition fails.
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
      throw new ApiError('name_taken', `The name ${JSON.stringify(row.name)} is taken: another ${kind.noun} has it.`, {
        field: 'metadata.name',
        cause: error,
      });
    }
    return whole(within, kind, id, withEvent({ ...row, events: null }, within.ctx.now(), change.event));
  });
}

/**
 * Changes a resource. A change that changes nothing leaves no record, and the version as it is.
 *
 * @param next the row as it is to be, from the row as it is; its version, and who changed it when, are added.
 * @throws 404; 409 `version_mismatch`; or `next` or its precondition fails.
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
    // When and by whom is no change of the resource: the record has both.
    const done = changedFields(writable, current, whole(within, kind, current.id, begun));
    const fields = [...new Set([...done, ...asked])];
    const records = { before: recordOf(writable, current), after: recordOf(writable, resource), fields };
    const record = changeOf(within, kind, verb, resource, records);
    await writeChange(within, update(kind.table, values), record, { precondition, assigning });
    return told(within, kind, current, row, record);
  });
}

/**
 * Removes a resource. Of two callers at the same time one gets it.
 *
 * @param preconditionOf what else has to hold of it before it may go, as long as it is held; throws what does not.
 * @returns the resource as it was, its events ending with that of its deletion (decision 28).
 * @throws 404; 409 `version_mismatch`; or the precondition fails.
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
    return told(within, kind, current, row, change);
  });
}

/** Has an executor take a resource down, which is there until that is done. */
async function takeDown<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  { kind }: Writable<Row>,
  work: Work,
  current: Resource<Row>,
  conditions: Pick<ChangeAlong, 'precondition' | 'dependents'>,
): Promise<Resource<Row>> {
  const { id } = current;
  const status = 'DELETING';
  if (current.row.status === status) return current;
  const before = { status: current.row.status };
  const deleted = changeOf(within, kind, 'deleted', current, { before, after: { status } });
  const change = { ...deleted, verb: 'status', event: { ...deleted.event, status } } as const;
  const assigning = workOfDeletion(within, work);
  await writeChange(within, update(kind.table, { id, status }), change, { ...conditions, assigning });
  return told(within, kind, current, { ...current.row, status }, change);
}

/** A resource after a change, whose event it tells with those of before. */
function told<Row extends WritableRow>(
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

/** Rolls a transaction back whose change is only validated. */
class Validated<Result> extends Error {
  constructor(readonly result: Result) {
    super('validated');
  }
}

/** The right to change something, which it takes along into a transaction. */
interface Changing<Within extends Authorized> {
  transaction: <Result>(act: (within: Within) => Promise<Result>) => Promise<Result>;
}

/**
 * Runs a change in a transaction.
 *
 * @param validateOnly whether the transaction is rolled back at its end.
 * @returns the result of the change, also if it is rolled back.
 */
export async function runInTransaction<Within extends Authorized, Result>(
  authorized: Changing<Within>,
  validateOnly: boolean | null | undefined,
  act: (within: Within) => Promise<Result>,
): Promise<Result> {
  if (validateOnly !== true) return authorized.transaction(act);
  const rolledBack: { outcome?: Validated<Result> } = {};
  try {
    return await authorized.transaction(async (within) => {
      rolledBack.outcome = new Validated(await act(within));
      throw rolledBack.outcome;
    });
  } catch (error) {
    if (rolledBack.outcome !== undefined && error === rolledBack.outcome) return rolledBack.outcome.result;
    throw error;
  }
}

/**
 * A resource that is to be changed, held until the transaction ends; and whether executors carry it out.
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
  if (isNamed ? !canBeName(name) : !isResourceId(name)) throw notFound(kind.noun, name);
  const parent = owner === undefined ? Prisma.sql`${parentId}::uuid` : ownerId(within, owner);
  const held = await lockResourceRow(within, kind, {
    condition: Prisma.sql`${kind.parent ?? Prisma.sql`r."workspace_id"`} = ${parent}
      AND ${isNamed ? Prisma.sql`r."name" = ${name}` : Prisma.sql`r."id" = ${name}::uuid`}`,
    ...(work !== undefined && { question: isRowServed(work) }),
  });
  if (held === undefined && owner !== undefined) await requireOwner(within, owner);
  if (held === undefined) throw notFound(kind.noun, name);
  await requireVersion(within, kind.noun, held.resource.row, ifVersion);
  return held;
}

/** What goes along with a change. */
export interface ChangeAlong extends Pick<Along, 'dependents' | 'assigning'> {
  precondition?: Precondition | undefined;
}

/** How often something is looked for that was there each time when it was asked why it was not. */
const attemptsMax = 3;

/** @throws if the precondition fails. */
export async function writeChange(
  within: AuthorizedWorkspace,
  writing: Prisma.Sql,
  change: NewChange,
  { precondition, dependents, assigning }: ChangeAlong = {},
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    if (await writeRow(within, writing, change, { needs: precondition, dependents, assigning })) return;
    const workspaces = await within.db.workspace.count({ where: { id: within.workspace.id } });
    if (workspaces === 0) throw workspaceOutOfReach();
    if (precondition === undefined) throw new Error('a row that was held is gone');
    const found = await namesFound(within, precondition);
    // What was in the way may be gone by now, and what was missing there: then there is nothing to refuse.
    if (found.size === precondition.count && attempt < attemptsMax) continue;
    throw await precondition.refuse(found);
  }
}
