// Lists in traces: the duration of each list of a query, and the statements that it requested.
import { getNamedType, isObjectType } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import type { RequestContext } from '../../../auth/context.js';

/** Adds a span for each list to traced requests. For other requests it only reads the context. */
export function withListsTraced(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field;
      const answered = getNamedType(field.type);
      if (resolve === undefined || !isObjectType(answered) || !answered.name.endsWith('Connection')) continue;
      // The name in the schema, not an alias of the caller.
      const name = `${type.name}.${field.name}`;
      field.resolve = (parent, args, ctx: RequestContext, info) =>
        ctx.traceList === undefined
          ? resolve(parent, args, ctx, info)
          : ctx.traceList(name, () => resolve(parent, args, ctx, info));
    }
  }
  return schema;
}
