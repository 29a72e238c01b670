import { ApiError, invalidInput } from '../errors.js';
import type { Problem } from '../errors.js';

/**
 * Runs what reads the parts of an input, each refusing its own, so that what several refuse is told at once.
 *
 * @throws what one of them throws alone; 400 `invalid_input` with what several refuse; at once what is not 400.
 */
export function refuseTogether(readers: Record<string, () => unknown>): void {
  const refusals = Object.values(readers).flatMap(refusalOf);
  const [only, ...others] = refusals;
  if (only !== undefined) throw others.length === 0 ? only : invalidInput(refusals.flatMap(problemsOf));
}

function refusalOf(read: () => unknown): ApiError[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    return [error];
  }
}

function problemsOf({ problems, field, message }: ApiError): readonly Problem[] {
  return problems ?? [{ path: field?.split('.') ?? [], code: 'invalid_value', message }];
}
