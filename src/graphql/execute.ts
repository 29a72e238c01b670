// Operations are compiled once (graphql-jit) and priced before they run. Both ways into GraphQL, Yoga and
// the fast lane, end here.
import { complexityFromQuery } from '@pothos/plugin-complexity';
import { GraphQLError, Kind, getOperationAST, getVariableValues } from 'graphql';
import type { DocumentNode, ExecutionResult, OperationDefinitionNode } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { RequestContext } from '../context.js';
import { ApiError } from '../errors.js';
import { formatError } from './format-error.js';
import { schema } from './schema.js';

/** What larger variables cost is computed each time: remembering them would hold them in memory. */
const rememberedVariablesLengthMax = 1_000;

/** How deep a query may go, fragments resolved. */
const depthMax = 20;

export interface Operation {
  definition: OperationDefinitionNode;
  run: (ctx: RequestContext, variables: Record<string, unknown>) => ExecutionResult | Promise<ExecutionResult>;
  /**
   * @returns what the operation costs with these variables.
   * @throws {GraphQLError} when a variable does not fit its type.
   */
  cost: (variables: Record<string, unknown>) => { complexity: number; depth: number };
}

const operationsByDocument = new WeakMap<DocumentNode, Map<string, Operation>>();

/**
 * Compiles an operation of a validated document, or finds it compiled.
 *
 * @throws {GraphQLError} when the document has no such operation.
 */
export function compileOperation(document: DocumentNode, operationName: string | null | undefined): Operation {
  const operations = operationsByDocument.get(document) ?? new Map<string, Operation>();
  operationsByDocument.set(document, operations);
  const name = operationName == null ? '' : `=${operationName}`;
  const known = operations.get(name);
  if (known !== undefined) return known;
  const operation = compile(document, operationName);
  operations.set(name, operation);
  return operation;
}

function compile(document: DocumentNode, operationName: string | null | undefined): Operation {
  const definition = getOperationAST(document, operationName);
  if (definition == null) {
    throw new GraphQLError(
      operationName == null
        ? 'The document must hold exactly one operation, or operationName must say which one to run.'
        : `The document holds no operation named ${JSON.stringify(operationName)}.`,
    );
  }
  if (schema.getRootType(definition.operation) == null) {
    throw new GraphQLError(`This API has no ${definition.operation}s.`, { nodes: [definition] });
  }
  const compiled = compileQuery(schema, document, operationName ?? undefined);
  if (!isCompiledQuery(compiled)) {
    throw compiled.errors?.[0] ?? new GraphQLError('The operation cannot be run.');
  }
  const fragments = document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  const priced: DocumentNode = { kind: Kind.DOCUMENT, definitions: [definition, ...fragments] };
  const costs = new LRUCache<string, { complexity: number; depth: number }>({ max: 20 });
  return {
    definition,
    run: (ctx, variables) => compiled.query({}, ctx, variables),
    cost: (variables) => {
      const key = JSON.stringify(variables);
      const known = costs.get(key);
      if (known !== undefined) return known;
      const coerced = getVariableValues(schema, definition.variableDefinitions ?? [], variables, { maxErrors: 10 });
      const [problem] = coerced.errors ?? [];
      if (problem !== undefined) throw problem;
      const { complexity, depth } = complexityFromQuery(priced, { schema, variables });
      if (key.length <= rememberedVariablesLengthMax) costs.set(key, { complexity, depth });
      return { complexity, depth };
    },
  };
}

/** Prices an operation, and runs it when its price is within bounds. Errors come out formatted. */
export async function executeOperation(
  operation: Operation,
  ctx: RequestContext,
  variables: Record<string, unknown>,
  settings: { complexityMax: number; log: Logger },
): Promise<ExecutionResult> {
  try {
    const { complexity, depth } = operation.cost(variables);
    if (depth > depthMax) throw tooComplex(`is ${depth} levels deep; ${depthMax} are allowed`);
    if (complexity > settings.complexityMax) {
      throw tooComplex(`costs ${complexity}; ${settings.complexityMax} are allowed. Ask for smaller pages`);
    }
    const result = await operation.run(ctx, variables);
    const errors = result.errors?.map((error) => formatError(error, ctx.requestId, settings.log));
    const extensions = { cost: { complexity, complexityMax: settings.complexityMax, depth } };
    return errors === undefined ? { ...result, extensions } : { ...result, errors, extensions };
  } catch (error) {
    return { errors: [formatError(error, ctx.requestId, settings.log)] };
  }
}

function tooComplex(problem: string): ApiError {
  return new ApiError('query_too_complex', `The query ${problem}.`);
}
