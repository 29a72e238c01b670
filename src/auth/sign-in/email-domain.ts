/** Returns the domain of a user name in its canonical form; undefined if the name is not an email address. */
export function emailDomain(name: string): string | undefined {
  const at = name.lastIndexOf('@');
  return at < 1 ? undefined : name.slice(at + 1);
}

/**
 * Whether a text is an email address in ASCII with one `@`. Other characters can look like ASCII, or become ASCII when a
 * name is normalized: the full-width form of `acme.com` would pass for `acme.com`.
 */
export function isPlainAddress(text: string): boolean {
  return /^[!-?A-~]+@[!-?A-~]+$/.test(text.trim());
}
