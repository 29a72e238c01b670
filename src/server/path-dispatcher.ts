// Dispatches requests to the API layers by path.
import { createConsoleHandler } from '../api/console/handler.js';
import { createScimHandler, scimPath } from '../api/scim/handler.js';
import { ApiError } from '../errors.js';
import { createGraphqlHandler, graphqlPath } from '../api/graphql/server/server.js';
import { createMcpHandler, mcpPath } from '../api/mcp/mcp-handler.js';
import { createOauthHandler } from '../api/oauth/handler.js';
import type { Services } from './services.js';
import { openApiDocuments } from './openapi-versions.js';
import { answerRest, basePath } from './router.js';
import { routes } from './routes.js';
import { sendText } from '../http/answer.js';
import { answerCors } from '../http/cors.js';
import { checkHeaders } from '../http/exchange.js';
import type { Exchange } from '../http/exchange.js';
import { methodNotAllowed } from '../http/method.js';
import { answerReadiness } from '../http/readiness.js';
import type { Readiness } from '../http/readiness.js';
import { etagOf } from '../http/validator.js';

export type Answer = (exchange: Exchange) => Promise<void>;

/** @param readiness the current results of the readiness checks. */
export function createPathDispatcher(services: Services, readiness: () => Promise<Readiness>): Answer {
  const answerGraphql = createGraphqlHandler(services);
  const answerMcp = createMcpHandler(services);
  const oauth = createOauthHandler(services);
  const answerScim = createScimHandler(services);
  const answerConsole = createConsoleHandler(services);
  const openApi = openApiDocuments(routes, services);
  const health = { status: 'ok', version: services.version };

  /** Public documents, without a credential. */
  const documents = new Map<string, (search: string) => object | Promise<object>>([
    // RFC 7517: the public keys that access tokens are signed with.
    [`${basePath}/.well-known/jwks.json`, () => services.verificationKeys.toJwks()],
    [`${basePath}/openapi.json`, openApi],
    ...[...oauth.documents].map(([path, document]): [string, () => object] => [path, () => document]),
    ['/healthz', () => health],
  ]);

  return async (exchange) => {
    const { path, search, method, response } = exchange;
    if (isBelow(path, scimPath)) {
      note(exchange, 'scim');
      await answerScim(exchange);
      return;
    }
    checkHeaders(exchange);
    if (answerCors(exchange, services.http.cors)) return;
    if (method === 'TRACE') throw methodNotAllowed(['GET', 'POST', 'DELETE']);
    const document = documents.get(path);
    if (document !== undefined) {
      note(exchange, 'document', path);
      if (method !== 'GET') throw methodNotAllowed(['GET']);
      const { text, etag } = prepared(await document(search));
      sendText(response, 200, text, { etag });
    } else if (path === '/readyz') {
      note(exchange, 'document', path);
      await answerReadiness(exchange, readiness);
    } else if (oauth.isAt(path)) {
      note(exchange, 'oauth', path);
      await oauth.answer(exchange);
    } else if (isBelow(path, basePath)) {
      note(exchange, 'rest');
      await answerRest(services, exchange);
    } else if (isBelow(path, graphqlPath)) {
      note(exchange, 'graphql');
      await answerGraphql(exchange);
    } else if (isBelow(path, mcpPath)) {
      note(exchange, 'mcp');
      await answerMcp(exchange);
    } else if (answerConsole(exchange.request, response, path)) note(exchange, 'console');
    else throw new ApiError('not_found', 'No endpoint has this path.');
  };
}

function note({ notes }: Exchange, api: Exchange['notes']['api'], operation = ''): void {
  notes.api = api;
  notes.operation = operation;
  if (operation !== '') notes.route = operation;
}

interface Prepared {
  text: Buffer;
  etag: string;
}

const preparedDocuments = new WeakMap<object, Prepared>();

/** Serializes a document once and caches the result. */
function prepared(document: object): Prepared {
  const known = preparedDocuments.get(document);
  if (known !== undefined) return known;
  const text = Buffer.from(JSON.stringify(document));
  const fresh = { text, etag: etagOf(text) };
  preparedDocuments.set(document, fresh);
  return fresh;
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
