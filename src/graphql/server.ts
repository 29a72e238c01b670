// The GraphQL door on Node's HTTP: who is calling, the fast lane, and Yoga for everything else.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { openContext } from '../context.js';
import type { RequestContext, Services } from '../context.js';
import { apiErrorFrom } from '../database/failures.js';
import { ApiError } from '../errors.js';
import { readJsonBody } from './body.js';
import { answerPlain, plainRequest } from './fast-lane.js';
import { extensionsOf } from './format-error.js';
import { exampleQueries } from './graphiql-examples.js';
import { createGraphiql } from './graphiql.js';
import { createYogaServer, requestIdHeader } from './yoga.js';

/** The one address of GraphQL. */
export const graphqlPath = '/graphql';

export type GraphqlDoor = (request: IncomingMessage, response: ServerResponse, requestId: string) => Promise<void>;

export function createGraphqlDoor(services: Services): GraphqlDoor {
  const yoga = createYogaServer(services);
  const { key, ...subjects } = services.examples;
  const graphiql = createGraphiql({
    endpoint: graphqlPath,
    title: 'Workload Control Plane',
    tabs: exampleQueries(services.now(), subjects),
    signIn: {
      clientId: 'graphiql',
      issuer: services.tokens.issuer,
      redirectUri: `${services.publicUrl}${graphqlPath}`,
      scope: 'admin',
      authorize: 'v0/oauth/authorize',
      token: 'v0/oauth/token',
      revoke: 'v0/oauth/revoke',
    },
    defaultHeaders: { Authorization: `Bearer ${key ?? '<paste an API key here>'}` },
  });

  async function answerByYoga(
    request: IncomingMessage,
    response: ServerResponse,
    body: string | undefined,
    requestContext: RequestContext,
  ): Promise<void> {
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    headers.set(requestIdHeader, requestContext.requestId);
    const init = { method: request.method ?? 'GET', headers, ...(body === undefined ? {} : { body }) };
    const answer = await yoga.fetch(`http://localhost${request.url ?? ''}`, init, { requestContext });
    const text = await answer.text();
    if (text === '' && answer.status === 406) {
      throw new ApiError('not_acceptable', 'GraphQL answers application/json or application/graphql-response+json.');
    }
    send(response, answer.status, Object.fromEntries(answer.headers), text);
  }

  async function answer(request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> {
    if (await graphiql.handle(request, response)) return;
    if ((request.url ?? '').split('?', 1)[0] !== graphqlPath) {
      throw new ApiError('not_found', 'There is nothing at this address.');
    }
    if (request.method !== 'GET' && request.method !== 'POST') {
      const headers = { Allow: 'GET, POST' };
      throw new ApiError('method_not_allowed', 'GraphQL answers GET and POST only.', { headers });
    }
    const ctx = await openContext(services, request.headers, requestId);
    if (request.method === 'GET') return answerByYoga(request, response, undefined, ctx);
    const { text, json } = await readJsonBody(request);
    const plain = plainRequest(request, json);
    const result = plain && (await answerPlain(plain, ctx, services));
    if (plain === undefined || result === undefined) return answerByYoga(request, response, text, ctx);
    return send(response, 200, { 'content-type': plain.mediaType }, JSON.stringify(result));
  }

  return async (request, response, requestId) => {
    try {
      await answer(request, response, requestId);
    } catch (error) {
      const failure = apiErrorFrom(error);
      if (failure.status >= 500) services.log.error({ err: error, requestId }, 'request failed');
      sendGraphqlError(request, response, failure, requestId);
    }
  };
}

function sendGraphqlError(
  request: IncomingMessage,
  response: ServerResponse,
  error: ApiError,
  requestId: string,
): void {
  const isNewType = request.headers.accept?.includes('application/graphql-response+json') ?? false;
  const mediaType = isNewType ? 'application/graphql-response+json' : 'application/json';
  const headers = { ...error.headers, 'content-type': `${mediaType}; charset=utf-8` };
  const body = { errors: [{ message: error.message, extensions: extensionsOf(error, requestId) }] };
  send(response, error.status, headers, JSON.stringify(body));
}

function send(response: ServerResponse, status: number, headers: Record<string, string>, text: string): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store' });
  response.end(text);
}
