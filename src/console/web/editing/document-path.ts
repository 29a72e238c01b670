// Values of a document by their path, such as `spec.runtime.memory`.
import type { Plain } from '../resources/spec-text.js';
import { isFields } from './patch.js';
import type { Fields } from './patch.js';

export function valueAt(document: Fields, path: string): Plain | undefined {
  return path
    .split('.')
    .reduce<Plain | undefined>((value, name) => (isFields(value) ? value[name] : undefined), document);
}

/** Sets a value, or removes it if it is empty, together with the objects that become empty. */
export function withValueAt(document: Fields, path: string, value: Plain | undefined): Fields {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) return withField(document, name, value);
  const inside = document[name];
  return withField(document, name, withValueAt(isFields(inside) ? inside : {}, rest.join('.'), value));
}

/** Sets a field, or removes it if the value is empty. */
export function withField(fields: Fields, name: string, value: Plain | undefined): Fields {
  const { [name]: _before, ...rest } = fields;
  const isEmpty = value === undefined || (isFields(value) && Object.keys(value).length === 0);
  return isEmpty ? rest : { ...fields, [name]: value };
}

const image = 'spec.runtime.image';

/** Adds the image of a resource to a document that does not name it, as `apply` does. The form can remove it. */
export function withBuiltImage(before: Fields, document: Fields | undefined): Fields | undefined {
  const built = valueAt(before, image);
  if (document === undefined || built === undefined || valueAt(document, image) !== undefined) return document;
  return withValueAt(document, image, built);
}
