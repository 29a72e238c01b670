import { getNamedType, isInputObjectType, isInterfaceType, isObjectType, isScalarType } from 'graphql';
import type { GraphQLInputType, GraphQLNamedType, GraphQLOutputType, GraphQLSchema } from 'graphql';

/** Gives each field without a description the description of its type, such as that of AgentSpec to `Agent.spec`. */
export function describeByType(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue;
    const fields: { description?: string | null | undefined; type: GraphQLInputType | GraphQLOutputType }[] =
      Object.values(type.getFields());
    for (const field of fields) {
      const own: GraphQLNamedType = getNamedType(field.type);
      if (!field.description && !isScalarType(own)) field.description = own.description;
    }
  }
  return schema;
}
