// Operations of valid documents. graphql-js coerces the variables of each operation and executes it. Queries that are
// executed again are compiled, if the compiler is proven for their form.
import { execute, getOperationAST, GraphQLError, Kind, OperationTypeNode, visit } from 'graphql';
import type { DocumentNode, ExecutionResult, OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { RequestContext } from '../../../auth/context.js';
import { quoted } from '../../../errors.js';
import { checkVariables } from './check-variables.js';
import { CompiledQueries } from './compiled-queries.js';
import { findMostExpensiveField } from './most-expensive-field.js';
import type { MostExpensiveField } from './most-expensive-field.js';
import { priceOf } from './price.js';
import type { Price } from './price.js';
import { pricedVariables } from './priced-variables.js';
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
 * @param givenName the name of the operation. Some clients send an empty name, which means none.
 * @throws {GraphQLError} if the document has no such operation, or the schema lacks its type.
 */
export function findOperation(document: DocumentNode, givenName: string | null | undefined): Operation {
  const operationName = givenName === '' ? undefined : givenName;
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
  const first = readFirst(document, definition);
  const canCompile = definition.operation === OperationTypeNode.QUERY && !asksForSchema(document);
  const compiled = canCompile ? new CompiledQueries(document, definition) : undefined;
  const run: Operation['run'] = (ctx, variableValues, rootValue = {}) => {
    const byReference = () =>
      execute({ schema, document, operationName, contextValue: ctx, variableValues, rootValue });
    const query = compiled?.find(variableValues);
    if (query === undefined) return byReference();
    const result = query(ctx);
    const orByReference = (known: ExecutionResult) => (hasErrorsOfOneNull(known) ? byReference() : known);
    return result instanceof Promise ? result.then(orByReference) : orByReference(result);
  };
  return {
    document,
    definition,
    isIntrospection: isIntrospection(definition),
    price: (variables, ctx) => {
      checkVariables(definition, variables);
      const key = priceKey(priced, variables, ctx);
      const known = key === undefined ? undefined : prices.get(key);
      if (known !== undefined) return known;
      const price = priceOf(document, definition, withoutNull(variables), ctx);
      if (key !== undefined) prices.set(key, price);
      return price;
    },
    priceBySize: (variables, ctx) => priceOf(document, definition, withoutNull(variables), ctx),
    mostExpensiveField: (variables, ctx) => findMostExpensiveField(document, definition, withoutNull(variables), ctx),
    run: (ctx, variables, root) => {
      if (first.length === 0) return run(ctx, variables, root);
      // An error here occurs again in its field, which reports it.
      const read = Promise.allSettled(first.map((each) => each.read(ctx)));
      return read.then(() => run(ctx, variables, root));
    },
  };
}

function readFirst(document: DocumentNode, { operation, selectionSet }: OperationDefinitionNode): ReadFirst[] {
  const root = schema.getRootType(operation);
  const fragments = document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  const byName = Object.fromEntries(fragments.map((fragment) => [fragment.name.value, fragment]));
  return root == null ? [] : readFirstOf(selectionSet, root, byName);
}

/**
 * Variables for the price. Null costs the same as an absent variable. A null that a field refuses is an error of this field
 * when it is executed, and not of the whole request.
 */
function withoutNull(variables: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== null));
}

/**
 * Whether several errors have set the same value to null. A compiled query reports all of them; the specification has one
 * for each value (GraphQL, section 6.4.4), and graphql-js decides which.
 */
function hasErrorsOfOneNull({ data, errors = [] }: ExecutionResult): boolean {
  const nulled = errors.map(({ path = [] }) => JSON.stringify(path.slice(0, levelOfNull(data, path))));
  return new Set(nulled).size < nulled.length;
}

/** The number of steps on a path to the first value that is null. */
function levelOfNull(data: unknown, path: readonly (string | number)[]): number {
  let value = data;
  const level = path.findIndex((key) => {
    if (value === null || typeof value !== 'object') return true;
    value = Object.entries(value).find(([name]) => name === String(key))?.[1];
    return false;
  });
  return level < 0 ? path.length : level;
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
