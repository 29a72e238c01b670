import { updateResource } from '../editing/change-resource.js';
import type { Refusal, Which } from '../editing/change-resource.js';
import { updateBetween } from '../editing/document-text.js';
import { documentOfRecord } from './versions.js';

/** A change whose content was recorded. */
export interface RecordedChange {
  version: number | null;
  before: unknown;
  after: unknown;
}

/**
 * Reverts a change, if nobody has changed the resource since. Changes of its status do not count: a deployment that has
 * started is no reason to keep a mistake.
 *
 * @returns why it failed; undefined on success
 */
export async function rollBack(
  which: Omit<Which, 'version'>,
  { version, before, after }: RecordedChange,
): Promise<string | undefined> {
  const patch = updateBetween(documentOfRecord(after), documentOfRecord(before));
  const update = async (ifVersion: number | undefined) => updateResource({ ...which, version: ifVersion }, patch);
  const refusal = await update(version ?? undefined);
  const conflict = refusal?.conflict;
  if (refusal === undefined || conflict === undefined) return refusal?.message;
  const isStatusOnly = conflict.changedFields.length > 0 && conflict.changedFields.every((field) => field === 'status');
  if (!isStatusOnly || conflict.currentVersion === null) return conflictText(refusal);
  const again = await update(conflict.currentVersion);
  return again?.conflict === undefined ? again?.message : conflictText(again);
}

function conflictText({ message, conflict }: Refusal): string {
  if (conflict === undefined) return message;
  const { updatedBy, changedFields } = conflict;
  return `${updatedBy ?? 'The platform'} changed it since: ${changedFields.join(', ')}. Nothing was changed.`;
}
