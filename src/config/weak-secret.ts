const placeholder = /change.?me|replace.?(me|this)|placeholder|example|your.?(secret|key)/i;

/** Minimum number of distinct groups of three characters. A random secret of 32 hexadecimal digits has more. */
const groupsMin = 20;

/** Whether a secret is a placeholder from an example, repeats a short pattern, or is a run such as `abcdef`. */
export function isWeakSecret(secret: string): boolean {
  const groups = Array.from({ length: secret.length - 2 }, (_, start) => secret.slice(start, start + 3));
  return placeholder.test(secret) || new Set(groups.filter((group) => !isRun(group))).size < groupsMin;
}

/** Whether the characters are consecutive in Unicode, ascending or descending, ignoring case. */
function isRun(group: string): boolean {
  const [first = 0, second = 0, third = 0] = [...group.toLowerCase()].map((character) => character.codePointAt(0) ?? 0);
  const step = second - first;
  return Math.abs(step) === 1 && third - second === step;
}
