import { Kind, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { Caller } from '../../auth/caller.js';
import { executorScope } from '../../auth/scopes.js';
import { requiredScopesOf } from '../graphql/required-scopes.js';
import type { Operation } from '../graphql/server/operation.js';
import { schema } from '../graphql/server/schema.js';

/**
 * The scopes that the caller lacks for an operation. Of alternatives, those that lack least. The scope of executors is
 * not among them, because nobody can request it.
 */
export function missingScopes({ document, definition }: Operation, { scopes }: Caller): string[] {
  if (scopes.has('admin')) return [];
  const missing = new Set<string>();
  const types = new TypeInfo(schema);
  const collect = visitWithTypeInfo(types, {
    Field: () => {
      const field = types.getFieldDef();
      const lists = (field && requiredScopesOf(field)) ?? [];
      const lacking = lists.map((list) => list.filter((scope) => !scopes.has(scope)));
      const [least = []] = lacking.toSorted((a, b) => a.length - b.length);
      if (!least.includes(executorScope)) for (const scope of least) missing.add(scope);
    },
  });
  for (const each of document.definitions)
    if (each === definition || each.kind === Kind.FRAGMENT_DEFINITION) visit(each, collect);
  return [...missing];
}
