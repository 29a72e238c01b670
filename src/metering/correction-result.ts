// The result of voiding or amending an event.
import { invalidUsage } from './usage-result.js';
import type { EventResult, UnchangedResult } from './usage-result.js';

export const correctionOutcomes = {
  voided: 'The event was voided and no longer counts.',
  amended: 'The event was amended and counts with its new values.',
  unchanged: 'The event already had these values. Nothing changed.',
  already_voided: 'The event was voided earlier. Nothing changed.',
  not_found: 'No event has this source and ID. Nothing changed.',
  invalid: 'A field is invalid. Nothing changed.',
} as const;

export type CorrectionOutcome = keyof typeof correctionOutcomes;

type CorrectedOutcome = 'voided' | 'amended';

export type CorrectionResult =
  EventResult<CorrectedOutcome> | UnchangedResult<Exclude<CorrectionOutcome, CorrectedOutcome>>;

export const unchanged: CorrectionResult = { outcome: 'unchanged', message: 'the event already has these values' };

export const alreadyVoided: CorrectionResult = { outcome: 'already_voided', message: 'the event was voided before' };

export const notFound: CorrectionResult = { outcome: 'not_found', message: 'no event has this source and id' };

/** The event's month is closed, so its contribution to the sums can no longer be determined. */
export const inClosedMonth: CorrectionResult = invalidUsage('time', 'must be within the retained usage');

/** The request names the event twice. */
export const namedTwice: CorrectionResult = invalidUsage('id', 'must be unique');
