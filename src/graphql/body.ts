// Reads the JSON body of a GraphQL request, once, for both ways that a request can take from there.
import type { IncomingMessage } from 'node:http';
import { ApiError, invalidRequest } from '../errors.js';

/** Room for ten thousand usage events in variables. */
const bodyBytesMax = 8 * 1024 * 1024;
const documentLengthMax = 256 * 1024;
const nestingMax = 64;

/**
 * @returns the text of the body, and what it says.
 * @throws 415 for another media type, 413 over 8 MiB or with a document over 256 KiB, 400 for what is not JSON, or nested too deeply.
 */
export async function readJsonBody(request: IncomingMessage): Promise<{ text: string; json: unknown }> {
  const mediaType = request.headers['content-type'] ?? '';
  if (!/^application\/json *(;|$)/i.test(mediaType)) {
    throw new ApiError(
      'unsupported_media_type',
      'A GraphQL request by POST is JSON: send Content-Type: application/json.',
    );
  }
  const charset = /; *charset *= *"?([^";]+)/i.exec(mediaType)?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8') {
    throw new ApiError('unsupported_media_type', 'A JSON body is UTF-8.');
  }
  const text = await readText(request);
  if (nestingOf(text) > nestingMax) throw invalidRequest(`The body may be nested ${nestingMax} levels deep.`);
  const json = parseJson(text);
  const document = typeof json === 'object' && json !== null && 'query' in json ? json.query : '';
  if (typeof document === 'string' && document.length > documentLengthMax) {
    throw tooLarge(`A GraphQL document may have at most ${documentLengthMax} characters.`);
  }
  return { text, json };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidRequest('The body is not valid JSON.');
  }
}

/** By events, which cost a tenth of what reading the stream as an iterable does. */
function readText(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bodyBytesMax) chunks.push(chunk);
      else reject(tooLarge(`A request body may have at most ${bodyBytesMax} bytes.`));
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    request.on('error', reject);
  });
}

function tooLarge(message: string): ApiError {
  return new ApiError('payload_too_large', message, { headers: { Connection: 'close' } });
}

const [quote, backslash, opening, closing] = ['"', '\\', '[{', ']}'];

/** How deep brackets nest outside of strings: what is nested by the thousand overflows whoever walks through it. */
function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let place = 0; place < text.length; place++) {
    const character = text.charAt(place);
    if (isText) {
      if (character === backslash) place++;
      else if (character === quote) isText = false;
    } else if (character === quote) isText = true;
    else if (opening.includes(character)) deepest = Math.max(deepest, ++depth);
    else if (closing.includes(character)) depth--;
  }
  return deepest;
}
