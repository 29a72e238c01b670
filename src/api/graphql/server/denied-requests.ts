// Records denied requests by root field: errors of an operation, and mutations that return an error.
import { Kind } from 'graphql';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode, SelectionSetNode } from 'graphql';
import type { RequestContext } from '../../../auth/context.js';
import { recordDeniedRequest } from '../../../auth/denied-requests.js';
import { refusalOf } from '../mutation.js';

interface Asked {
  document: DocumentNode;
  definition: OperationDefinitionNode;
}

/** Records the errors of an operation, once for each root field. */
export function recordDeniedRequests(ctx: RequestContext, requested: Asked, errors: readonly unknown[]): void {
  const recorded = new Set<string>();
  for (const error of errors) {
    if (!isPlaced(error)) continue;
    const name = operationName(requested, String(error.path?.[0] ?? ''));
    if (recorded.has(name)) continue;
    recordDeniedRequest(ctx, name, error.originalError);
    recorded.add(name);
  }
}

/** The name of an operation in the record: "Query.agents" for a root field, also if it has an alias. */
export function operationName({ document, definition }: Asked, key?: string): string {
  const type = `${definition.operation.charAt(0).toUpperCase()}${definition.operation.slice(1)}`;
  const field = fieldNamed(document, definition.selectionSet, key);
  return field === undefined ? type : `${type}.${field}`;
}

/** @param key the response key of the field; the first field if absent. */
function fieldNamed(document: DocumentNode, { selections }: SelectionSetNode, key?: string): string | undefined {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      if (key === undefined || (selection.alias ?? selection.name).value === key) return selection.name.value;
      continue;
    }
    const within = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragmentNamed(document, selection.name.value);
    const found = within && fieldNamed(document, within.selectionSet, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

function fragmentNamed({ definitions }: DocumentNode, name: string) {
  for (const each of definitions) if (each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === name) return each;
  return undefined;
}

/** An error with a path: a GraphQLError, or an object of graphql-jit with the same fields. */
function isPlaced(error: unknown): error is { path?: readonly (string | number)[]; originalError: unknown } {
  return error instanceof Error && 'originalError' in error;
}

/** Records each mutation of a schema that returns a denied error. */
export function withDeniedRequestsRecorded(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve } = field;
    if (resolve === undefined) continue;
    field.resolve = async (root, args, ctx: RequestContext, info) => {
      const result: unknown = await resolve(root, args, ctx, info);
      const refusal = refusalOf(result);
      if (refusal !== undefined) ctx.onDeniedRequest({ operation: `Mutation.${field.name}`, message: refusal.message });
      return result;
    };
  }
  return schema;
}
