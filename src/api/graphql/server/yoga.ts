import { createYoga } from 'graphql-yoga';
import type { GraphQLParams, Plugin, YogaServerInstance } from 'graphql-yoga';
import type { ExecutionResult } from 'graphql';
import type { RequestContext } from '../../../auth/context.js';
import type { GraphqlServices } from './graphql-services.js';
import { readDocument } from './document.js';
import { executeOperation } from './execute.js';
import type { OnPrice } from './execute.js';
import { readDryRun } from './fast-lane.js';
import { formatError, formatErrors } from './format-error.js';
import { findOperation } from './operation.js';
import { documentIdOf } from './persisted-documents.js';
import type { DocumentParameters, PersistedDocuments } from './persisted-documents.js';
import { headersOfStatus, statusOfResult } from './result-status.js';
import { schema } from './schema.js';

/** How Yoga learns the id of a request. */
export const requestIdHeader = 'x-request-id';

/** The context that the server passes to Yoga with each request. */
export interface YogaContext {
  request: Request;
  requestContext: RequestContext;
  onPrice: OnPrice;
  /** The parameters that Yoga parsed. */
  params?: GraphQLParams;
}

/** GraphQL over HTTP as its specification has it: media types, GET and POST, statuses. */
export function createYogaServer(
  services: GraphqlServices,
  documents: PersistedDocuments,
): YogaServerInstance<YogaContext, YogaContext> {
  return createYoga<YogaContext, YogaContext>({
    schema,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    healthCheckEndpoint: '/healthz',
    cors: false,
    multipart: false,
    logging: false,
    maskedErrors: false,
    plugins: [namedDocuments(documents), ourOperations(services)],
  });
}

/** A request may name its document instead of sending it. */
function namedDocuments(documents: PersistedDocuments): Plugin<YogaContext> {
  return {
    onParams: ({ params, request, setParams }) => {
      // Yoga does not read documentId from a URL, and refuses parameters that it does not know.
      const fromUrl = request.method === 'GET' ? documentIdOf(new URL(request.url).search) : undefined;
      const { operationName = '', documentId = fromUrl, ...others }: GraphQLParams & DocumentParameters = params;
      const query = documents.find({ ...others, documentId });
      // Some clients send an empty name for none.
      const name = operationName === '' ? {} : { operationName };
      setParams({ ...others, ...name, ...(query === undefined ? {} : { query }) });
    },
  };
}

interface OperationArguments {
  document: Parameters<typeof findOperation>[0];
  operationName?: string | null | undefined;
  variableValues?: Record<string, unknown> | null | undefined;
  contextValue: YogaContext;
}

/** Documents and operations are the same as those of the fast lane, limits and all. */
function ourOperations(services: GraphqlServices): Plugin<YogaContext> {
  const run = async (args: OperationArguments): Promise<ExecutionResult> => {
    const { requestContext, onPrice, params } = args.contextValue;
    try {
      const operation = findOperation(args.document, args.operationName);
      const requested = { variables: args.variableValues ?? {}, isDryRun: readDryRun(params?.extensions ?? {}) };
      return await executeOperation(operation, requestContext, requested, services, onPrice);
    } catch (error) {
      return { errors: formatErrors(error, requestContext.requestId, services.log) };
    }
  };
  return {
    onParse: ({ setParseFn }) => setParseFn((source: string | { body: string }) => readDocument(bodyOf(source))),
    // The documents of readDocument() are valid.
    onValidate: ({ setResult }) => setResult([]),
    onExecute: ({ args, setExecuteFn }) => setExecuteFn(() => run(args)),
    onSubscribe: ({ args, setSubscribeFn }) => setSubscribeFn(() => run(args)),
    // Every error of Yoga's own, too, leaves with the code, the status and the request id of this API.
    onResultProcess: ({ result, setResult, request }) => {
      if (Symbol.asyncIterator in result || Array.isArray(result) || result.errors === undefined) return;
      const requestId = request.headers.get(requestIdHeader) ?? '';
      const errors = result.errors.map((error) => formatError(error, requestId, services.log));
      setResult({ ...result, ...withStatus({ ...result, errors }) });
    },
  };
}

/** Sets the status of the response for both media types: `spec` is for `application/graphql-response+json` only. */
function withStatus(result: ExecutionResult): Pick<ExecutionResult, 'errors'> {
  const isOfBoth = statusOfResult(result, false) !== 200;
  const status = statusOfResult(result, true);
  if (status === 200) return { errors: result.errors ?? [] };
  const http = { status, headers: headersOfStatus(status, result), ...(isOfBoth ? {} : { spec: true }) };
  for (const error of result.errors ?? []) error.extensions['http'] ??= http;
  return { errors: result.errors ?? [] };
}

function bodyOf(source: string | { body: string }): string {
  return typeof source === 'string' ? source : source.body;
}
