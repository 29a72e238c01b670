// The result of voiding or amending an event.
import { invalidUsage } from './usage-result.js';
import type { UsageResult } from './usage-result.js';

export const correctionOutcomes = {
  voided: 'The event was voided and no longer counts.',
  amended: 'The event was amended and counts with its new values.',
  unchanged: 'The event already had these values. Nothing changed.',
  already_voided: 'The event was voided earlier. Nothing changed.',
  not_found: 'No event has this source and ID. Nothing changed.',
  invalid: 'A field is invalid. Nothing changed.',
} as const;

export type CorrectionOutcome = keyof typeof correctionOutcomes;

export interface CorrectionResult extends Omit<UsageResult, 'outcome'> {
  outcome: CorrectionOutcome;
}

/** The event's month is closed, so its contribution to the sums can no longer be determined. */
export const inClosedMonth: CorrectionResult = {
  ...invalidUsage('time', 'must be within the retained usage'),
  outcome: 'invalid',
};

/** The request names the event twice. */
export const namedTwice: CorrectionResult = { ...invalidUsage('id', 'must be unique'), outcome: 'invalid' };
