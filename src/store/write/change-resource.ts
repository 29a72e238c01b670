// How a resource is made, changed and removed, whichever kind it is of: authorised by whoever calls, it is read and
// held, checked, written together with its record, and committed.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import type { NewChange } from '../../changes/record-changes.js';
import { isUniqueViolation } from '../../database/failures.js';
import { ApiError } from '../../errors.js';
import { changedFields, changeOf, recordOf } from './change-record.js';
import { concluded, concludedAtOnce } from './concluded.js';
import { Whole } from '../read/found.js';
import { heldResource } from './held-resource.js';
import { rowTimestamp, withEvent } from '../read/resource-row.js';
import type { ResourceKind } from '../read/resource-kind.js';
import { workOf, workOfDeletion, workOfNew, workOfUpdate } from './resource-work.js';
import type { Work } from './resource-work.js';
import { withUnmet } from './specified-input.js';
import type { WhichResource, Writable, WritableRow } from './writable.js';
import { keepAnswer, writeChange } from './write-change.js';
import type { ChangeAlong, Demands } from './write-change.js';
import { deletion, insertion, update } from './write-row.js';
import type { Assigning, ColumnValues, Written } from './write-row.js';
import { resourceKinds } from '../../resource-kinds.js';

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
    const reconciled = workOf(writable);
    const work = reconciled && workOfNew(within, reconciled, row);
    const placeholder = work?.assigning.placeholder;
    const resource = whole(within, kind, id, placeholder === undefined ? row : { ...row, status: placeholder });
    const change = changeOf(within, kind, 'created', resource, { after: recordOf(writable, resource) });
    const madeIn = (status?: string | null) => {
      const made = { ...row, ...(status === undefined ? {} : { status }), events: null };
      return whole(within, kind, id, withEvent(made, within.ctx.now(), change.event));
    };
    const writing = insertion(kind.table, values, work?.status?.sql);
    const given = { demands, assigning: work?.assigning ?? assigning, answer: madeIn, begins: work?.status?.begins };
    let written: Written;
    try {
      written = await writeChange(within, writing, change, given);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new ApiError('name_taken', `The name ${JSON.stringify(row.name)} is taken: another ${kind.noun} has it.`, {
        field: 'metadata.name',
        cause: error,
      });
    }
    return madeIn(written.status);
  };
  return concludedAtOnce(authorized, validateOnly, create);
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
  const { kind, columnsOf, demandsOf } = writable;
  const work = workOf(writable);
  return concluded(authorized, which.validateOnly, async (within) => {
    const { resource: current, answer: isServedBefore } = await heldResource(within, writable, which);
    const {
      row: wanted,
      demands,
      verb = 'updated',
      ...more
    } = await withUnmet(within, demandsOf, current.row.spec, () => next(current));
    const after = whole(within, kind, current.id, wanted);
    const asked = changedFields(writable, current, after);
    if (asked.length === 0) return unchanged(within, current);
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
    const answer = told(within, kind, current, row, record);
    await writeChange(within, update(kind.table, values), record, { demands, assigning, answer: () => answer });
    return answer;
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
  const { kind, dependents } = writable;
  const work = workOf(writable);
  return concluded(authorized, which.validateOnly, async (within) => {
    const { resource: current, answer: isServed } = await heldResource(within, writable, which);
    const demands = demandsOf?.(within, current);
    const conditions = { demands, dependents: dependents?.(current) };
    if (work !== undefined && isServed && resourceKinds[work.kind].hasStatus)
      return takeDown(within, writable, work, current, conditions);
    const change = changeOf(within, kind, 'deleted', current, { before: recordOf(writable, current) });
    const row = writable.removed?.(current.row, within.ctx.now()) ?? current.row;
    const answer = told(within, kind, current, row, change);
    await writeChange(within, deletion(kind.table, current.id), change, { ...conditions, answer: () => answer });
    return answer;
  });
}

/** Has an executor take a resource down, which is there until that is done. */
async function takeDown<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  { kind }: Writable<Row>,
  work: Work,
  current: Whole<Row>,
  conditions: Pick<ChangeAlong, 'demands' | 'dependents'>,
): Promise<Whole<Row>> {
  const { id } = current;
  const status = 'DELETING';
  if (current.row.status === status) return unchanged(within, current);
  const before = { status: current.row.status };
  const deleted = changeOf(within, kind, 'deleted', current, { before, after: { status } });
  const change = { ...deleted, verb: 'status', event: { ...deleted.event, status } } as const;
  const assigning = workOfDeletion(within, work);
  const answer = told(within, kind, current, { ...current.row, status }, change);
  const writing = update(kind.table, { id, status });
  await writeChange(within, writing, change, { ...conditions, assigning, answer: () => answer });
  return answer;
}

/** What is answered of a change that changes nothing. */
async function unchanged<Row extends WritableRow>(within: AuthorizedWorkspace, current: Whole<Row>) {
  await keepAnswer(within, current);
  return current;
}

/** A resource after a change, whose event it tells with those of before. */
function told<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  before: Whole<Row>,
  row: Row,
  { event }: NewChange,
): Whole<Row> {
  const events = before.row.events ?? null;
  return whole(within, kind, before.id, withEvent({ ...row, events }, within.ctx.now(), event));
}

function whole<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  id: string,
  row: Row & { createdAt?: string },
): Whole<Row> {
  return new Whole<Row>(within.ctx, kind, within.workspace, { ...row, id, key: row.createdAt ?? '' });
}
