// Rules that concern several fields, or several items of a list.
import type { z } from 'zod';
import type { ProblemCode } from '../error-codes.js';

/** The context of a refinement. */
export type Rules = Pick<z.core.$RefinementCtx<unknown>, 'addIssue'>;

/** Adds a problem. @param path the field, from the shape. @param rule the end of a sentence: `must be a string`. */
export function refuse(rules: Rules, path: (string | number)[], code: ProblemCode, rule: string): void {
  rules.addIssue({ code: 'custom', path, message: rule, params: { code } });
}

/**
 * Runs a rule despite other problems, so that one error reports all of them, unless a field that the rule
 * reads has the wrong type.
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
 * Adds a problem for each item of a list with the same key as an earlier item. Items without a key are unique.
 *
 * @param field the field of the item that the problem names.
 */
export function refuseRepeated<Item>(
  rules: Rules,
  items: readonly Item[],
  field: string,
  keyOf: (item: Item) => string | undefined,
  rule: string,
): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const key = keyOf(item);
    if (key === undefined) continue;
    if (seen.has(key)) refuse(rules, [index, field], 'duplicate', rule);
    seen.add(key);
  }
}
