// Handles /graphql: authenticates, then takes the fast path, streams a subscription, or passes the request to Yoga.
import type { IncomingMessage } from 'node:http';
import { GraphQLError } from 'graphql';
import type { RequestContext } from '../../../auth/context.js';
import { graphiqlClientId } from '../../../auth/grants/oauth-client.js';
import { ConfigError } from '../../../config.js';
import { ApiError, invalidRequest } from '../../../errors.js';
import { sendEmpty, sendError, sendJson, sendStream, sendText, varyByAccept } from '../../../http/answer.js';
import { readBody } from '../../../http/body.js';
import { enter, spendCost } from '../../../http/entrance.js';
import { eventStreamType } from '../../../http/event-stream.js';
import type { Exchange } from '../../../http/exchange.js';
import { failureOf } from '../../../http/failure.js';
import { mediaTypeWeight, namesMediaType, weightedRanges } from '../../../input/accept.js';
import { parseJson } from '../../../input/json.js';
import { parseQuery } from '../../../input/query.js';
import { methodNotAllowed } from '../../../http/method.js';
import { isOwnHost } from '../../../http/own-host.js';
import type { GraphqlServices } from './graphql-services.js';
import { DocumentErrors, trustDocument } from './document.js';
import type { OnPrice } from './execute.js';
import { answerPlain, graphqlMediaType, jsonMediaType, plainRequest } from './fast-lane.js';
import { extensionsOf, thrownIn } from './format-error.js';
import { exampleQueries } from '../../graphiql/graphiql-examples.js';
import { answerSubscription, subscriptionIn } from './event-source.js';
import type { Subscription } from './event-source.js';
import { createGraphiql } from '../../graphiql/graphiql.js';
import { documentIdOf, PersistedDocuments } from './persisted-documents.js';
import { createYogaServer, requestIdHeader } from './yoga.js';

/** The path of GraphQL. */
export const graphqlPath = '/graphql';

export type GraphqlHandler = (exchange: Exchange) => Promise<void>;

/** Room for ten thousand usage events in variables. */
const bodyRules = { bytesMax: 8 * 1024 * 1024, mediaTypes: ['application/json'] };

export function createGraphqlHandler(services: GraphqlServices): GraphqlHandler {
  const documents = persistedDocuments(services);
  const answerByYoga = yogaHandler(services, documents);
  const { key, ...subjects } = services.examples;
  const options = {
    endpoint: graphqlPath,
    title: 'Workload Control Plane',
    tabs: exampleQueries(services.now(), subjects),
    signIn: {
      clientId: graphiqlClientId,
      issuer: services.tokens.issuer,
      redirectUri: `${services.publicUrl}${graphqlPath}`,
      scope: 'admin',
      authorize: 'v0/oauth/authorize',
      token: 'v0/oauth/token',
      revoke: 'v0/oauth/revoke',
    },
  };
  const ownHeaders = key && {
    headers: { Authorization: `Bearer ${key}` },
    isOwn: ({ headers }: IncomingMessage) => isOwnHost(services.publicUrl, headers.host),
  };
  const graphiql = createGraphiql(options, ownHeaders || undefined);

  async function answer(exchange: Exchange): Promise<void> {
    const { request, response, method, path, search } = exchange;
    // The page is HTML, and errors have the media type of GraphQL that the client accepts.
    varyByAccept(response);
    if (await graphiql.handle(request, response)) return;
    if (path !== graphqlPath) throw new ApiError('not_found', 'No endpoint has this path.');
    exchange.notes.route = graphqlPath;
    if (method !== 'GET' && method !== 'POST') throw methodNotAllowed(['GET', 'POST']);
    const ctx = await enter(services, exchange, 'graphql');
    if (method === 'GET') {
      checkParameters(search);
      const watched = subscriptionIn(parametersOf(search), documents);
      return watched === undefined ? answerByYoga(exchange, undefined, ctx) : watch(exchange, ctx, watched);
    }
    const { bytes } = await readBody(request, bodyRules);
    const body = parseJson(bytes);
    checkBody(body);
    const watched = subscriptionIn(body, documents);
    if (watched !== undefined) return watch(exchange, ctx, watched);
    const plain = plainRequest(exchange, body);
    const plainAnswer =
      plain && (await answerPlain(plain, ctx, { ...services, documents }, onPrice(services, exchange, ctx)));
    if (plain === undefined || plainAnswer === undefined) return answerByYoga(exchange, bytes.toString('utf8'), ctx);
    const { status, headers, text, operation, error } = plainAnswer;
    exchange.notes.operation = operation?.definition.operation ?? '';
    exchange.notes.operationName = operation?.definition.name?.value;
    exchange.notes.error = error;
    sendText(response, status, text, { 'content-type': plain.mediaType, ...headers });
  }

  async function watch(exchange: Exchange, ctx: RequestContext, subscription: Subscription): Promise<void> {
    const { definition } = subscription.operation;
    exchange.notes.operation = definition.operation;
    exchange.notes.operationName = definition.name?.value;
    await answerSubscription(services, exchange, ctx, subscription, onPrice(services, exchange, ctx));
  }

  return async (exchange) => {
    try {
      await answer(exchange);
    } catch (error) {
      if (!(error instanceof GraphQLError)) return sendGraphqlError(exchange, failureOf(exchange, services.log, error));
      // GraphQL's own errors, such as a variable of a subscription that does not fit its type, are the caller's.
      const thrown = thrownIn(error) ?? invalidRequest(error.message);
      sendGraphqlError(exchange, failureOf(exchange, services.log, thrown), error.path);
    }
  };
}

