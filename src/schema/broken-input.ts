import { ApiError, invalidInput } from '../errors.js';
import type { Problem } from '../errors.js';

/** 400 `invalid_input`, with what the input says nevertheless: other rules may look at what of it is sound. */
export class BrokenInput extends ApiError {
  /** It may hold secrets, so nobody finds it who writes out what an error has. */
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
