// What the schema allows at a place of a YAML text.
import type { FieldShape } from '../build/input-shapes.js';
import { choicesOf, isInput, isPair, shapesOf } from './shapes.js';
import type { Place } from './text-position.js';

export interface Suggestion {
  label: string;
  /** The text to insert. */
  insert: string;
  /** The type of the value. */
  detail: string;
  /** The description of the field. */
  info: string;
}

/** @param values suggested values by field name. */
export function suggestionsAt(
  input: string,
  place: Place,
  values: ReadonlyMap<string, readonly string[]>,
): Suggestion[] {
  const fields = fieldsAt(input, place.path);
  if (place.key === undefined) {
    return fields
      .filter(({ name }) => !place.siblings.includes(name))
      .map((field) => ({
        label: field.name,
        insert: isInput(field) || field.isList ? `${field.name}:` : `${field.name}: `,
        detail: `${field.isList ? 'list of ' : ''}${field.type}${field.isRequired ? ', required' : ''}`,
        info: field.hint,
      }));
  }
  const field = fields.find(({ name }) => name === place.key);
  if (field === undefined) return [];
  const choices = field.type === 'Boolean' ? ['true', 'false'] : (choicesOf(field) ?? values.get(field.name) ?? []);
  return choices.map((label) => ({ label, insert: label, detail: '', info: '' }));
}

/** The fields of the object at a path. Labels have keys of their own. */
function fieldsAt(input: string, path: readonly string[]): readonly FieldShape[] {
  if (path.length === 0) return shapesOf(input).filter(({ name }) => name === 'metadata' || name === 'spec');
  return path.reduce<readonly FieldShape[]>((fields, name) => {
    const field = fields.find((each) => each.name === name);
    return field === undefined || isPair(field) ? [] : shapesOf(field.type);
  }, shapesOf(input));
}
