// The schema that introspection returns. Introspection has no applied directives, so GraphiQL and other tools read the
// required scopes of a field in its description. They come from the same declaration as @requiresScopes.
import { MapperKind, mapSchema } from '@graphql-tools/utils';
import type { GraphQLSchema } from 'graphql';
import { requiredScopesOf } from '../required-scopes.js';
import type { RequiredScopes } from '../required-scopes.js';

/** The same schema, with the required scopes of each field at the end of its description. */
export function introspectionSchema(schema: GraphQLSchema): GraphQLSchema {
  const types = schema.getTypeMap();
  return mapSchema(schema, {
    [MapperKind.COMPOSITE_FIELD]: (config, name, typeName) => {
      const type = types[typeName];
      const field = type !== undefined && 'getFields' in type ? type.getFields()[name] : undefined;
      const scopes = field !== undefined && 'args' in field ? requiredScopesOf(field) : undefined;
      if (scopes === undefined) return config;
      return { ...config, description: `${config.description ?? ''}\n\n${scopesText(scopes)}` };
    },
  });
}

/** The required scopes in words. @param scopes lists of scopes; the lists are alternatives. */
export function scopesText(scopes: RequiredScopes): string {
  const alternatives = scopes.map((all) => all.map((scope) => `\`${scope}\``).join(' and '));
  return `Required scopes: ${alternatives.join(', or ')}.`;
}
