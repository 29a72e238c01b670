import { getNamedType, isInputObjectType, isInterfaceType, isObjectType, isScalarType } from 'graphql';
import type { GraphQLInputType, GraphQLNamedType, GraphQLOutputType, GraphQLSchema } from 'graphql';
import { requiredScopesOf, scopesText } from '../required-scopes.js';

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

/**
 * Adds the required scopes of each field to its description. Introspection has no applied directives, so GraphiQL and
 * other tools read them there.
 */
export function describeRequiredScopes(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const scopes = requiredScopesOf(field);
      if (scopes !== undefined) field.description = `${field.description ?? ''}\n\n${scopesText(scopes)}`;
    }
  }
  return schema;
}
