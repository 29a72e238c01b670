// What was refused to a caller, by the field that they asked for: errors of an operation, and mutations that answer why they
// changed nothing.
import { Kind } from 'graphql';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode, SelectionSetNode } from 'graphql';
import type { RequestContext } from '../../../auth/context.js';
import { recordDeniedRequest } from '../../../auth/denied-requests.js';
import { refusalOf } from '../mutation.js';

interface Asked {
  document: DocumentNode;
  definition: OperationDefinitionNode;
}

/** Tells of the errors of an operation, each field at the root once. */
export function recordDeniedRequests(ctx: RequestContext, asked: Asked, errors: readonly unknown[]): void {
  const told = new Set<string>();
  for (const error of errors) {
    if (!isPlaced(error)) continue;
    const name = operationName(asked, String(error.path?.[0] ?? ''));
    if (told.has(name)) continue;
    recordDeniedRequest(ctx, name, error.originalError);
    told.add(name);
  }
}

/** What an operation is known by: "Query.agents" for a field at its root, whatever it is called in the answer. */
export function operationName({ document, definition }: Asked, key?: string): string {
  const type = `${definition.operation.charAt(0).toUpperCase()}${definition.operation.slice(1)}`;
  const field = fieldNamed(document, definition.selectionSet, key);
  return field === undefined ? type : `${type}.${field}`;
}

/** @param key what it is called in the answer; the first one where it is absent. */
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

/** An error with a place in an answer: GraphQL's own, or one that graphql-jit made in its likeness. */
function isPlaced(error: unknown): error is { path?: readonly (string | number)[]; originalError: unknown } {
  return error instanceof Error && 'originalError' in error;
}

/** Has each mutation of a schema tell when it answers that the caller may not. */
export function withDeniedRequestsRecorded(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve } = field;
    if (resolve === undefined) continue;
    field.resolve = async (root, args, ctx: RequestContext, info) => {
      const result: unknown = await resolve(root, args, ctx, info);
      const refusal = refusalOf(result);
      if (refusal !== undefined) ctx.onRefusal({ operation: `Mutation.${field.name}`, message: refusal.message });
      return result;
    };
  }
  return schema;
}
