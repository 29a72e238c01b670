// The result of recording an event.
import type { InvalidUsage } from './usage-event.js';
import type { UsageEventState } from './usage-event-filter.js';
import type { UsageField } from './usage-shape.js';

export const usageOutcomes = {
  accepted: 'The event was stored, and counts in the hour in which it occurred.',
  duplicate: 'The same event was accepted before. Nothing changed.',
  conflict:
    'The event that was accepted before with the same source and ID has other values now. This event does not count.',
  invalid: 'A field is invalid. The event does not count.',
} as const;

export type UsageOutcome = keyof typeof usageOutcomes;

export interface EventResult<Outcome> {
  outcome: Outcome;
  /** The invalid field of an invalid event. */
  field?: InvalidUsage['field'] | undefined;
  /** Why the request changed nothing. */
  message?: string | undefined;
  /** The fields that were rounded, if any. */
  rounded?: readonly UsageField[] | undefined;
}

/** The result of an event that changed nothing, which says why. */
export interface UnchangedResult<Outcome> extends EventResult<Outcome> {
  message: string;
}

export type UsageResult = EventResult<'accepted'> | UnchangedResult<Exclude<UsageOutcome, 'accepted'>>;

export function invalidUsage(field: InvalidUsage['field'], rule: string): UnchangedResult<'invalid'> {
  return { outcome: 'invalid', field, message: `${field} ${rule}` };
}

/** Returns the result of an event whose identity was recorded before, by the present state of the recorded event. */
export function repeatedUsage(
  outcome: 'duplicate' | 'conflict',
  state: UsageEventState,
): UnchangedResult<'duplicate' | 'conflict'> {
  return { outcome, message: repeatedMessages[outcome][state] };
}

const repeatedMessages: Record<'duplicate' | 'conflict', Record<UsageEventState, string>> = {
  duplicate: {
    active: 'the event was recorded before and counts once',
    amended: 'the event was recorded before and counts once, with these values after an amendment',
    voided: 'the event was recorded before and voided, so it does not count',
  },
  conflict: {
    active: 'another event has the same source and id',
    amended: 'the event with the same source and id was amended and counts with other values',
    voided: 'the event with the same source and id has other values and was voided',
  },
};
