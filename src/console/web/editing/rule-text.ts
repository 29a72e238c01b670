/** The message of a field without the field name, for display next to the field. */
export function ruleOf(path: string, message: string): string {
  const rule = message.startsWith(path) ? message.slice(path.length).replace(/^:?\s*/, '') : message;
  return rule.charAt(0).toUpperCase() + rule.slice(1);
}
