// The header Idempotency-Key (IETF draft draft-ietf-httpapi-idempotency-key-header): a string in structured fields (RFC
// 9651, section 3.3.3). The quotes are optional, because most clients omit them.
import type { IncomingHttpHeaders } from 'node:http';
import { invalidRequest } from '../errors.js';

const keyLengthMax = 255;

const quoted = /^"((?:[\x20\x21\x23-\x5B\x5D-\x7E]|\\["\\])*)"$/;
/** Excludes the comma, with which Node joins repeated headers. */
const bare = /^[\x20\x21\x23-\x2B\x2D-\x7E]*$/;

/** Returns the key of a request, if any. @throws 400 `invalid_request` for a malformed key or several keys. */
export function idempotencyKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  const text = String(header).trim();
  const key = quoted.exec(text)?.[1]?.replaceAll(/\\(["\\])/g, '$1') ?? (bare.test(text) ? text : undefined);
  if (key === undefined) {
    throw invalidRequest(
      'The header Idempotency-Key must be sent once, with printable ASCII characters: a string in quotes, or a value ' +
        'without quotes and commas.',
    );
  }
  if (key === '' || key.length > keyLengthMax) {
    throw invalidRequest(`The header Idempotency-Key must have 1 to ${keyLengthMax} characters.`);
  }
  return key;
}
