// Reads what providers send. Names of attributes ignore upper and lower case (RFC 7643, section 2.1).
import { invalidSyntax } from './scim-error.js';

export type Document = Record<string, unknown>;

export function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws {ScimError} 400 `invalidSyntax` unless the body is an object of the schema. */
export function requireDocument(body: unknown, schema: string): Document {
  if (!isDocument(body)) throw invalidSyntax('The body must be a JSON object.');
  const schemas = attributeOf(body, 'schemas');
  const isOfSchema =
    Array.isArray(schemas) &&
    schemas.some((each) => typeof each === 'string' && each.toLowerCase() === schema.toLowerCase());
  if (!isOfSchema) throw invalidSyntax(`schemas must contain ${schema}.`);
  return body;
}

/** An attribute by its name in any case; undefined if it is absent or null. */
export function attributeOf(document: Document, name: string): unknown {
  const lower = name.toLowerCase();
  const key = Object.keys(document).find((each) => each.toLowerCase() === lower);
  return key === undefined ? undefined : (document[key] ?? undefined);
}

/** An object with only the named attributes, spelled as named. */
export function onlyAttributes(document: Document, names: readonly string[]): Document {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = attributeOf(document, name);
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** Entra ID sends `"True"` and `"False"`, and simple values in a list: `[{"value": "False"}]`. */
export function simpleValue(value: unknown): unknown {
  const [only, ...others] = Array.isArray(value) ? value : [];
  return others.length === 0 && isDocument(only) && 'value' in only ? only['value'] : value;
}

/** A boolean that may be a text. */
export function booleanValue(value: unknown): unknown {
  const simple = simpleValue(value);
  const text = typeof simple === 'string' ? simple.toLowerCase() : undefined;
  return text === 'true' ? true : text === 'false' ? false : simple;
}
