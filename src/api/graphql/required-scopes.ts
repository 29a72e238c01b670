// The scopes that a field requires. A field declares them once. The directive @requiresScopes of the printed schema, the
// descriptions of introspection and the tests of authorization read this declaration.
import { DirectiveLocation, GraphQLDirective, GraphQLList, GraphQLNonNull, GraphQLString } from 'graphql';
import type { GraphQLField } from 'graphql';
import type { executorScope, Scope } from '../../auth/scopes.js';

/** Lists of scopes: the credential needs all scopes of one list. */
export type RequiredScopes = readonly (readonly (Scope | typeof executorScope)[])[];

class Declared {
  constructor(readonly scopes: RequiredScopes) {}
}

/** The extensions of a field that requires scopes. */
export function requiresScopes(scopes: RequiredScopes) {
  return { requiredScopes: new Declared(scopes) };
}

/** The scopes that a field requires; undefined for a field without a declaration. */
export function requiredScopesOf({ extensions }: GraphQLField<unknown, unknown>): RequiredScopes | undefined {
  const declared = extensions['requiredScopes'];
  return declared instanceof Declared ? declared.scopes : undefined;
}

/** The required scopes in words. @param scopes lists of scopes; the lists are alternatives. */
export function scopesText(scopes: RequiredScopes): string {
  const alternatives = scopes.map((all) => all.map((scope) => `\`${scope}\``).join(' and '));
  return `Required scopes: ${alternatives.join(', or ')}.`;
}

const scopeList = new GraphQLList(new GraphQLNonNull(GraphQLString));

/** The directive `@requiresScopes` of Apollo Federation. */
export const requiresScopesDirective = new GraphQLDirective({
  name: 'requiresScopes',
  description:
    'The scopes that the credential needs for a field: all scopes of one of the lists. `admin` includes all scopes ' +
    'except `assignments:work`.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    scopes: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(scopeList))),
      description: 'Lists of scopes. The lists are alternatives.',
    },
  },
});
