// Parses the query of a URL, for every transport.
import { invalidParameter } from '../errors.js';

/**
 * Parses a query (application/x-www-form-urlencoded). The parser of the URL standard replaces bytes that are not UTF-8, so
 * that a search would be for another text.
 *
 * @param search the query without `?`.
 * @throws 400 `invalid_parameter` for a parameter that is not percent-encoded UTF-8 (RFC 3986, sections 2.1 and 2.5).
 */
export function parseQuery(search: string): URLSearchParams {
  const broken = search.split('&').find((parameter) => !isEncoded(parameter));
  if (broken === undefined) return new URLSearchParams(search);
  const [name = ''] = new URLSearchParams(broken).keys();
  throw invalidParameter(name, 'must be percent-encoded UTF-8, with % written as %25');
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
