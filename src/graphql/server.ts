// The GraphQL door on Node's HTTP: who is calling, the fast lane, and Yoga for everything else.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { openContext } from '../context.js';
import type { Services } from '../context.js';
import { apiErrorFrom } from '../database/failures.js';
import { ApiError } from '../errors.js';
import { answerPlain, plainRequest } from './fast-lane.js';
import { extensionsOf } from './format-error.js';
import { exampleQueries } from './graphiql-examples.js';
import { createGraphiql } from './graphiql.js';
import { createYogaServer, requestIdHeader } from './yoga.js';

const bodyBytesMax = 256 * 1024;

export type GraphqlDoor = (request: IncomingMessage, response: ServerResponse, requestId: string) => Promise<void>;

export function createGraphqlDoor(services: Services): GraphqlDoor {
  const yoga = createYogaServer(services);
  const { key, ...subjects } = services.examples;
  const graphiql = createGraphiql({
    endpoint: '/graphql',
    title: 'Workload Control Plane',
    tabs: exampleQueries(subjects),
    defaultHeaders: { Authorization: `Bearer ${key ?? '<paste an API key here>'}` },
  });

  async function answerByYoga(
    request: IncomingMessage,
    body: Buffer,
    requestContext: Parameters<typeof answerPlain>[1],
  ) {
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    headers.set(requestIdHeader, requestContext.requestId);
    const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
    return yoga.fetch(
      `http://localhost${request.url ?? '/'}`,
      { method: request.method ?? 'GET', headers, ...(hasBody ? { body: body.toString('utf8') } : {}) },
      { requestContext },
    );
  }

  return async (request, response, requestId) => {
    try {
      if (await graphiql.handle(request, response)) return;
      const ctx = await openContext(services, request.headers, requestId);
      const body = await readBody(request);
      const plain = plainRequest(request, body);
      const result = plain && (await answerPlain(plain, ctx, services));
      if (plain !== undefined && result !== undefined) {
        send(response, 200, { 'content-type': plain.mediaType }, JSON.stringify(result));
        return;
      }
      const answer = await answerByYoga(request, body, ctx);
      send(response, answer.status, Object.fromEntries(answer.headers), await answer.text());
    } catch (error) {
      const failure = apiErrorFrom(error);
      if (failure.status >= 500) services.log.error({ err: error, requestId }, 'request failed');
      sendGraphqlError(request, response, failure, requestId);
    }
  };
}

/** @throws 413 `payload_too_large` over 256 KiB. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > bodyBytesMax) {
      throw new ApiError('payload_too_large', `A request body may have at most ${bodyBytesMax} bytes.`, {
        headers: { Connection: 'close' },
      });
    }
    chunks.push(part);
  }
  return Buffer.concat(chunks, bytes);
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
