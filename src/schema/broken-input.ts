import { ApiError, invalidInput } from '../errors.js';
import type { Problem } from '../errors.js';

/** 400 `invalid_input` with the valid parts of the input, so that other rules can still be checked. */
export class BrokenInput extends ApiError {
  /** Not enumerable, because it may contain secrets that must not be logged with the error. */
  readonly #value: unknown;

  constructor(
    override readonly problems: readonly Problem[],
    value: unknown,
  ) {
    super('invalid_input', invalidInput(problems).message, { problems });
    this.#value = value;
  }

  get value(): unknown {
    return this.#value;
  }
}
