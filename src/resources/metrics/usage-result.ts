// What becomes of an event that came in.
import type { UsageField } from './usage-event.js';

export const usageOutcomes = {
  accepted: 'It is kept, and counted in its own hour from now on.',
  duplicate: 'The same event was accepted before. Nothing changed.',
  conflict: 'Another event of the same source and id was accepted before. This one is not counted.',
  invalid: 'A field breaks a rule. It is not counted.',
} as const;

export type UsageOutcome = keyof typeof usageOutcomes;

export interface UsageResult {
  outcome: UsageOutcome;
  /** Of what is invalid: the field, and the rule that it breaks. */
  field?: UsageField | undefined;
  message?: string | undefined;
}

export function invalidUsage(field: UsageField, rule: string): UsageResult {
  return { outcome: 'invalid', field, message: `${field} ${rule}` };
}
