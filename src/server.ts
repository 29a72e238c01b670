import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Services } from './context.js';
import { apiErrorFrom } from './database/failures.js';
import { ApiError } from './errors.js';
import { createGraphqlDoor, graphqlPath } from './graphql/server.js';
import { createOauthDoor } from './oauth/door.js';
import { openApiDocument } from './rest/openapi.js';
import { answerRest, basePath } from './rest/router.js';
import { routes } from './rest/routes.js';
import { sendError, sendJson } from './rest/write.js';

export interface Gateway {
  server: Server;
  /**
   * Stops in good order: not ready any more, then no new connections, then requests in flight finish.
   *
   * @param delayMs how long new requests are still served, for load balancers to notice.
   * @param graceMs how long requests in flight have after that, before they are cut.
   */
  drain: (delayMs: number, graceMs: number) => Promise<void>;
}

/** The one HTTP server of the process. It knows addresses, and no business. */
export function createGateway(services: Services): Gateway {
  const answerGraphql = createGraphqlDoor(services);
  const oauth = createOauthDoor(services);
  const openApi = openApiDocument(routes, services);
  let isDraining = false;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = randomUUID();
    response.setHeader('x-request-id', requestId);
    if (isDraining) response.setHeader('connection', 'close');
    // RFC 9112, section 3.2.2: a server accepts the absolute form of a target too.
    request.url = (request.url ?? '').replace(/^https?:\/\/[^/?]*/i, '');
    const path = request.url.split('?', 1)[0] ?? '';
    // RFC 7517: the public keys that access tokens are signed with.
    if (path === `${basePath}/.well-known/jwks.json`) {
      return answerDocument(request, response, await services.verificationKeys.toJwks());
    }
    if (path === `${basePath}/openapi.json`) return answerDocument(request, response, openApi);
    const oauthAnswer = oauth.answer(request, response, requestId);
    if (oauthAnswer !== undefined) return oauthAnswer;
    if (path === basePath || path.startsWith(`${basePath}/`)) {
      return answerRest(services, request, response, requestId);
    }
    if (path === graphqlPath || path.startsWith(`${graphqlPath}/`)) return answerGraphql(request, response, requestId);
    if (path === '/healthz') return sendJson(response, 200, { status: 'ok' });
    if (path === '/readyz') return answerReady(response);
    return sendError(response, new ApiError('not_found', 'There is nothing at this address.'));
  }

  /** What anybody may read, with no credential. */
  function answerDocument(request: IncomingMessage, response: ServerResponse, document: object): void {
    if (request.method === 'GET') return sendJson(response, 200, document);
    const headers = { Allow: 'GET' };
    return sendError(response, new ApiError('method_not_allowed', 'This address answers GET only.', { headers }));
  }

  async function answerReady(response: ServerResponse): Promise<void> {
    const problem = isDraining ? 'shutting down' : await databaseProblem(services);
    if (problem === undefined) sendJson(response, 200, { status: 'ready' });
    else
      sendError(response, new ApiError('unavailable', `Not ready: ${problem}.`, { headers: { 'Retry-After': '1' } }));
  }

  // A client that sends its headers byte by byte is cut after ten seconds.
  const limits = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2_000 };
  const server = createServer(limits, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      services.log.error({ err: error }, 'answer failed');
      sendError(response, apiErrorFrom(error));
    });
  });

  server.on('clientError', answerUnreadable);

  return {
    server,
    drain: async (delayMs, graceMs) => {
      isDraining = true;
      await setTimeout(delayMs);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const grace = new AbortController();
      const cut = setTimeout(graceMs, undefined, { signal: grace.signal }).then(
        () => server.closeAllConnections(),
        () => {},
      );
      await closed;
      grace.abort();
      await cut;
    },
  };
}

const unreadable = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    { status: '431 Request Header Fields Too Large', message: 'The address and headers are too long.' },
  ],
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: '408 Request Timeout', message: 'The request took too long to arrive.' }],
]);

/** Answers what is not HTTP that can be read, in JSON like everything else, and ends the connection. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, message } = unreadable.get(error.code ?? '') ?? {
    status: '400 Bad Request',
    message: 'The request is not HTTP that can be read.',
  };
  const body = JSON.stringify({ error: 'invalid_request', code: Number(status.slice(0, 3)), message });
  const headers = ['Content-Type: application/json; charset=utf-8', `Content-Length: ${Buffer.byteLength(body)}`];
  const lines = [`HTTP/1.1 ${status}`, `X-Request-Id: ${randomUUID()}`, ...headers, 'Connection: close'];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

async function databaseProblem(services: Services): Promise<string | undefined> {
  try {
    await services.db.$queryRaw`SELECT 1`;
    return undefined;
  } catch (error) {
    services.log.warn({ err: error }, 'the database does not answer');
    return 'the database does not answer';
  }
}
