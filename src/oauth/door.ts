// The OAuth 2.0 door on Node's HTTP: endpoints that clients call, pages that people see, and documents that
// libraries discover both with. It knows addresses; what is granted is decided in access/oauth/.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { authorizationServerMetadata, openidConfiguration } from '../access/oauth/metadata.js';
import type { Services } from '../context.js';
import { ApiError } from '../errors.js';
import { sendError, sendJson } from '../rest/write.js';
import { answerAuthorize, answerConsent, answerSignIn, answerSignOut } from './authorize.js';
import { answerIntrospection, answerRevocation, answerToken } from './endpoints.js';
import type { OauthExchange } from './exchange.js';
import { visitorOf } from './exchange.js';
import { sendClientError } from './send-error.js';
import { sendPageError } from './page.js';

export interface OauthDoor {
  /** Answers a request for one of its addresses. It is undefined, with nothing sent, for every other address. */
  answer: (request: IncomingMessage, response: ServerResponse, requestId: string) => Promise<void> | undefined;
}

interface Endpoint {
  method: 'GET' | 'POST';
  answer: (exchange: OauthExchange) => Promise<void>;
  /** Who reads its errors: a program, or a person. */
  reader: 'client' | 'person';
}

const endpoints = new Map<string, Endpoint>([
  ['/v0/oauth/authorize', { method: 'GET', answer: answerAuthorize, reader: 'person' }],
  ['/v0/oauth/sign-in', { method: 'POST', answer: answerSignIn, reader: 'person' }],
  ['/v0/oauth/consent', { method: 'POST', answer: answerConsent, reader: 'person' }],
  ['/v0/oauth/sign-out', { method: 'POST', answer: answerSignOut, reader: 'person' }],
  ['/v0/oauth/token', { method: 'POST', answer: answerToken, reader: 'client' }],
  ['/v0/oauth/revoke', { method: 'POST', answer: answerRevocation, reader: 'client' }],
  ['/v0/oauth/introspect', { method: 'POST', answer: answerIntrospection, reader: 'client' }],
]);

export function createOauthDoor(services: Services): OauthDoor {
  const metadata = authorizationServerMetadata(services.tokens);
  // RFC 8414, section 3.1, has the issuer's path behind the well-known one; not every client knows that.
  const documents = new Map([
    ['/.well-known/oauth-authorization-server/v0', metadata],
    ['/.well-known/oauth-authorization-server', metadata],
    ['/v0/.well-known/oauth-authorization-server', metadata],
    ['/v0/.well-known/openid-configuration', openidConfiguration(services.tokens)],
  ]);

  async function answerEndpoint(endpoint: Endpoint, exchange: OauthExchange): Promise<void> {
    const { request, response } = exchange;
    // RFC 6749, section 5.1. It also holds for errors, and for pages.
    response.setHeader('cache-control', 'no-store');
    response.setHeader('pragma', 'no-cache');
    if (request.method !== endpoint.method) return sendError(response, methodNotAllowed(endpoint.method));
    try {
      await endpoint.answer(exchange);
    } catch (error) {
      if (endpoint.reader === 'client') sendClientError(exchange, error);
      else sendPageError(exchange, error);
    }
  }

  return {
    answer: (request, response, requestId) => {
      const [path = ''] = (request.url ?? '').split('?', 1);
      const endpoint = endpoints.get(path);
      if (endpoint !== undefined) {
        const visitor = visitorOf(services, request, requestId);
        return answerEndpoint(endpoint, { services, request, response, visitor });
      }
      const document = documents.get(path);
      if (document === undefined) return undefined;
      if (request.method === 'GET') sendJson(response, 200, document);
      else sendError(response, methodNotAllowed('GET'));
      return Promise.resolve();
    },
  };
}

function methodNotAllowed(method: string): ApiError {
  return new ApiError('method_not_allowed', `This address answers ${method} only.`, { headers: { Allow: method } });
}
