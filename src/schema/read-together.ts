import { ApiError, invalidInput } from '../errors.js';
import type { Problem } from '../errors.js';

/**
 * Reads the parts of an input and reports the problems of all parts together.
 *
 * @throws the error of a single part; 400 `invalid_input` with the problems of several parts; any other error
 *   immediately.
 */
export function readTogether<Read extends object>(readers: { [Part in keyof Read]: () => Read[Part] }): Read {
  const refusals: ApiError[] = [];
  const parts = Object.entries<() => unknown>(readers).map(([name, read]): unknown[] => {
    try {
      return [name, read()];
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400) throw error;
      refusals.push(error);
      return [name];
    }
  });
  const [only, ...others] = refusals;
  if (only !== undefined) throw others.length === 0 ? only : invalidInput(refusals.flatMap(problemsOf));
  return Object.fromEntries(parts);
}

function problemsOf({ problems, field, message }: ApiError): readonly Problem[] {
  return problems ?? [{ path: field?.split('.') ?? [], code: 'invalid_value', message }];
}
