// Most requests are one plain POST of JSON with a document that was seen before. Yoga's general pipeline
// costs several times what such a request needs, so those go straight to the compiled operation. Whatever
// is out of the ordinary in a request, down to a field that does not parse, is left to Yoga.
import type { IncomingMessage } from 'node:http';
import { OperationTypeNode, validate } from 'graphql';
import type { DocumentNode, ExecutionResult } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { RequestContext, Services } from '../context.js';
import { compileOperation, executeOperation } from './execute.js';
import type { Operation } from './execute.js';
import { parseLimited } from './limits.js';
import { schema } from './schema.js';

const documents = new LRUCache<string, DocumentNode>({
  max: 1_000,
  maxSize: 8 * 1024 * 1024,
  sizeCalculation: (_document, source) => source.length + 1,
});

export interface PlainRequest {
  operation: Operation;
  variables: Record<string, unknown>;
  mediaType: string;
}

/** A request that this lane can serve, or undefined for one that Yoga has to look at. */
export function plainRequest(request: IncomingMessage, body: unknown): PlainRequest | undefined {
  const mediaType = answerType(request.headers.accept);
  const parameters = readParameters(body);
  if (mediaType === undefined || parameters === undefined || request.url?.includes('?')) return undefined;
  try {
    const operation = compileOperation(readDocument(parameters.query), parameters.operationName);
    if (operation.definition.operation === OperationTypeNode.SUBSCRIPTION) return undefined;
    return { operation, variables: parameters.variables, mediaType };
  } catch {
    // Yoga finds the same fault, and knows how to answer it for each media type.
    return undefined;
  }
}

/** Runs a plain request; undefined when nothing ran, so that Yoga can tell the caller why. */
export async function answerPlain(
  plain: PlainRequest,
  ctx: RequestContext,
  services: Services,
): Promise<ExecutionResult | undefined> {
  const result = await executeOperation(plain.operation, ctx, plain.variables, services);
  return result.data === undefined ? undefined : result;
}

function answerType(accept: string | undefined): string | undefined {
  if (accept === undefined || accept === '*/*') return 'application/json; charset=utf-8';
  const types = accept.split(',').map((type) => type.split(';')[0]?.trim());
  if (accept.includes('q=0')) return undefined;
  if (types[0] === 'application/graphql-response+json') return 'application/graphql-response+json; charset=utf-8';
  return types[0] === 'application/json' ? 'application/json; charset=utf-8' : undefined;
}

interface Parameters {
  query: string;
  operationName: string | undefined;
  variables: Record<string, unknown>;
}

function readParameters(parsed: unknown): Parameters | undefined {
  if (!isRecord(parsed)) return undefined;
  const { query, operationName = null, variables = null, extensions = null, ...others } = parsed;
  if (typeof query !== 'string' || extensions !== null || Object.keys(others).length > 0) return undefined;
  if (operationName !== null && typeof operationName !== 'string') return undefined;
  if (variables !== null && !isRecord(variables)) return undefined;
  return { query, operationName: operationName ?? undefined, variables: variables ?? {} };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readDocument(source: string): DocumentNode {
  const known = documents.get(source);
  if (known !== undefined) return known;
  const document = parseLimited(source);
  const [problem] = validate(schema, document);
  if (problem !== undefined) throw problem;
  documents.set(source, document);
  return document;
}
