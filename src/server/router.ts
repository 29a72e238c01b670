import { z } from 'zod';
import { authorizeWorkspace } from '../auth/authorize.js';
import { noteChange, readOfReplica } from '../auth/context.js';
import type { ServiceContext } from '../http/open-context.js';
import { recordingDeniedRequests } from '../auth/denied-requests.js';
import { oneHeader } from '../auth/request-headers.js';
import { changeOnce } from '../changes/idempotent-change.js';
import type { Services } from './services.js';
import { ApiError, invalidRequest } from '../errors.js';
import { sendError, sendItems, sendJson, sendStream, sendText, varyByAccept } from '../http/answer.js';
import { mediaTypeIn, readBody } from '../http/body.js';
import { streamBody } from '../http/body-stream.js';
import { enter, enterStream, takeTurn } from '../http/entrance.js';
import type { Exchange } from '../http/exchange.js';
import { failureOf } from '../http/failure.js';
import { parseJson } from '../input/json.js';
import { methodNotAllowed } from '../http/method.js';
import { queryParameters } from '../api/rest/input.js';
import { takesIdempotencyKey } from '../api/rest/route.js';
import type { BodyStream, RestAnswer, Route, RouteBody } from '../api/rest/route.js';
import { routes } from './routes.js';
import { appliedVersion } from '../api/rest/version.js';

/** The path prefix of the major version. */
export const basePath = '/v0';

/** Handles a request below /v0. Errors are translated to responses only here. */
export async function answerRest(services: Services, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  const header = services.headers.version;
  response.setHeader(header, services.defaultVersion);
  try {
    const version = appliedVersion(header, oneHeader(request.headers, header), services.defaultVersion);
    response.setHeader(header, version);
    await send(exchange, await answerRoute(services, exchange, version));
  } catch (error) {
    sendError(response, failureOf(exchange, services.log, error));
  }
}

async function answerRoute(services: Services, exchange: Exchange, version: string): Promise<RestAnswer> {
  const { route, parameters } = matchRoute(exchange.method, exchange.path.slice(basePath.length));
  if (route.otherForms !== undefined) varyByAccept(exchange.response);
  exchange.notes.operation = route.operation;
  exchange.notes.route = `${basePath}${route.path}`;
  const ctx = await enter(services, exchange, 'rest');
  const answer = (within: ServiceContext) =>
    route.answer({
      ctx: within,
      parameters,
      query: queryParameters(exchange.search),
      accept: exchange.request.headers.accept,
      version,
      headers: exchange.request.headers,
      mediaType: mediaTypeIn(exchange.request.headers['content-type'] ?? ''),
      json: async () => parseJson((await readBody(exchange.request, bodyOf(route))).bytes),
      stream: () => {
        const chunks = streamBody(exchange.request, bodyOf(route));
        enterStream(services, exchange, within);
        const inTurn: BodyStream['inTurn'] = (act) =>
          takeTurn(services, exchange, within, act).finally(() => noteChange(within));
        return { chunks, inTurn };
      },
    });
  return recordingDeniedRequests(ctx, route.operation, () => {
    if (route.method !== 'GET') return changed(ctx, exchange, route, version, answer).finally(() => noteChange(ctx));
    readOfReplica(ctx);
    return answer(ctx);
  });
}

async function changed(
  ctx: ServiceContext,
  exchange: Exchange,
  route: Route,
  version: string,
  answer: (within: ServiceContext) => Promise<RestAnswer>,
): Promise<RestAnswer> {
  if (!takesIdempotencyKey(route) || ctx.idempotencyKey === undefined) return answer(ctx);
  const workspaceId = route.isInWorkspace ? authorizeWorkspace(ctx, route.scope).workspace.id : '';
  const content = ['rest', route.method, exchange.path, exchange.search, version, workspaceId];
  const text = await changeOnce(ctx, { content, part: '' }, async (within) => JSON.stringify(await answer(within)));
  const stored = storedAnswer.parse(JSON.parse(text));
  authorizeWorkspace(ctx, route.scope, stored.body.metadata.workspace);
  return stored;
}

function bodyOf({ operation, requestBody }: Route): RouteBody {
  if (requestBody === undefined) throw new Error(`${operation} takes no body`);
  return requestBody;
}

/** A response with a resource. */
const storedAnswer = z.looseObject({ body: z.looseObject({ metadata: z.looseObject({ workspace: z.string() }) }) });

async function send({ response }: Exchange, answer: RestAnswer): Promise<void> {
  const { status = 200, headers = {} } = answer;
  if ('items' in answer) await sendItems(response, answer.items, status);
  else if ('pieces' in answer) {
    const form = { ...headers, 'content-type': answer.mediaType };
    await sendStream(response, status, form, answer.pieces);
  } else if ('text' in answer) sendText(response, status, answer.text, headers);
  else sendJson(response, status, answer.body, headers);
}

interface RouteMatch {
  route: Route;
  parameters: Record<string, string>;
}

const templates = routes.map((route) => ({ route, parts: route.path.split('/') }));

/** @throws 404 for an unknown path, 405 with `Allow` for another method on a known one. */
export function matchRoute(method: string, path: string): RouteMatch {
  const segments = path.split('/');
  const matches = templates.flatMap(({ route, parts }): RouteMatch[] => {
    const parameters = parametersOf(parts, segments);
    return parameters === undefined ? [] : [{ route, parameters }];
  });
  const match = matches.find(({ route }) => route.method === method);
  if (match !== undefined) return match;
  if (matches.length === 0) throw new ApiError('not_found', 'No endpoint has this path.');
  throw methodNotAllowed(matches.map(({ route }) => route.method));
}

function parametersOf(expected: readonly string[], actual: readonly string[]): Record<string, string> | undefined {
  if (expected.length !== actual.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const text = actual[index] ?? '';
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
