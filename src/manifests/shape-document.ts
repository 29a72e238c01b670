// Validates the content of a document with the shape of its kind, and normalizes it: words of the specification, labels
// as a map, no empty or read-only fields. The gateway checks the rules of the kind.
import type { z } from 'zod';
import { enumName } from '../api/graphql/enums.js';
import { fieldsOf } from '../schema/shape.js';
import type { Form } from '../schema/shape.js';

export type Value = string | number | boolean | null | Value[] | Values;
export interface Values {
  [name: string]: Value;
}

/** A problem of a document, and its path. */
export interface DocumentProblem {
  path: (string | number)[];
  message: string;
}

type Path = DocumentProblem['path'];
type Tell = (path: Path, message: string) => void;

/** The fields of a document for a shape. @param tell is called with each problem */
export function checkedFields(shape: z.ZodObject, given: unknown, path: Path, tell: Tell): Values {
  if (!isMap(given)) {
    tell(path, `must be a map of fields, not ${kindOf(given)}`);
    return {};
  }
  const fields = fieldsOf(shape);
  const known = new Set(fields.map(({ name }) => name));
  for (const name of Object.keys(given)) {
    if (!known.has(name)) tell([...path, name], `is not a field. Fields: ${writableNames(shape).join(', ')}`);
  }
  const values: Values = {};
  for (const { name, form, isReadOnly, isOptionalInput } of fields) {
    if (isReadOnly) continue;
    const value = given[name];
    if (value == null) {
      if (!isOptionalInput) tell([...path, name], 'is required');
    } else values[name] = checkedValue(form, value, [...path, name], tell);
  }
  return values;
}

function writableNames(shape: z.ZodObject): string[] {
  return fieldsOf(shape).flatMap(({ name, isReadOnly }) => (isReadOnly ? [] : [name]));
}

function checkedValue(form: Form, given: unknown, path: Path, tell: Tell): Value {
  switch (form.is) {
    case 'shape':
      return checkedFields(form.shape, given, path, tell);
    case 'list':
      if (Array.isArray(given))
        return given.map((each, index) => checkedValue(form.item, each, [...path, index], tell));
      return refused('a list');
    case 'labels':
      return checkedLabels(given, path, tell);
    case 'json':
      return jsonValue(given);
    case 'word':
      return checkedWord(form.words.options.map(String), given, path, tell);
    case 'int':
    case 'bytes':
      return typeof given === 'number' && Number.isInteger(given) ? given : refused('a whole number');
    case 'boolean':
    case 'truth':
      return typeof given === 'boolean' ? given : refused('true or false');
    case 'text':
    case 'decimal':
    case 'time':
      return typeof given === 'string' ? given : refused('a string, in quotation marks');
  }

  function refused(what: string): Value {
    tell(path, `must be ${what}, not ${kindOf(given)}`);
    return null;
  }
}

function checkedWord(words: string[], given: unknown, path: Path, tell: Tell): Value {
  const word = words.find((each) => each === given || enumName(each) === given);
  if (word === undefined) tell(path, `must be one of: ${words.join(', ')}`);
  return word ?? null;
}

/** Labels as a map, or as in the API: a list of keys and values. */
function checkedLabels(given: unknown, path: Path, tell: Tell): Value {
  const labels: Values = Object.create(null);
  const add = (key: string, value: unknown, at: Path) => {
    if (typeof value === 'string') labels[key] = value;
    else tell(at, `must be a string, in quotation marks, not ${kindOf(value)}`);
  };
  if (isMap(given)) for (const [key, value] of Object.entries(given)) add(key, value, [...path, key]);
  else if (Array.isArray(given)) {
    for (const [index, each] of given.entries()) {
      if (!isMap(each) || typeof each['key'] !== 'string') tell([...path, index], 'must have a key and a value');
      else if (Object.hasOwn(labels, each['key'])) tell([...path, index, 'key'], 'must be unique');
      else add(each['key'], each['value'], [...path, index, 'value']);
    }
  } else tell(path, `must be a map of strings, not ${kindOf(given)}`);
  return labels;
}

/** Values of a YAML or JSON parser are JSON. */
export function jsonValue(given: unknown): Value {
  if (Array.isArray(given)) return given.map(jsonValue);
  if (isMap(given)) return Object.fromEntries(Object.entries(given).map(([name, each]) => [name, jsonValue(each)]));
  return typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean' ? given : null;
}

function kindOf(value: unknown): string {
  if (value == null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a map' : `the ${typeof value} ${JSON.stringify(value)}`;
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
