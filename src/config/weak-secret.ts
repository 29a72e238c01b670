const placeholder = /change.?me|replace.?(me|this)|placeholder|example|your.?(secret|key)/i;

/** Fewer different sequences of three characters than a random secret of 32 hexadecimal digits has. */
const sequencesMin = 20;

/** Whether a secret is a placeholder from an example, or repeats a short pattern. */
export function isWeakSecret(secret: string): boolean {
  const sequences = new Set(Array.from({ length: secret.length - 2 }, (_, start) => secret.slice(start, start + 3)));
  return placeholder.test(secret) || sequences.size < sequencesMin;
}
