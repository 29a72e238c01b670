// Serves /scim/v2: the endpoints by which an identity provider creates, disables and groups the users of an account (SCIM 2.0,
// RFC 7643 and RFC 7644). Every response is JSON of SCIM, errors too.
import type { RequestContext } from '../../auth/context.js';
import { noteChange } from '../../auth/context.js';
import { recordingDeniedRequests } from '../../auth/denied-requests.js';
import { cutText } from '../../errors.js';
import { sendEmpty, sendText } from '../../http/answer.js';
import { readBody } from '../../http/body.js';
import { enter } from '../../http/entrance.js';
import { checkHeaders } from '../../http/exchange.js';
import type { Exchange } from '../../http/exchange.js';
import { failureOf } from '../../http/failure.js';
import { methodNotAllowed } from '../../http/method.js';
import type { TransportServices } from '../../http/transport-services.js';
import { isMatch } from '../../http/validator.js';
import { parseJson } from '../../input/json.js';
import { parseQuery } from '../../input/query.js';
import { discoveryDocuments } from './discovery.js';
import type { Document } from './documents.js';
import { groups, searchParameters, users } from './endpoints.js';
import type { ScimAnswer, ScimRequest } from './endpoints.js';
import { ScimError, errorBody, invalidValue, scimTypeOf } from './scim-error.js';

/** The path prefix of the endpoints. */
export const scimPath = '/scim/v2';

const mediaType = 'application/scim+json; charset=utf-8';

/** A group with 20,000 members fits. */
const bodyRules = {
  bytesMax: 4 * 1024 * 1024,
  mediaTypes: ['application/scim+json', 'application/json'],
  isGzipTaken: true,
};

export function createScimHandler(services: TransportServices): (exchange: Exchange) => Promise<void> {
  const base = `${services.publicUrl}${scimPath}`;
  const documents = discoveryDocuments(base);
  return async (exchange) => {
    try {
      checkHeaders(exchange);
      send(exchange, await answer(services, exchange, base, documents));
    } catch (error) {
      sendScimError(services, exchange, error);
    }
  };
}

async function answer(
  services: TransportServices,
  exchange: Exchange,
  base: string,
  documents: ReadonlyMap<string, Document>,
): Promise<ScimAnswer> {
  if (services.provisionedDomains === undefined) throw unknownPath();
  const path = decoded(exchange.path.slice(scimPath.length)).replace(/\/$/, '');
  const document = documents.get(path);
  if (document !== undefined) return discovered(exchange, path, document);
  const route = routeOf(exchange, path);
  exchange.notes.operation = route.operation;
  exchange.notes.route = `${scimPath}${route.path}`;
  const ctx = await enter(services, exchange, 'scim');
  return recordingDeniedRequests(ctx, route.operation, () => perform(exchange, ctx, base, route));
}

async function perform(exchange: Exchange, ctx: RequestContext, base: string, route: Route): Promise<ScimAnswer> {
  const { request, search } = exchange;
  const body = async () => parseJson((await readBody(request, bodyRules)).bytes);
  const parameters = route.isSearch ? searchParameters(await body()) : queryOf(search);
  const ifMatch = request.headers['if-match'];
  const requireMatch = (etag: string) => {
    if (ifMatch === undefined || isMatch(ifMatch, etag)) return;
    throw new ScimError(412, undefined, `The resource has changed: its version is ${etag}. Read it again.`);
  };
  const answered = route.act({ ctx, base, id: route.id, parameters, body, requireMatch });
  return exchange.method === 'GET' || route.isSearch ? answered : answered.finally(() => noteChange(ctx));
}

/** A document that every client can read. Filters on these are refused (RFC 7644, section 4). */
function discovered(exchange: Exchange, path: string, document: Document): ScimAnswer {
  exchange.notes.operation = 'discover';
  exchange.notes.route = `${scimPath}${path}`;
  if (exchange.method !== 'GET') throw methodNotAllowed(['GET']);
  if (queryOf(exchange.search)['filter'] !== undefined)
    throw new ScimError(403, undefined, 'This endpoint has no filter.');
  return { status: 200, body: document };
}

interface Route {
  operation: string;
  /** With the id in braces. */
  path: string;
  id: string;
  isSearch: boolean;
  act: (request: ScimRequest) => Promise<ScimAnswer>;
}

const kinds = { Users: { noun: 'User', operations: users }, Groups: { noun: 'Group', operations: groups } } as const;

/** @throws {ScimError} 404 for an unknown path, 501 for endpoints of the RFC that this service lacks; 405 */
function routeOf({ method }: Exchange, path: string): Route {
  const [, name = '', id = '', ...more] = path.split('/');
  if ((name === 'Me' || name === 'Bulk') && id === '')
    throw new ScimError(501, undefined, `The endpoint /${name} is not supported.`);
  if ((name !== 'Users' && name !== 'Groups') || more.length > 0) throw unknownPath();
  const { noun, operations } = kinds[name];
  const { list, create, get, replace, patch, remove } = operations;
  const ofList = { GET: ['list', list], POST: ['create', create] } as const;
  const ofOne = {
    GET: ['get', get],
    PUT: ['replace', replace],
    PATCH: ['patch', patch],
    DELETE: ['delete', remove],
  } as const;
  const isSearch = id === '.search';
  const methods: Readonly<Record<string, readonly [string, Route['act']]>> = isSearch
    ? { POST: ['search', list] }
    : id === ''
      ? ofList
      : ofOne;
  const found = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (found === undefined) throw methodNotAllowed(Object.keys(methods));
  const [verb, act] = found;
  const route = isSearch ? `/${name}/.search` : id === '' ? `/${name}` : `/${name}/{id}`;
  return { operation: `${verb}${noun}`, path: route, id, isSearch, act };
}

function unknownPath(): ScimError {
  return new ScimError(404, undefined, 'No endpoint has this path.');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw unknownPath();
  }
}

/** @throws {ScimError} 400 for a parameter that is repeated; 400 for one that is not percent-encoded UTF-8. */
function queryOf(search: string): Document {
  const parameters: Document = {};
  for (const [name, value] of parseQuery(search)) {
    if (Object.hasOwn(parameters, name)) throw invalidValue(`${cutText(name, 40)} must be sent once.`);
    parameters[name] = value;
  }
  return parameters;
}

function send({ response }: Exchange, { status, body, etag, location }: ScimAnswer): void {
  const headers = { ...(etag === undefined ? {} : { etag }), ...(location === undefined ? {} : { location }) };
  if (body === undefined) sendEmpty(response, status, headers);
  else sendText(response, status, JSON.stringify(body), { 'content-type': mediaType, ...headers });
}

function sendScimError({ log }: TransportServices, exchange: Exchange, error: unknown): void {
  const { response, notes } = exchange;
  if (error instanceof ScimError) {
    const { status, scimType, message } = error;
    notes.error = scimType ?? String(status);
    sendText(response, status, JSON.stringify(errorBody(status, scimType, message)), { 'content-type': mediaType });
    return;
  }
  const failure = failureOf(exchange, log, error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const text = JSON.stringify(errorBody(failure.status, scimTypeOf(failure), failure.message));
  sendText(response, failure.status, text, { 'content-type': mediaType, ...failure.headers });
}
