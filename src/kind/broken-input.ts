import { ApiError, invalidInput } from '../errors.js';
import type { Problem } from '../errors.js';

/** 400 `invalid_input`, with what the input says nevertheless: other rules may look at what of it is sound. */
export class BrokenInput extends ApiError {
  constructor(
    override readonly problems: readonly Problem[],
    readonly value: unknown,
  ) {
    super('invalid_input', invalidInput(problems).message, { problems });
  }
}
