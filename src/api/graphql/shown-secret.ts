// Secrets in the results of mutations: the field `secret` of a payload.
import type { DryRun } from '../../store/write/change-input.js';

/** The end of the description of a secret. */
export const secretRule = 'Returned only once: store it now. `***` in a dry run.';

/** The new secret. A dry run creates none, so its result has a mask. */
export function shownSecret({ validateOnly }: DryRun, secret: string): string {
  return validateOnly === true ? '***' : secret;
}
