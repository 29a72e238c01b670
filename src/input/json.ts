import { ApiError } from '../errors.js';
import { inputLimits, requireWithin } from './limits.js';
import type { InputLimits } from './limits.js';

/** 400 `invalid_request`: the text is not JSON. */
export class InvalidJson extends ApiError {
  constructor(input: string) {
    super('invalid_request', `${input} is not valid JSON.`);
  }
}

/**
 * Parses JSON, after a scan of the bytes has checked its depth and its counts.
 *
 * @param input the part of the request, as the subject of a sentence.
 * @throws 400 `invalid_request`; {@link InvalidJson} if it is not JSON.
 */
export function parseJson(bytes: Buffer, input = 'The body', limits: InputLimits = inputLimits): unknown {
  requireScanned(bytes, input, limits);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new InvalidJson(input);
  }
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openingBracket, closingBracket, openingBrace, closingBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts outside of strings: the nesting of brackets, and the values separated by commas. */
function requireScanned(bytes: Buffer, input: string, limits: InputLimits): void {
  let depth = 0;
  let values = 1;
  let entries = 1;
  let kind: 'keys' | 'items' = 'items';
  const outer: { entries: number; kind: 'keys' | 'items' }[] = [];
  let isText = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (isText) {
      if (byte === backslash) index++;
      else if (byte === quote) isText = false;
    } else if (byte === quote) isText = true;
    else if (byte === comma) {
      requireWithin(limits, 'values', ++values, input);
      requireWithin(limits, kind, ++entries, input);
    } else if (byte === openingBracket || byte === openingBrace) {
      requireWithin(limits, 'depth', ++depth, input);
      outer.push({ entries, kind });
      entries = 1;
      kind = byte === openingBrace ? 'keys' : 'items';
    } else if (byte === closingBracket || byte === closingBrace) {
      depth--;
      ({ entries, kind } = outer.pop() ?? { entries: 1, kind: 'items' });
    }
  }
}

/** Parses JSON that another program wrote. @returns undefined for another text */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
