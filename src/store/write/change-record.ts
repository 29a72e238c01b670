// The change record of a resource, and the event that it adds to the resource.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { fieldsChanged } from '../../changes/fields-changed.js';
import { eventBy } from '../../changes/record-changes.js';
import type { EventfulAction, NewChange } from '../../changes/record-changes.js';
import type { Writable, WritableRow } from './writable.js';
import type { Resource } from '../read/resource.js';
import type { ResourceKind } from '../read/resource-kind.js';

/** A resource in its public form, without events: the change log has them. */
export function recordOf<Row extends WritableRow>({ shown }: Writable<Row>, resource: Resource<Row>): object {
  const { events: _, ...record } = shown(resource);
  return record;
}

/** The paths of the fields that differ between two states of a resource. */
export function changedFields<Row extends WritableRow>(
  writable: Writable<Row>,
  current: Resource<Row>,
  next: Resource<Row>,
): string[] {
  // Two values of a secret look the same in the records, so the stored specs are compared too.
  const inside = fieldsChanged({ spec: current.row.spec }, { spec: next.row.spec });
  return [...new Set([...fieldsChanged(recordOf(writable, current), recordOf(writable, next)), ...inside])];
}

/** A change record by the caller. */
export function changeOf<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  verb: EventfulAction,
  { id: resourceId, row }: Resource<Row>,
  records: Pick<NewChange, 'before' | 'after' | 'fields'>,
): NewChange {
  const event = eventBy(verb, within.caller.principal.name);
  return { kind: kind.name, verb, resourceId, name: row.name, version: row.version, ...records, event };
}
