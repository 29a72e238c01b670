// Validates the content of a document with the shape of its kind, and normalizes it: words of the specification, labels
// as a map, no empty or read-only fields. The gateway checks the rules of the kind.
import { z } from 'zod';
import { quoted } from '../errors.js';
import { enumName } from '../api/graphql/enums.js';
import { label } from '../schema/resource.js';
import { fieldsOf } from '../schema/shape.js';
import type { Form } from '../schema/shape.js';
import { timeText } from '../schema/time.js';

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
export function checkedFields(shape: z.ZodObject, input: unknown, path: Path, tell: Tell): Values {
  if (!isMap(input)) {
    tell(path, `must be a map of fields, not ${kindOf(input)}`);
    return {};
  }
  refuseUnknown(shape, input, path, tell);
  const values: Values = {};
  for (const { name, form, isReadOnly, isOptionalInput } of fieldsOf(shape)) {
    if (isReadOnly) continue;
    const value = input[name];
    if (value == null) {
      if (!isOptionalInput) tell([...path, name], 'is required');
    } else values[name] = checkedValue(form, value, [...path, name], tell);
  }
  return values;
}

function refuseUnknown(shape: z.ZodObject, input: Record<string, unknown>, path: Path, tell: Tell): void {
  const writable = fieldsOf(shape).flatMap(({ name, isReadOnly }) => (isReadOnly ? [] : [name]));
  for (const name of Object.keys(input)) {
    if (!Object.hasOwn(shape.shape, name)) tell([...path, name], `is not a field. Fields: ${writable.join(', ')}`);
  }
}

const int = z.int32();

function checkedValue(form: Form, input: unknown, path: Path, tell: Tell): Value {
  switch (form.is) {
    case 'shape':
      return checkedFields(form.shape, input, path, tell);
    case 'list':
      if (Array.isArray(input))
        return input.map((each, index) => checkedValue(form.item, each, [...path, index], tell));
      return refused('a list');
    case 'labels':
      return checkedLabels(input, path, tell);
    case 'json':
      return isMap(input) ? jsonValue(input) : refused('a map');
    case 'word':
      return checkedWord(form.words.options.map(String), input, path, tell);
    case 'int':
      if (Number.isInteger(input) && !int.safeParse(input).success) {
        tell(path, `must be from ${int.minValue} to ${int.maxValue}`);
      }
      return checkedValue({ is: 'bytes' }, input, path, tell);
    case 'bytes':
      return typeof input === 'number' && Number.isInteger(input) ? input : refused('a whole number');
    case 'boolean':
    case 'truth':
      return typeof input === 'boolean' ? input : refused('true or false');
    case 'time':
      if (typeof input === 'string' && !timeText.safeParse(input).success) {
        tell(path, 'must be an RFC 3339 time, such as 2026-04-28T00:00:00Z');
      }
      return checkedValue({ is: 'text' }, input, path, tell);
    case 'text':
    case 'decimal':
      return typeof input === 'string' ? input : refused('a string, in quotation marks');
  }

  function refused(problem: string): Value {
    tell(path, `must be ${problem}, not ${kindOf(input)}`);
    return null;
  }
}

function checkedWord(words: string[], input: unknown, path: Path, tell: Tell): Value {
  const word = words.find((each) => each === input || enumName(each) === input);
  if (word === undefined) tell(path, `must be one of: ${words.join(', ')}`);
  return word ?? null;
}

/** Labels as a map, or as in the API: a list of keys and values. */
function checkedLabels(input: unknown, path: Path, tell: Tell): Value {
  const labels: Values = Object.create(null);
  const add = (key: string, value: unknown, at: Path) => {
    if (typeof value === 'string') labels[key] = value;
    else tell(at, `must be a string, in quotation marks, not ${kindOf(value)}`);
  };
  if (isMap(input)) for (const [key, value] of Object.entries(input)) add(key, value, [...path, key]);
  else if (Array.isArray(input)) {
    for (const [index, each] of input.entries()) {
      if (!isMap(each) || typeof each['key'] !== 'string') tell([...path, index], 'must have a key and a value');
      else if (Object.hasOwn(labels, each['key'])) tell([...path, index, 'key'], 'must be unique');
      else {
        refuseUnknown(label, each, [...path, index], tell);
        add(each['key'], each['value'], [...path, index, 'value']);
      }
    }
  } else tell(path, `must be a map of strings, not ${kindOf(input)}`);
  return labels;
}

/** Values of a YAML or JSON parser are JSON. */
export function jsonValue(value: unknown): Value {
  if (Array.isArray(value)) return value.map(jsonValue);
  if (isMap(value)) return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, jsonValue(each)]));
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function kindOf(value: unknown): string {
  if (value == null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a map' : `the ${typeof value} ${quoted(value)}`;
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