/** Records the cost of an operation, and counts it against the caller's rate limit. */
export function onPrice(services: GraphqlServices, exchange: Exchange, ctx: RequestContext): OnPrice {
  return async (complexity) => {
    exchange.notes.cost = complexity;
    await spendCost(services, exchange, ctx, complexity);
  };
}

/** @throws {ConfigError} naming the first trusted document that cannot be run. */
function persistedDocuments({ trustedDocuments, areOnlyTrusted }: GraphqlServices): PersistedDocuments {
  for (const [id, text] of trustedDocuments) {
    try {
      trustDocument(text);
    } catch (error) {
      throw new ConfigError(`GRAPHQL_TRUSTED_DOCUMENTS: the document ${id} cannot be executed: ${messageOf(error)}`);
    }
  }
  return new PersistedDocuments({ trustedDocuments, areOnlyTrusted });
}

function messageOf(error: unknown): string {
  if (error instanceof DocumentErrors) return error.errors.map(({ message }) => message).join('; ');
  return error instanceof Error ? error.message : String(error);
}

function yogaHandler(services: GraphqlServices, documents: PersistedDocuments) {
  const yoga = createYogaServer(services, documents);
  return async (exchange: Exchange, body: string | undefined, requestContext: RequestContext): Promise<void> => {
    const { request, response, method, path, search } = exchange;
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    headers.set(requestIdHeader, requestContext.requestId);
    headers.set('accept', acceptedTypes(request.headers.accept));
    const init = { method, headers, ...(body === undefined ? {} : { body }) };
    const context = { requestContext, onPrice: onPrice(services, exchange, requestContext) };
    const fetched = await yoga.fetch(`http://localhost${path}?${search}`, init, context);
    // Node.js handles the transfer of the response.
    for (const name of ['connection', 'transfer-encoding', 'content-length']) fetched.headers.delete(name);
    const responseHeaders = Object.fromEntries(fetched.headers);
    const mediaType = fetched.headers.get('content-type') ?? '';
    if (fetched.body !== null && !mediaType.includes('json')) {
      await sendStream(response, fetched.status, responseHeaders, fetched.body);
      return;
    }
    const text = await fetched.text();
    if (text === '') sendEmpty(response, fetched.status, responseHeaders);
    else sendText(response, fetched.status, text, responseHeaders);
  };
}

/** The media types of Yoga's responses. */
const yogaTypes = ['application/json', 'application/graphql-response+json', 'multipart/mixed', eventStreamType];

/**
 * Returns the acceptable ranges of an Accept header. Yoga takes ranges of weight 0 for acceptable, and rejects a request
 * only after it has executed it.
 *
 * @throws 406 `not_acceptable` if none of them has a media type of Yoga's responses.
 */
function acceptedTypes(accept: string | undefined): string {
  if (yogaTypes.every((type) => mediaTypeWeight(accept, type) === 0)) {
    throw new ApiError(
      'not_acceptable',
      'The endpoint returns application/json or application/graphql-response+json. Send one of them in the Accept header.',
    );
  }
  const acceptable = weightedRanges(accept || '*/*').filter(({ weight }) => weight > 0);
  return acceptable.map(({ name }) => name).join(', ');
}

/** The parameters of a request, and some that clients add. Yoga takes seconds to reject thousands of others. */
const parametersMax = 10;

/** @throws 400 `invalid_request` for a batch, and for a body with more members than a request can have. */
function checkBody(body: unknown): void {
  if (Array.isArray(body))
    throw invalidRequest('Batches are not supported. Send each operation in a request of its own.');
  if (typeof body === 'object' && body !== null && Object.keys(body).length > parametersMax) {
    throw invalidRequest(`The request has too many parameters. At most ${parametersMax} are allowed.`);
  }
}

/** The parameters of a GET as a body would have them. */
function parametersOf(search: string): unknown {
  const parameters = parseQuery(search);
  const read = (name: string): unknown => parseJson(Buffer.from(parameters.get(name) || 'null'), name);
  return {
    query: parameters.get('query'),
    documentId: documentIdOf(search),
    operationName: parameters.get('operationName'),
    variables: read('variables'),
    extensions: read('extensions'),
  };
}

/** The errors that Yoga treats as its own. */
function checkParameters(search: string): void {
  const parameters = parseQuery(search);
  for (const name of ['variables', 'extensions']) {
    const text = parameters.get(name) ?? '';
    if (text !== '') parseJson(Buffer.from(text), name);
  }
}

function sendGraphqlError(exchange: Exchange, error: ApiError, path?: GraphQLError['path']): void {
  const { request, response, requestId } = exchange;
  if (response.headersSent) {
    sendError(response, error);
    return;
  }
  const isNewType = namesMediaType(request.headers.accept, 'application/graphql-response+json');
  const headers = { ...error.headers, 'content-type': isNewType ? graphqlMediaType : jsonMediaType };
  const extensions = extensionsOf(error, requestId);
  const body = { errors: [{ message: error.message, ...(path === undefined ? {} : { path }), extensions }] };
  sendJson(response, error.status, body, headers);
}
