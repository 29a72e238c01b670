// Rules that concern several fields, or several items of a list.
import type { z } from 'zod';
import type { ProblemCode } from '../error-codes.js';

/** What a shape's rules are run with. */
export type Rules = Pick<z.core.$RefinementCtx<unknown>, 'addIssue'>;

/** Refuses a field, named from the shape down. @param rule as the end of a sentence. */
export function refuse(rules: Rules, path: (string | number)[], code: ProblemCode, rule: string): void {
  rules.addIssue({ code: 'custom', path, message: rule, params: { code } });
}

/**
 * Runs a rule whatever else is wrong, so that all that is broken is told at once, unless one of the fields that it
 * reads is not even of its type.
 */
export function unlessMistyped(...fields: string[]) {
  return {
    when: ({ issues }: z.core.ParsePayload) =>
      issues.every((issue) => issue.continue === true || isElsewhere(issue.path ?? [], fields)),
  };
}

function isElsewhere([field]: PropertyKey[], fields: string[]): boolean {
  return field !== undefined && !fields.includes(String(field));
}

/**
 * Refuses each item of a list whose key an earlier one has; one without a key is like no other.
 *
 * @param field of the item, which the problem names.
 */
export function refuseRepeated<Item>(
  rules: Rules,
  items: readonly Item[],
  field: string,
  keyOf: (item: Item) => string | undefined,
  rule: string,
): void {
  const taken = new Set<string>();
  for (const [index, item] of items.entries()) {
    const key = keyOf(item);
    if (key === undefined) continue;
    if (taken.has(key)) refuse(rules, [index, field], 'duplicate', rule);
    taken.add(key);
  }
}
