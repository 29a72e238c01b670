import { invalidParameter } from '../errors.js';
import { disguise, nameForPeople } from '../schema/text.js';

const lengthMax = 63;
const name = nameForPeople(lengthMax);

/** Checks a name for people that is an argument of its own. @throws 400 `invalid_parameter` with the rule that it breaks */
export function requireNameForPeople(field: string, text: string): void {
  if (name.safeParse(text).success) return;
  throw invalidParameter(field, disguise(text) ?? `must be 1 to ${lengthMax} characters, without control characters`);
}
