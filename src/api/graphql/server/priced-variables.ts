import { TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { DocumentNode, FieldNode } from 'graphql';
import { schema } from './schema.js';

/**
 * The variables that the price of a document's operations depends on: those in arguments of fields that are priced by
 * their arguments. Most variables of mutations are not among them.
 */
export function pricedVariables(document: DocumentNode): ReadonlySet<string> {
  const names = new Set<string>();
  const types = new TypeInfo(schema);
  const Field = (field: FieldNode) => {
    if (typeof types.getFieldDef()?.extensions['complexity'] !== 'function') return;
    for (const argument of field.arguments ?? []) {
      visit(argument, { Variable: ({ name }) => void names.add(name.value) });
    }
  };
  visit(document, visitWithTypeInfo(types, { Field }));
  return names;
}
