// What becomes of an event that came in.
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
  /** Of what is invalid: the field, and the rule that it breaks. */
  field?: InvalidUsage['field'] | undefined;
  message?: string | undefined;
  /** The amounts that are not kept as they were given, when there are any. */
  rounded?: readonly UsageField[] | undefined;
}

export function invalidUsage(field: InvalidUsage['field'], rule: string): UsageResult {
  return { outcome: 'invalid', field, message: `${field} ${rule}` };
}
