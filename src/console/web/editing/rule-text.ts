/** A sentence about a field, beside the field: without its name. */
export function ruleOf(path: string, message: string): string {
  const rule = message.startsWith(path) ? message.slice(path.length).replace(/^:?\s*/, '') : message;
  return rule.charAt(0).toUpperCase() + rule.slice(1);
}
