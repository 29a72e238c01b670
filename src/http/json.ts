import { invalidRequest } from '../errors.js';

/** The maximum nesting of JSON input: thousands of levels would overflow the stack of recursive code. */
export const nestingMax = 64;

/** The maximum number of values in a body: enough for ten thousand usage events. */
const valuesMax = 200_000;

/**
 * Parses JSON, after a scan of the bytes has checked its nesting and its number of values: a million small values would
 * block the process for longer than their size suggests.
 *
 * @throws 400 `invalid_request`
 */
export function parseJson(bytes: Buffer): unknown {
  const { nesting, values } = measure(bytes);
  if (nesting > nestingMax)
    throw invalidRequest(`The body is nested too deeply. At most ${nestingMax} levels are allowed.`);
  if (values > valuesMax) throw invalidRequest(`The body has too many values. At most ${valuesMax} are allowed.`);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalidRequest('The body is not valid JSON.');
  }
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openingBracket, closingBracket, openingBrace, closingBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The nesting of brackets outside of strings, and the number of values separated by commas. */
function measure(bytes: Buffer): { nesting: number; values: number } {
  let [depth, nesting, values] = [0, 0, 1];
  let isText = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (isText) {
      if (byte === backslash) index++;
      else if (byte === quote) isText = false;
    } else if (byte === quote) isText = true;
    else if (byte === comma) values++;
    else if (byte === openingBracket || byte === openingBrace) nesting = Math.max(nesting, ++depth);
    else if (byte === closingBracket || byte === closingBrace) depth--;
  }
  return { nesting, values };
}
