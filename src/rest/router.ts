import type { IncomingMessage, ServerResponse } from 'node:http';
import { oneHeader, openContext } from '../context.js';
import type { Services } from '../context.js';
import { apiErrorFrom } from '../database/failures.js';
import { ApiError, invalidRequest } from '../errors.js';
import { queryParameters } from './input.js';
import type { RestAnswer, Route } from './route.js';
import { routes } from './routes.js';
import { appliedVersion } from './version.js';
import { sendError, sendItems, sendJson, sendText } from './write.js';

/** The path prefix of the major version. */
export const basePath = '/v0';

/** Answers one request below /v0. Every failure ends here, in one writer of errors. */
export async function answerRest(
  services: Services,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
): Promise<void> {
  let version = services.defaultVersion;
  try {
    const header = services.headers.version;
    version = appliedVersion(header, oneHeader(request.headers, header), services.defaultVersion);
    response.setHeader(header, version);
    const answer = await answerRoute(services, request, version, requestId);
    if ('items' in answer) await sendItems(response, answer.items);
    else if ('text' in answer) sendText(response, 200, answer.text);
    else sendJson(response, 200, answer.body);
  } catch (error) {
    const failure = apiErrorFrom(error);
    if (failure.status >= 500) services.log.error({ err: error, requestId }, 'request failed');
    response.setHeader(services.headers.version, version);
    sendError(response, failure);
  }
}

async function answerRoute(
  services: Services,
  request: IncomingMessage,
  version: string,
  requestId: string,
): Promise<RestAnswer> {
  const [path = '', search] = (request.url ?? '').split(/\?(.*)/s);
  const { route, parameters } = matchRoute(request.method ?? '', path.slice(basePath.length));
  const ctx = await openContext(services, request.headers, requestId);
  return route.answer({ ctx, parameters, query: queryParameters(new URLSearchParams(search)), version });
}

interface RouteMatch {
  route: Route;
  parameters: Record<string, string>;
}

/** @throws 404 for an unknown path, 405 with `Allow` for another method on a known one. */
export function matchRoute(method: string, path: string): RouteMatch {
  const matches = routes.flatMap((route): RouteMatch[] => {
    const parameters = parametersOf(route.path, path);
    return parameters === undefined ? [] : [{ route, parameters }];
  });
  const match = matches.find(({ route }) => route.method === method);
  if (match !== undefined) return match;
  if (matches.length === 0) throw new ApiError('not_found', 'There is nothing at this address.');
  const allowed = matches.map(({ route }) => route.method).join(', ');
  throw new ApiError('method_not_allowed', `This address answers ${allowed} only.`, { headers: { Allow: allowed } });
}

function parametersOf(template: string, path: string): Record<string, string> | undefined {
  const expected = template.split('/');
  const given = path.split('/');
  if (expected.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const text = given[index] ?? '';
    if (!part.startsWith('{')) {
      if (part !== text) return undefined;
    } else if (text === '') return undefined;
    else parameters[part.slice(1, -1)] = decoded(text);
  }
  return parameters;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidRequest('The path is not valid percent-encoded UTF-8.');
  }
}
