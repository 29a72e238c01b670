// Bodies of requests: form-encoded as the RFCs have them, or JSON, which existing clients send.
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { OauthError } from '../access/oauth/oauth-error.js';

const bodyBytesMax = 32 * 1024;

/** The parameters of a request; an empty one counts as absent. */
export type Parameters = ReadonlyMap<string, string>;

/** @throws `invalid_request` for another media type, a body that is too long, and a parameter that is repeated. */
export async function readParameters(request: IncomingMessage): Promise<Parameters> {
  const mediaType = mediaTypeOf(request);
  if (mediaType !== 'application/x-www-form-urlencoded' && mediaType !== 'application/json') {
    throw new OauthError('invalid_request', 'Send the parameters as application/x-www-form-urlencoded or as JSON.');
  }
  const text = await readText(request);
  const entries = mediaType === 'application/json' ? jsonEntries(text) : [...new URLSearchParams(text)];
  const parameters = new Map<string, string>();
  for (const [name, value] of entries) {
    if (parameters.has(name)) throw repeated(name);
    parameters.set(name, value);
  }
  for (const [name, value] of parameters) if (value === '') parameters.delete(name);
  return parameters;
}

/** The form of a page, as a browser sends it. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  if (mediaTypeOf(request) !== 'application/x-www-form-urlencoded') {
    throw new OauthError('invalid_request', 'This address takes forms alone.');
  }
  return new URLSearchParams(await readText(request));
}

function mediaTypeOf(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

const jsonBody = z.record(z.string(), z.string().nullable());

/** An object of texts. JSON.parse keeps the last of several members of one name, so they are counted. */
function jsonEntries(text: string): [string, string][] {
  const parsed = jsonBody.safeParse(jsonOf(text));
  if (!parsed.success) throw new OauthError('invalid_request', 'The body must be a JSON object of texts.');
  const names = [...text.matchAll(/"(?:[^"\\]|\\.)*"\s*(:)?/gs)].filter(([, colon]) => colon !== undefined);
  if (names.length !== Object.keys(parsed.data).length)
    throw new OauthError('invalid_request', 'A member is repeated.');
  return Object.entries(parsed.data).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, value]],
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What is not JSON is no object either: the schema refuses it.
    return undefined;
  }
}

function repeated(name: string): OauthError {
  return new OauthError(
    'invalid_request',
    `The parameter ${name.replaceAll(/[^\w-]/g, '?').slice(0, 40)} is repeated.`,
  );
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    // What is too long is read to its end and dropped, so that the answer arrives.
    if (bytes <= bodyBytesMax) chunks.push(part);
  }
  if (bytes > bodyBytesMax) throw new OauthError('invalid_request', `A body may have at most ${bodyBytesMax} bytes.`);
  return Buffer.concat(chunks).toString('utf8');
}
