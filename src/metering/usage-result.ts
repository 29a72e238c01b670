// The result of recording an event.
import type { InvalidUsage } from './usage-event.js';
import type { UsageField } from './usage-shape.js';

export const usageOutcomes = {
  accepted: 'The event was stored, and counts in the hour in which it occurred.',
  duplicate: 'The same event was accepted before. Nothing changed.',
  conflict: 'Another event with the same source and ID was accepted before. This event does not count.',
  invalid: 'A field is invalid. The event does not count.',
} as const;

export type UsageOutcome = keyof typeof usageOutcomes;

export interface UsageResult {
  outcome: UsageOutcome;
  /** For an invalid event: the field, and the rule that it breaks. */
  field?: InvalidUsage['field'] | undefined;
  message?: string | undefined;
  /** The fields that were rounded, if any. */
  rounded?: readonly UsageField[] | undefined;
}

export function invalidUsage(field: InvalidUsage['field'], rule: string): UsageResult {
  return { outcome: 'invalid', field, message: `${field} ${rule}` };
}
