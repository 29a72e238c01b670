// Headers of this API, including the credential.
import type { IncomingHttpHeaders } from 'node:http';
import { credentialRequired, invalidRequest } from '../errors.js';

/** The header names with the operator's prefix (decision 2), in lower case like Node's. */
export interface HeaderNames {
  version: string;
  workspace: string;
  authorization: string;
}

export function headerNames(serviceName: string): HeaderNames {
  const name = serviceName.toLowerCase();
  return { version: `${name}-version`, workspace: `x-${name}-workspace`, authorization: `x-${name}-authorization` };
}

/** Returns the credential of a request. @throws 401 `unauthorized` without one. */
export function bearerOf(names: HeaderNames, headers: IncomingHttpHeaders): string {
  const value = headers.authorization ?? oneHeader(headers, names.authorization);
  if (value === undefined) throw credentialRequired('Send an API key or an access token as "Authorization: Bearer …".');
  const bearer = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(value)?.[1];
  if (bearer === undefined) throw credentialRequired('The Authorization header is not of the form "Bearer …".');
  return bearer;
}

/** Returns the value of one of our headers; an empty one counts as absent. */
export function oneHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  if (Array.isArray(value) || value?.includes(',')) throw invalidRequest(`The header ${name} must be sent once.`);
  return value === '' ? undefined : value;
}
