/** RFC 5321, section 4.5.3.1.3, leaves an email address 254 characters. */
const lengthMax = 254;

/**
 * The one form in which a name of a user or service account is kept, counted and looked up: NFKC, in lower case,
 * without space around it. What was typed in two ways that mean one name is one name.
 *
 * @returns undefined for what nobody can be named: nothing, too much, and text with characters that control or that
 *   nobody sees (NUL, line breaks, joiners, fillers, halves of a character).
 */
export function canonicalUserName(typed: string): string | undefined {
  // What is far too long is not worth normalising.
  if (typed.length > 4 * lengthMax) return undefined;
  const name = typed.normalize('NFKC').trim().toLowerCase().normalize('NFKC');
  return name === '' || name.length > lengthMax || /[\p{C}\p{DI}]/u.test(name) ? undefined : name;
}
