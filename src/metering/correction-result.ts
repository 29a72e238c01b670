// What becomes of an event that was to be voided or amended.
import { invalidUsage } from './usage-result.js';
import type { UsageResult } from './usage-result.js';

export const correctionOutcomes = {
  voided: 'The event was voided and no longer counts.',
  amended: 'The event was amended and counts with its new values.',
  unchanged: 'The event already had these values. Nothing changed.',
  voided_before: 'The event was voided earlier. Nothing changed.',
  not_found: 'No event has this source and ID. Nothing changed.',
  invalid: 'A field is invalid. Nothing changed.',
} as const;

export type CorrectionOutcome = keyof typeof correctionOutcomes;

export interface CorrectionResult extends Omit<UsageResult, 'outcome'> {
  outcome: CorrectionOutcome;
}

/** Of an event whose month was closed: it cannot be told any more what it added to. */
export const inClosedMonth: CorrectionResult = {
  ...invalidUsage('time', 'is before the start of the retained usage'),
  outcome: 'invalid',
};

/** Of an event that is named twice at once. */
export const namedTwice: CorrectionResult = { ...invalidUsage('id', 'must be named once'), outcome: 'invalid' };
