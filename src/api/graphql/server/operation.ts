// Operations of valid documents. The cost is computed before the operation is compiled (graphql-jit), at its first
// execution.
import { GraphQLError, Kind, getOperationAST, visit } from 'graphql';
import type { DocumentNode, ExecutionResult, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { CompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import type { RequestContext } from '../../../auth/context.js';
import { quoted } from '../../../errors.js';
import { checkVariables } from './check-variables.js';
import { findMostExpensiveField } from './most-expensive-field.js';
import type { MostExpensiveField } from './most-expensive-field.js';
import { executionSchema } from './execution-schema.js';
import { introspectionSchema } from './introspection-schema.js';
import { priceOf } from './price.js';
import type { Price } from './price.js';
import { pricedVariables } from './priced-variables.js';
import { recursiveVariableCoercion, withoutRecursiveVariables } from './recursive-variables.js';
import { schema } from './schema.js';
import { readFirstOf } from '../selection.js';
import type { ReadFirst } from '../selection.js';

export interface Operation {
  document: DocumentNode;
  definition: OperationDefinitionNode;
  /** Whether it is only an introspection, whose result is the same for all callers. */
  isIntrospection: boolean;
  /**
   * @returns the cost with these variables.
   * @throws {GraphQLError} when a variable does not fit its type; 400 for a list in one that is too long.
   */
  price: (variables: Record<string, unknown>, ctx: RequestContext) => Price;
  /** The cost by the known lengths of lists, which can change with the next request. */
  priceBySize: Operation['price'];
  /** The field that costs most with these variables. */
  mostExpensiveField: (variables: Record<string, unknown>, ctx: RequestContext) => MostExpensiveField | undefined;
  /** @param root the event of a subscription. */
  run: (
    ctx: RequestContext,
    variables: Record<string, unknown>,
    root?: unknown,
  ) => ExecutionResult | Promise<ExecutionResult>;
}

const operationsByDocument = new WeakMap<DocumentNode, Map<string, Operation>>();

/**
 * An operation of a valid document.
 *
 * @throws {GraphQLError} if the document has no such operation, or the schema lacks its type.
 */
export function findOperation(document: DocumentNode, operationName: string | null | undefined): Operation {
  const operations = operationsByDocument.get(document) ?? new Map<string, Operation>();
  operationsByDocument.set(document, operations);
  const name = operationName == null ? '' : `=${operationName}`;
  const known = operations.get(name);
  if (known !== undefined) return known;
  const operation = operationOf(document, operationName);
  operations.set(name, operation);
  return operation;
}

/** Prices of the same operation with other variables. */
const pricesMax = 20;

function operationOf(document: DocumentNode, operationName: string | null | undefined): Operation {
  const definition = getOperationAST(document, operationName);
  if (definition == null) {
    throw new GraphQLError(
      operationName == null
        ? 'The document has several operations, or none. Set operationName to the one to execute.'
        : `The document has no operation named ${quoted(operationName)}.`,
    );
  }
  if (schema.getRootType(definition.operation) == null) {
    throw new GraphQLError(`This API has no ${definition.operation}s.`, { nodes: [definition] });
  }
  const prices = new LRUCache<string, Price>({ max: pricesMax });
  const priced = pricedVariables(document);
  let compiled: CompiledQuery | undefined;
  const first = readFirst(document, definition);
  const coerce = recursiveVariableCoercion(definition);
  return {
    document,
    definition,
    isIntrospection: isIntrospection(definition),
    price: (variables, ctx) => {
      checkVariables(definition, variables);
      const key = priceKey(priced, variables, ctx);
      const known = key === undefined ? undefined : prices.get(key);
      if (known !== undefined) return known;
      const price = priceOf(document, definition, variables, ctx);
      if (key !== undefined) prices.set(key, price);
      return price;
    },
    priceBySize: (variables, ctx) => priceOf(document, definition, variables, ctx),
    mostExpensiveField: (variables, ctx) => findMostExpensiveField(document, definition, variables, ctx),
    run: (ctx, variables, root = {}) => {
      const query = (compiled ??= compile(withoutRecursiveVariables(document), operationName));
      const coerced = coerce(variables);
      if (first.length === 0) return query.query(root, ctx, coerced);
      // An error here occurs again in its field, which reports it.
      const read = Promise.allSettled(first.map((each) => each.read(ctx)));
      return read.then(() => query.query({}, ctx, coerced));
    },
  };
}

function readFirst(document: DocumentNode, { operation, selectionSet }: OperationDefinitionNode): ReadFirst[] {
  const root = schema.getRootType(operation);
  const fragments = document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  const byName = Object.fromEntries(fragments.map((fragment) => [fragment.name.value, fragment]));
  return root == null ? [] : readFirstOf(selectionSet, root, byName);
}

/** The schema of compiled queries, except introspection. */
const runSchema = executionSchema(schema);

/** The schema of introspections; built for the first one. */
let describedSchema: GraphQLSchema | undefined;

function compile(document: DocumentNode, operationName: string | null | undefined): CompiledQuery {
  const compiled = asksForSchema(document)
    ? compileQuery((describedSchema ??= introspectionSchema(schema)), document, operationName ?? undefined)
    : compileQuery(runSchema, document, operationName ?? undefined, { disableLeafSerialization: true });
  if (isCompiledQuery(compiled)) return compiled;
  throw compiled.errors?.[0] ?? new GraphQLError('The operation cannot be executed.');
}

/** The variables that a price depends on, if they are few: lists and inputs are priced each time and not cached. */
function priceKey(
  priced: ReadonlySet<string>,
  variables: Record<string, unknown>,
  { caller }: RequestContext,
): string | undefined {
  const values = Object.fromEntries([...priced].map((name) => [name, variables[name]]));
  if (Object.values(values).some((value) => typeof value === 'object' && value !== null)) return undefined;
  const key = JSON.stringify([caller.accounts.length, caller.workspaces.size, values]);
  return key.length > priceKeyLengthMax ? undefined : key;
}

const priceKeyLengthMax = 1_000;

function asksForSchema(document: DocumentNode): boolean {
  let asks = false;
  visit(document, {
    Field: ({ name }) => {
      asks ||= name.value === '__schema' || name.value === '__type';
    },
  });
  return asks;
}

function isIntrospection({ selectionSet, variableDefinitions = [] }: OperationDefinitionNode): boolean {
  return (
    variableDefinitions.length === 0 &&
    selectionSet.selections.every(
      (selection) => selection.kind === Kind.FIELD && /^__(schema|type|typename)$/.test(selection.name.value),
    )
  );
}
