// What becomes of an event that was to be voided or amended.
import { invalidUsage } from './usage-result.js';
import type { UsageResult } from './usage-result.js';

export const correctionOutcomes = {
  voided: 'It counts no more.',
  amended: 'It counts as it is now.',
  unchanged: 'It was that already.',
  voided_before: 'It had been voided before. Nothing changed.',
  not_found: 'There is no event of that source and id. Nothing changed.',
  invalid: 'A field breaks a rule. Nothing changed.',
} as const;

export type CorrectionOutcome = keyof typeof correctionOutcomes;

export interface CorrectionResult extends Omit<UsageResult, 'outcome'> {
  outcome: CorrectionOutcome;
}

/** Of an event whose month was closed: it cannot be told any more what it added to. */
export const inClosedMonth: CorrectionResult = {
  ...invalidUsage('time', 'lies before the usage that is kept'),
  outcome: 'invalid',
};

/** Of an event that is named twice at once. */
export const namedTwice: CorrectionResult = { ...invalidUsage('id', 'must be named once'), outcome: 'invalid' };
