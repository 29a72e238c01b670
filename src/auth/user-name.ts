import { z } from 'zod';

/** RFC 5321, section 4.5.3.1.3, limits an email address to 254 characters. */
const lengthMax = 254;

/**
 * Returns the canonical form in which names of users and service accounts are stored, counted and looked up: NFKC,
 * lower case, trimmed.
 *
 * @returns undefined for an invalid name: empty, too long, or with control or invisible characters (NUL, line breaks,
 * joiners, fillers, lone surrogates).
 */
export function canonicalUserName(typed: string): string | undefined {
  // Do not normalize text that is far too long.
  if (typed.length > 4 * lengthMax) return undefined;
  const name = typed.normalize('NFKC').trim().toLowerCase().normalize('NFKC');
  return name === '' || name.length > lengthMax || /[\p{C}\p{DI}\p{Zl}\p{Zp}]/u.test(name) ? undefined : name;
}

/** Whether a name in its canonical form is an email address. */
export function isEmailAddress(name: string | undefined): name is string {
  return z.email().safeParse(name).success;
}

/**
 * Returns the text to log for the name that somebody typed to sign in. It may be their password, so only an email address is
 * logged.
 */
export function loggedName(typed: string): string {
  const name = canonicalUserName(typed);
  return isEmailAddress(name) ? name : '(not an email address)';
}
