// GraphQL over SSE, distinct connections mode: the answer to a subscription is a stream of its own, in which each event
// `next` holds one result, and `complete` ends it.
import { createSourceEventStream, OperationTypeNode } from 'graphql';
import type { ExecutionResult } from 'graphql';
import { noteChange } from '../access/context.js';
import type { RequestContext } from '../access/context.js';
import { tellingRefusals } from '../access/refused.js';
import { ApiError } from '../errors.js';
import { enterStream } from '../http/entrance.js';
import { eventStreamType, openEventStream } from '../http/event-stream.js';
import type { Exchange } from '../http/exchange.js';
import type { Services } from '../process/services.js';
import { readDocument } from './document.js';
import { pay, priceOf } from './execute.js';
import type { OnPrice } from './execute.js';
import { readDryRun, readParameters } from './fast-lane.js';
import { formatErrors } from './format-error.js';
import { findOperation } from './operation.js';
import type { Operation } from './operation.js';
import { operationName } from './refusals.js';
import { schema } from './schema.js';
import type { PersistedDocuments } from './persisted-documents.js';
import { sharedTexts } from './shared-results.js';

export interface Subscription {
  operation: Operation;
  variables: Record<string, unknown>;
}

/** The subscription that a request asks for; undefined for every other one, and for what is none at all. */
export function subscriptionIn(parsed: unknown, documents: PersistedDocuments): Subscription | undefined {
  const asked = readParameters(parsed);
  if (asked === undefined) return undefined;
  try {
    const query = documents.find(asked.parameters);
    if (query === undefined || !query.includes('subscription') || readDryRun(asked.extensions)) return undefined;
    const operation = findOperation(readDocument(query), asked.operationName);
    if (operation.definition.operation !== OperationTypeNode.SUBSCRIPTION) return undefined;
    return { operation, variables: asked.variables };
  } catch {
    // What is wrong with a document is told by the one place that runs documents.
    return undefined;
  }
}

/**
 * Answers a subscription, until it ends or the client is gone.
 *
 * @throws what refuses it, before anything is answered.
 */
export async function answerSubscription(
  services: Services,
  exchange: Exchange,
  ctx: RequestContext,
  { operation, variables }: Subscription,
  onPrice: OnPrice,
): Promise<void> {
  const { response, request } = exchange;
  if (!takesEvents(request.headers.accept)) {
    throw new ApiError('not_acceptable', `A subscription is answered with ${eventStreamType}.`);
  }
  await pay(await priceOf(operation, variables, ctx, services.complexityMax), services.complexityMax, onPrice);
  enterStream(services, exchange, ctx);
  const source = await tellingRefusals(ctx, operationName(operation), () => sourceOf(operation, ctx, variables));
  const stop = () => void source.return?.();
  response.once('close', stop);
  if (response.destroyed) return stop();
  const texts = sharedTexts(operation);
  const stream = openEventStream(response, services.http.heartbeatMs);
  try {
    for (;;) {
      const step = await source.next();
      if (step.done === true) break;
      const event: unknown = step.value;
      if (typeof event !== 'object' || event === null) throw new Error('an event is an object');
      // Who is told of it reads what it is about next.
      noteChange(ctx);
      // All who are told of it at the same time wait for the first of them.
      const known = texts?.get(event);
      const text = known ?? resultText(services, ctx, operation, variables, event);
      if (known === undefined) texts?.set(event, text);
      await stream.send('next', typeof text === 'string' ? text : await text);
    }
  } catch (error) {
    await stream.send('next', JSON.stringify({ errors: formatErrors(error, ctx.requestId, services.log) }));
  } finally {
    stop();
  }
  await stream.send('complete', '');
  stream.end();
}

/** The result of one event, as JSON. What it reads is not what the next one finds. */
function resultText(
  { log }: Services,
  ctx: RequestContext,
  operation: Operation,
  variables: Record<string, unknown>,
  event: object,
): string | Promise<string> {
  const textOf = ({ errors, ...result }: ExecutionResult): string =>
    JSON.stringify(errors === undefined ? result : { ...result, errors: formatErrors(errors, ctx.requestId, log) });
  const result = operation.run({ ...ctx, made: new Map() }, variables, event);
  return result instanceof Promise ? result.then(textOf) : textOf(result);
}

async function sourceOf(
  { document, definition }: Operation,
  ctx: RequestContext,
  variableValues: Record<string, unknown>,
): Promise<AsyncIterator<unknown>> {
  const operationName = definition.name?.value ?? null;
  const source = await createSourceEventStream({ schema, document, operationName, contextValue: ctx, variableValues });
  if (Symbol.asyncIterator in source) return source[Symbol.asyncIterator]();
  const [error] = source.errors ?? [];
  throw error?.originalError ?? error ?? new Error('a subscription gave nothing');
}

function takesEvents(accept = '*/*'): boolean {
  return /text\/event-stream|text\/\*|\*\/\*/i.test(accept);
}
