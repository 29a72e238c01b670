// Converts the fields of a document to and from GraphQL: selections, results and inputs.
import type { z } from 'zod';
import { enumName } from '../api/graphql/enums.js';
import { fieldsOf } from '../schema/shape.js';
import type { Field, Form } from '../schema/shape.js';
import { isMap, jsonValue } from './shape-document.js';
import type { Value, Values } from './shape-document.js';

/** The selection of all fields of a shape that a document can have. */
export function selectionOf(shape: z.ZodObject): string {
  return writable(shape)
    .map(({ name, form }) => `${name}${selectionBelow(form)}`)
    .join(' ');
}

function selectionBelow(form: Form): string {
  if (form.is === 'shape') return ` { ${selectionOf(form.shape)} }`;
  if (form.is === 'labels') return ' { key value }';
  return form.is === 'list' ? selectionBelow(form.item) : '';
}

/** Converts a result to a document: without empty fields, and with enums as in the specification. */
export function documentFields(shape: z.ZodObject, answered: unknown): Values {
  const answers = isMap(answered) ? answered : {};
  const values: Values = {};
  for (const { name, form } of writable(shape)) {
    const value = documentValue(form, answers[name]);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

function documentValue(form: Form, answered: unknown): Value | undefined {
  if (answered == null) return undefined;
  switch (form.is) {
    case 'shape':
      return documentFields(form.shape, answered);
    case 'list':
      return list(answered).map((each) => documentValue(form.item, each) ?? null);
    case 'labels': {
      const labels = list(answered).flatMap((each) =>
        isMap(each) ? [[String(each['key']), String(each['value'])]] : [],
      );
      return labels.length === 0 ? undefined : Object.fromEntries(labels);
    }
    case 'word':
      return form.words.options.map(String).find((word) => enumName(word) === answered) ?? String(answered);
    default:
      return JSON.parse(JSON.stringify(answered));
  }
}

/** The fields of a document, with the defaults of omitted ones. */
export function withDefaults(shape: z.ZodObject, values: Values): Values {
  const fields = writable(shape).flatMap(({ name, form, defaultValue }) => {
    const value = values[name] ?? (defaultValue === undefined ? undefined : jsonValue(defaultValue));
    return value === undefined ? [] : [[name, defaultsWithin(form, value)]];
  });
  return Object.fromEntries(fields);
}

function defaultsWithin(form: Form, value: Value): Value {
  if (form.is === 'shape') return withDefaults(form.shape, mapOr(value));
  return form.is === 'list' && Array.isArray(value) ? value.map((each) => defaultsWithin(form.item, each)) : value;
}

/** The input that creates a resource with these fields. */
export function creationFields(shape: z.ZodObject, values: Values): Values {
  const fields = writable(shape).flatMap(({ name, form }) => {
    const value = values[name];
    return value === undefined ? [] : [[name, inputValue(form, value)]];
  });
  return Object.fromEntries(fields);
}

/**
 * The update input for exactly these fields: other fields are cleared. Immutable fields are omitted, and so are fields
 * that the platform fills in, also in a shape that the document omits.
 */
export function updateFields(shape: z.ZodObject, desired: Values, current: Values): Values {
  const changes: Values = {};
  for (const { name, form, isImmutable, isFilledIn } of writable(shape)) {
    const value = desired[name];
    const before = current[name];
    if (isImmutable || (value === undefined && (before === undefined || isFilledIn))) continue;
    if (form.is === 'shape' && (isMap(value) || isPartlyFilledIn(form.shape, before))) {
      changes[name] = updateFields(form.shape, mapOr(value), mapOr(before));
    } else changes[name] = value === undefined ? null : inputValue(form, value);
  }
  return changes;
}

function isPartlyFilledIn(shape: z.ZodObject, current: Value | undefined): boolean {
  return Object.keys(withFilledIn(shape, {}, mapOr(current))).length > 0;
}

/** The fields of a document, with those that it omits and the platform has filled in. */
export function withFilledIn(shape: z.ZodObject, desired: Values, current: Values): Values {
  const values = { ...desired };
  for (const { name, form, isFilledIn } of writable(shape)) {
    const [value, before] = [desired[name], current[name]];
    if (before === undefined) continue;
    if (value === undefined && isFilledIn) values[name] = before;
    else if (form.is === 'shape' && (value === undefined || isMap(value))) {
      const within = withFilledIn(form.shape, mapOr(value), mapOr(before));
      if (value !== undefined || Object.keys(within).length > 0) values[name] = within;
    }
  }
  return values;
}

/** The immutable fields with a different value: their names and values. */
export function immutableDifferences(
  shape: z.ZodObject,
  desired: Values,
  current: Values,
): { name: string; is: Value }[] {
  return writable(shape).flatMap(({ name, isImmutable }) => {
    const value = desired[name];
    return isImmutable && value !== undefined && value !== current[name] ? [{ name, is: current[name] ?? null }] : [];
  });
}

function inputValue(form: Form, value: Value): Value {
  switch (form.is) {
    case 'shape':
      return creationFields(form.shape, mapOr(value));
    case 'list':
      return Array.isArray(value) ? value.map((each) => inputValue(form.item, each)) : value;
    case 'labels':
      return Object.entries(mapOr(value)).map(([key, each]) => ({ key, value: each }));
    case 'word':
      return enumName(String(value));
    default:
      return value;
  }
}

function writable(shape: z.ZodObject): Field[] {
  return fieldsOf(shape).filter(({ isReadOnly }) => !isReadOnly);
}

function mapOr(value: Value | undefined): Values {
  return value !== undefined && value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
