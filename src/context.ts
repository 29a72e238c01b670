import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { AccessTokenVerifier, TokenSettings } from './access/access-token.js';
import type { Authenticator } from './access/authenticate.js';
import type { Caller } from './access/caller.js';
import type { VerificationKeys } from './access/signing-keys.js';
import type { Database } from './database/open.js';
import { invalidRequest, unauthorized } from './errors.js';
import type { Seal } from './seal.js';

/** What the process has one of, made at its start. */
export interface Services {
  db: Database;
  seal: Seal;
  authenticator: Authenticator;
  /** Issuer and audience of access tokens. */
  tokens: TokenSettings;
  tokenVerifier: AccessTokenVerifier;
  verificationKeys: VerificationKeys;
  now: () => Date;
  log: Logger;
  headers: HeaderNames;
  geolocation: GeolocationHeaders;
  /** The header that tells a client's network address, in lower case; that of the connection counts without it. */
  clientAddressHeader: string | undefined;
  defaultVersion: string;
  /** Address by which clients reach this service. */
  publicUrl: string;
  inferenceUrl: string;
  complexityMax: number;
  examples: GraphiqlExamples;
}

/** What GraphiQL opens with: the demo fills it in, otherwise there are places to fill. */
export interface GraphiqlExamples {
  key?: string;
  workspace?: string;
  agent?: string;
  search?: string;
  account?: string;
}

/** Where a viewer seems to be, by the headers of the network in front of the service. */
export interface ViewerPlace {
  /** ISO 3166-1 alpha-2, such as DE. */
  country: string | undefined;
  /** Two letters, such as EU. */
  continent: string | undefined;
  city: string | undefined;
}

/** The names of the headers that say where a viewer is; of several the first that is sent counts. */
export type GeolocationHeaders = Record<keyof ViewerPlace, string[]>;

/** The header names that carry the operator's name (decision 2), in lower case as Node gives them. */
export interface HeaderNames {
  version: string;
  workspace: string;
  authorization: string;
}

/** Everything that an application function may depend on. One is made for each request. */
export interface RequestContext {
  db: Database;
  caller: Caller;
  /** The workspace that the request's header names, if it does (decision 3). */
  workspaceName: string | undefined;
  viewerPlace: ViewerPlace;
  requestId: string;
  now: () => Date;
  seal: Seal;
  /** The global inference address, without a slash at its end. */
  inferenceUrl: string;
  /** What perRequest() has made. */
  made: Map<object, unknown>;
}

export function headerNames(serviceName: string): HeaderNames {
  const name = serviceName.toLowerCase();
  return { version: `${name}-version`, workspace: `x-${name}-workspace`, authorization: `x-${name}-authorization` };
}

/**
 * Finds out who is calling, and makes the context of their request.
 *
 * @throws 401 `unauthorized` without a valid credential.
 */
export async function openContext(
  services: Services,
  headers: IncomingHttpHeaders,
  requestId: string,
): Promise<RequestContext> {
  const caller = await services.authenticator.authenticate(bearerOf(services.headers, headers));
  return {
    db: services.db,
    caller,
    workspaceName: oneHeader(headers, services.headers.workspace),
    viewerPlace: viewerPlace(services.geolocation, headers),
    requestId,
    now: services.now,
    seal: services.seal,
    inferenceUrl: services.inferenceUrl,
    made: new Map(),
  };
}

function viewerPlace(names: GeolocationHeaders, headers: IncomingHttpHeaders): ViewerPlace {
  const first = (candidates: string[]): string | undefined => {
    const name = candidates.find((each) => typeof headers[each] === 'string' && headers[each] !== '');
    return name === undefined ? undefined : decodedHeader(String(headers[name]));
  };
  return { country: first(names.country), continent: first(names.continent), city: first(names.city) };
}

/** City names come percent-encoded from some networks. One that cannot be decoded is taken as it is. */
function decodedHeader(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function bearerOf(names: HeaderNames, headers: IncomingHttpHeaders): string {
  const value = headers.authorization ?? oneHeader(headers, names.authorization);
  if (value === undefined) throw unauthorized('Send an API key or an access token as "Authorization: Bearer …".');
  const bearer = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(value)?.[1];
  if (bearer === undefined) throw unauthorized('The Authorization header is not of the form "Bearer …".');
  return bearer;
}

/** The value of a header of ours; an empty one counts as absent. */
export function oneHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  if (Array.isArray(value) || value?.includes(',')) throw invalidRequest(`The header ${name} must be sent once.`);
  return value === '' ? undefined : value;
}

/**
 * Makes something once for each request: a loader, mostly. It is kept by the context and goes with it. A
 * WeakMap would hold it, and all that it has read, until the next full collection of garbage.
 */
export function perRequest<T extends object>(make: (ctx: RequestContext) => T): (ctx: RequestContext) => T {
  const key = {};
  // Nothing else stores anything under this key.
  const isMade = (value: unknown): value is T => value !== undefined;
  return (ctx) => {
    const known = ctx.made.get(key);
    if (isMade(known)) return known;
    const fresh = make(ctx);
    ctx.made.set(key, fresh);
    return fresh;
  };
}
