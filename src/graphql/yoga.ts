import { createYoga } from 'graphql-yoga';
import type { Plugin, YogaServerInstance } from 'graphql-yoga';
import type { RequestContext, Services } from '../context.js';
import { compileOperation, executeOperation } from './execute.js';
import { formatError } from './format-error.js';
import { parseLimited } from './limits.js';
import { schema } from './schema.js';

/** How Yoga learns the id of a request. */
export const requestIdHeader = 'x-request-id';

/** What the server hands to Yoga with each request. */
export interface YogaContext {
  request: Request;
  requestContext: RequestContext;
}

/** GraphQL over HTTP as its specification has it: media types, GET and POST, statuses. */
export function createYogaServer(services: Services): YogaServerInstance<YogaContext, YogaContext> {
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
    plugins: [limitsAndCompilation(services)],
  });
}

function limitsAndCompilation(services: Services): Plugin<YogaContext> {
  return {
    onParse: ({ setParseFn }) => setParseFn((source: string | { body: string }) => parseLimited(bodyOf(source))),
    // Every error of Yoga's own, too, leaves with the code, the status and the request id of this API.
    onResultProcess: ({ result, setResult, request }) => {
      if (Symbol.asyncIterator in result || Array.isArray(result) || result.errors === undefined) return;
      const requestId = request.headers.get(requestIdHeader) ?? '';
      setResult({ ...result, errors: result.errors.map((error) => formatError(error, requestId, services.log)) });
    },
    onExecute: ({ args, setExecuteFn }) => {
      const { requestContext } = args.contextValue;
      setExecuteFn(() => {
        try {
          const operation = compileOperation(args.document, args.operationName);
          return executeOperation(operation, requestContext, args.variableValues ?? {}, services);
        } catch (error) {
          return { errors: [formatError(error, requestContext.requestId, services.log)] };
        }
      });
    },
  };
}

function bodyOf(source: string | { body: string }): string {
  return typeof source === 'string' ? source : source.body;
}
