// GraphQL over SSE, distinct connections mode: the response to a subscription is a stream, in which each event `next`
// has one result, and `complete` is the last event. The id of an event is its cursor, so that a client that reconnects by
// itself (`Last-Event-ID`) continues where it was (HTML, section 9.2.4).
import { createSourceEventStream, OperationTypeNode } from 'graphql';
import type { ExecutionResult } from 'graphql';
import { noteChange } from '../../../auth/context.js';
import type { RequestContext } from '../../../auth/context.js';
import { oneHeader } from '../../../auth/request-headers.js';
import { ApiError } from '../../../errors.js';
import { enterStream } from '../../../http/entrance.js';
import {
  eventStreamType,
  eventText,
  openEventStream,
  pieceLengthMax,
  sendStreamHead,
  startText,
} from '../../../http/event-stream.js';
import type { Exchange } from '../../../http/exchange.js';
import { mediaTypeWeight } from '../../../input/accept.js';
import type { GraphqlServices } from './graphql-services.js';
import { readDocument } from './document.js';
import { pay, priceOf } from './execute.js';
import type { OnPrice } from './execute.js';
import { readDryRun, readParameters } from './fast-lane.js';
import { formatErrors } from './format-error.js';
import { findOperation } from './operation.js';
import type { Operation } from './operation.js';
import { recordDeniedRequests } from './denied-requests.js';
import { schema } from './schema.js';
import type { PersistedDocuments } from './persisted-documents.js';
import { sharedTexts } from './shared-results.js';

export interface Subscription {
  operation: Operation;
  variables: Record<string, unknown>;
}

/** The subscription of a request; undefined for other operations and for invalid requests. */
export function subscriptionIn(parsed: unknown, documents: PersistedDocuments): Subscription | undefined {
  const parameters = readParameters(parsed);
  if (parameters === undefined) return undefined;
  try {
    const query = documents.find(parameters.parameters);
    if (query === undefined || !query.includes('subscription') || readDryRun(parameters.extensions)) return undefined;
    const operation = findOperation(readDocument(query), parameters.operationName);
    if (operation.definition.operation !== OperationTypeNode.SUBSCRIPTION) return undefined;
    return { operation, variables: parameters.variables };
  } catch {
    // Errors of the document are reported by the other path, which executes it.
    return undefined;
  }
}

/**
 * Answers a subscription, until it ends or the client disconnects.
 *
 * @throws the error that rejects it, before the response starts.
 */
export async function answerSubscription(
  services: GraphqlServices,
  exchange: Exchange,
  ctx: RequestContext,
  { operation, variables }: Subscription,
  onPrice: OnPrice,
): Promise<void> {
  const { response, request } = exchange;
  if (mediaTypeWeight(request.headers.accept, eventStreamType) === 0) {
    throw new ApiError('not_acceptable', `A subscription returns ${eventStreamType}. Send it in the Accept header.`);
  }
  await pay(await priceOf(operation, variables, ctx, services.complexityMax), services.complexityMax, onPrice);
  if (request.method === 'HEAD') return sendStreamHead(response);
  enterStream(services, exchange, ctx);
  ctx.lastEventId = oneHeader(request.headers, 'last-event-id');
  const source = await sourceOf(operation, ctx, variables);
  const stop = () => void source.return?.();
  response.once('close', stop);
  if (response.destroyed) return stop();
  const texts = sharedTexts(operation);
  // Subscribers that get an event at the same time share the first one's result.
  const textOf = (event: unknown): string | Promise<string> => {
    if (typeof event !== 'object' || event === null) throw new Error('an event is not an object');
    const known = texts?.get(event);
    if (known !== undefined) return known;
    const text = eventTextOf(services, ctx, operation, variables, event, source.cursor?.());
    texts?.set(event, text);
    return text;
  };
  const stream = openEventStream(response, services.http.heartbeatMs);
  if (source.cursor !== undefined) void stream.send(startText(source.cursor()));
  let piece = '';
  try {
    for (;;) {
      const step = await source.next();
      if (step.done === true) break;
      // The subscriber selects the changed resource next, so it must not read an older snapshot.
      noteChange(ctx);
      for (let event: unknown = step.value; event !== undefined; event = source.atHand?.()) {
        const text = textOf(event);
        piece += typeof text === 'string' ? text : await text;
        // A result that was read is not held back by the reads of the next ones.
        if (typeof text !== 'string' || piece.length > pieceLengthMax) break;
      }
      const room = stream.send(piece);
      piece = '';
      if (room !== undefined) await room;
    }
  } catch (error) {
    const errors = formatErrors(error, ctx.requestId, services.log);
    await stream.send(piece + eventText('next', JSON.stringify({ errors })));
  } finally {
    stop();
  }
  await stream.send(eventText('complete', ''));
  stream.end();
}

/** One event with its result. Each event reads with new loaders. */
function eventTextOf(
  { log }: GraphqlServices,
  ctx: RequestContext,
  operation: Operation,
  variables: Record<string, unknown>,
  event: object,
  id: string | undefined,
): string | Promise<string> {
  const textOf = ({ errors, ...result }: ExecutionResult): string =>
    eventText(
      'next',
      JSON.stringify(errors === undefined ? result : { ...result, errors: formatErrors(errors, ctx.requestId, log) }),
      id,
    );
  const result = operation.run({ ...ctx, made: new Map() }, variables, event);
  return result instanceof Promise ? result.then(textOf) : textOf(result);
}

/** The source of events. */
interface EventSource extends AsyncIterator<unknown> {
  /** The next one where no wait is needed for it. */
  atHand?: () => unknown;
  /** The cursor after the last event; before the first one, of the start. */
  cursor?: () => string;
}

/** @throws {GraphQLError} with the path of the field that rejects the subscription. */
async function sourceOf(
  operation: Operation,
  ctx: RequestContext,
  variableValues: Record<string, unknown>,
): Promise<EventSource> {
  const { document, definition } = operation;
  const operationName = definition.name?.value ?? null;
  const source = await createSourceEventStream({ schema, document, operationName, contextValue: ctx, variableValues });
  if (Symbol.asyncIterator in source) return source[Symbol.asyncIterator]();
  const { errors = [] } = source;
  recordDeniedRequests(ctx, operation, errors);
  throw errors[0] ?? new Error('a subscription returned nothing');
}
