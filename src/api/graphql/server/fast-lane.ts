// Most requests are one plain POST of JSON. Yoga's general pipeline costs several times what such a request needs,
// so they are parsed and executed here. Other forms of requests, such as batches, are passed to Yoga.
import { Kind, OperationTypeNode, print } from 'graphql';
import type { ExecutionResult } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { RequestContext } from '../../../auth/context.js';
import { invalidParameter, invalidRequest } from '../../../errors.js';
import type { Exchange } from '../../../http/exchange.js';
import { weightedRanges } from '../../../input/accept.js';
import { readDocument } from './document.js';
import { executeOperation } from './execute.js';
import type { ExecutionSettings, OnPrice } from './execute.js';
import { formatErrors } from './format-error.js';
import { findOperation } from './operation.js';
import type { Operation } from './operation.js';
import type { DocumentParameters, PersistedDocuments } from './persisted-documents.js';
import { headersOfStatus, statusOfResult } from './result-status.js';

export const graphqlMediaType = 'application/graphql-response+json; charset=utf-8';
export const jsonMediaType = 'application/json; charset=utf-8';

/** A plain request, and the media type of its response. */
export interface PlainRequest {
  parameters: DocumentParameters;
  operationName: string | undefined;
  variables: Record<string, unknown>;
  extensions: Record<string, unknown>;
  mediaType: string;
}

export interface PlainAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** Query or mutation; undefined when none was found in the document. */
  operation?: Operation | undefined;
  /** The code of the first thing that went wrong. */
  error?: string | undefined;
}

/** A request that this lane can serve, or undefined for one that Yoga has to look at. */
export function plainRequest({ request, search }: Exchange, body: unknown): PlainRequest | undefined {
  const mediaType = answerType(request.headers.accept);
  const parameters = readParameters(body);
  return mediaType === undefined || parameters === undefined || search !== ''
    ? undefined
    : { ...parameters, mediaType };
}

/** Answers a plain request; undefined for a subscription, whose answer is a stream. */
export async function answerPlain(
  plain: PlainRequest,
  ctx: RequestContext,
  settings: ExecutionSettings & { documents: PersistedDocuments },
  onPrice: OnPrice,
): Promise<PlainAnswer | undefined> {
  let operation: Operation | undefined;
  let result: ExecutionResult;
  try {
    const { variables, extensions } = plain;
    const isDryRun = readDryRun(extensions);
    const query = settings.documents.find(plain.parameters);
    if (query === undefined)
      throw invalidRequest('The request has no query. Send query, documentId or extensions.persistedQuery.');
    operation = findOperation(readDocument(query), plain.operationName);
    const isStream = operation.definition.operation === OperationTypeNode.SUBSCRIPTION;
    if (isStream && !isDryRun) return undefined;
    const prepared = isDryRun ? undefined : preparedIntrospection(operation);
    if (prepared !== undefined) return { status: 200, headers: {}, text: prepared, operation };
    result = await executeOperation(operation, ctx, { variables, isDryRun }, settings, onPrice);
  } catch (error) {
    result = { errors: formatErrors(error, ctx.requestId, settings.log) };
  }
  const text = JSON.stringify(result);
  if (operation?.isIntrospection && result.errors === undefined && result.data != null)
    introspections.set(introspectionKey(operation), text);
  const status = statusOfResult(result, plain.mediaType === graphqlMediaType);
  return { status, headers: headersOfStatus(status, result), text, operation, error: errorOf(result) };
}

function errorOf({ errors }: ExecutionResult): string | undefined {
  const code = errors?.[0]?.extensions['code'];
  return typeof code === 'string' ? code : undefined;
}

/** Answers about the schema are large, and the same for everybody: the same selection is executed once. */
const introspections = new LRUCache<string, string>({ max: 8 });

function preparedIntrospection(operation: Operation): string | undefined {
  return operation.isIntrospection ? introspections.get(introspectionKey(operation)) : undefined;
}

/** The selection of an introspection, without its name, comments and layout. */
function introspectionKey({ document, definition }: Operation): string {
  const fragments = document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  return [definition.operation, ...[definition.selectionSet, ...fragments].map((each) => print(each))].join('\n');
}

/** The media type that the client accepts first, whatever its weight, as Yoga chooses it. */
function answerType(accept: string | undefined): string | undefined {
  if (accept === undefined || accept === '*/*') return jsonMediaType;
  const first = weightedRanges(accept).find(({ weight }) => weight > 0)?.name;
  if (first === 'application/graphql-response+json') return graphqlMediaType;
  return first === 'application/json' ? jsonMediaType : undefined;
}

export function readParameters(parsed: unknown): Omit<PlainRequest, 'mediaType'> | undefined {
  if (!isRecord(parsed)) return undefined;
  const { query = null, documentId = null, operationName = null, variables = null, extensions = null } = parsed;
  if (Object.keys(parsed).some((name) => !parameterNames.has(name))) return undefined;
  if (query !== null && typeof query !== 'string') return undefined;
  if (query === null && documentId === null && !(isRecord(extensions) && 'persistedQuery' in extensions))
    return undefined;
  if (operationName !== null && typeof operationName !== 'string') return undefined;
  if (variables !== null && !isRecord(variables)) return undefined;
  if (extensions !== null && !isRecord(extensions)) return undefined;
  return {
    parameters: { query, documentId, extensions },
    operationName: operationName ?? undefined,
    variables: variables ?? {},
    extensions: extensions ?? {},
  };
}

const parameterNames = new Set(['query', 'documentId', 'operationName', 'variables', 'extensions']);

/** Whether to compute only the cost of an operation. @throws 400 */
export function readDryRun({ dryRun = false }: Record<string, unknown>): boolean {
  if (typeof dryRun !== 'boolean') throw invalidParameter('extensions.dryRun', 'must be true or false');
  return dryRun;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
