// Bodies of requests: form-encoded as the RFCs have them, or JSON, which existing clients send.
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { repeated } from '../../auth/grants/authorization-request.js';
import { OauthError } from '../../auth/grants/oauth-error.js';
import { readBody } from '../../http/body.js';
import { parseJson } from '../../input/json.js';

const formType = 'application/x-www-form-urlencoded';
const jsonType = 'application/json';
const bytesMax = 32 * 1024;
const parametersMax = 100;

/** The parameters of a request; an empty or blank one counts as absent. Those of `resource` are separated by spaces. */
export type Parameters = ReadonlyMap<string, string>;

/** @throws `invalid_request` for a parameter other than `resource` that is repeated, and for more than 100 of them; 413 and 415 as readBody() does. */
export async function readParameters(request: IncomingMessage): Promise<Parameters> {
  const { mediaType, bytes } = await readBody(request, { bytesMax, mediaTypes: [formType, jsonType] });
  const entries = mediaType === jsonType ? jsonEntries(bytes) : [...new URLSearchParams(bytes.toString('utf8'))];
  requireFew(entries.length);
  const parameters = new Map<string, string>();
  for (const [name, value] of entries) {
    const before = parameters.get(name);
    if (before !== undefined && name !== 'resource') throw repeated(name);
    parameters.set(name, before === undefined ? value : `${before} ${value}`.trim());
  }
  for (const [name, value] of parameters) if (value.trim() === '') parameters.delete(name);
  return parameters;
}

/** The values of the parameter `resource`, which can be repeated (RFC 8707, section 2). */
export function resourcesIn(parameters: Parameters): string[] {
  return (parameters.get('resource') ?? '').split(' ').filter((resource) => resource !== '');
}

/** A JSON body. @throws 413 and 415 as readBody() does; 400 if it is not JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const { bytes } = await readBody(request, { bytesMax, mediaTypes: [jsonType] });
  return parseJson(bytes);
}

/** The form of a page, as a browser sends it. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const { bytes } = await readBody(request, { bytesMax, mediaTypes: [formType] });
  return new URLSearchParams(bytes.toString('utf8'));
}

const jsonBody = z.record(z.string(), z.string().nullable());

/** An object of strings. JSON.parse keeps the last of repeated members, so they are counted. */
function jsonEntries(bytes: Buffer): [string, string][] {
  const body = parseJson(bytes);
  if (typeof body === 'object' && body !== null) requireFew(Object.keys(body).length);
  const parsed = jsonBody.safeParse(body);
  if (!parsed.success) throw new OauthError('invalid_request', 'The body must be a JSON object of strings.');
  const names = [...bytes.toString('utf8').matchAll(/"(?:[^"\\]|\\.)*"\s*(:)?/gs)].filter(
    ([, colon]) => colon !== undefined,
  );
  if (names.length !== Object.keys(parsed.data).length)
    throw new OauthError('invalid_request', 'The body has the same member twice.');
  return Object.entries(parsed.data).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, value]],
  );
}

function requireFew(count: number): void {
  if (count > parametersMax) {
    throw new OauthError('invalid_request', `The body must have at most ${parametersMax} parameters.`);
  }
}
