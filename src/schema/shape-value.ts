// Converts the input of a caller to the input of the schema of its shape.
import type { z } from 'zod';
import type { Problem } from '../errors.js';
import { problemsMax } from '../input/limits.js';
import { BrokenInput } from './broken-input.js';
import { problemAt, problemsFrom, ruleOf } from './problem.js';
import { fieldsOf, objectOf } from './shape.js';
import type { Form } from './shape.js';
import { timeText } from './time.js';

/**
 * Reads the input of a new resource. Null is the same as absent, read-only fields are ignored, and labels can be a
 * list of keys and values.
 *
 * @throws 400 `invalid_input` with all problems; if a list or map is too long, only with that problem.
 */
export function readInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const problems: Problem[] = [];
  const form = formOf(schema);
  return checked(schema, form, input, valueFrom(form, input, [], problems), problems);
}

/**
 * Reads an update of a resource: absent fields are kept, null removes a field, lists (and labels) are replaced.
 * Read-only fields are kept.
 *
 * @param current the current resource, as input of the schema.
 * @throws 400 `invalid_input` with all problems of the changed resource; if a list or map is too
 *   long, only with that problem.
 */
export function readUpdate<Schema extends z.ZodType>(
  schema: Schema,
  current: unknown,
  changes: unknown,
): z.output<Schema> {
  const problems: Problem[] = [];
  const form = formOf(schema);
  return checked(schema, form, changes, mergedFrom(form.shape, current, changes, [], problems), problems);
}

/**
 * Refuses null for fields of an update that always have a value.
 *
 * @throws 400 `invalid_input` with each of these fields that is null.
 */
export function refuseNull<Input extends object>(input: Input, names: readonly (keyof Input & string)[]): void {
  const given = names.filter((name) => input[name] === null);
  const problems = given.map((name) => problemAt([name], 'required', 'must not be null: it always has a value'));
  if (problems.length > 0) throw new BrokenInput(problems, {});
}

/** Returns the problem of a map with a key that zod would drop without an error. */
export function reservedKeyIn(map: object, path: string[]): Problem[] {
  return Object.hasOwn(map, reserved) ? [reservedAt([...path, reserved])] : [];
}

function formOf(schema: z.ZodType): Form & { is: 'shape' } {
  const shape = objectOf(schema);
  if (shape === undefined) throw new Error('An input must be an object');
  return { is: 'shape', shape };
}

function checked<Schema extends z.ZodType>(
  schema: Schema,
  form: Form,
  input: unknown,
  value: unknown,
  problems: Problem[],
): z.output<Schema> {
  // Checking thousands of invalid items takes long, so an input with too many items is not checked further.
  if (problems.some(({ code }) => code === 'too_long')) throw new BrokenInput(problems.slice(0, problemsMax), value);
  const parsed = schema.safeParse(value, { error: ruleOf, reportInput: true });
  const broken = parsed.success ? [] : parsed.error.issues.slice(0, problemsMax);
  const all = [...problems, ...problemsFrom(broken, form, input)].slice(0, problemsMax);
  if (!parsed.success || all.length > 0) throw new BrokenInput(all, value);
  return parsed.data;
}

function valueFrom(form: Form, value: unknown, path: string[], problems: Problem[]): unknown {
  switch (form.is) {
    case 'shape':
      return shapeFrom(form.shape, value, path, problems);
    case 'list':
      return listFrom(form, value, path, problems);
    case 'labels':
      return labelsFrom(form.entriesMax, value, path, problems);
    case 'json':
      return mapFrom(form.entriesMax, value, path, problems);
    case 'time':
      return typeof value === 'string' ? utcFrom(value) : value;
    default:
      return value;
  }
}

function listFrom(
  { item, itemsMax }: Form & { is: 'list' },
  value: unknown,
  path: string[],
  problems: Problem[],
): unknown {
  if (!Array.isArray(value)) return value;
  if (value.length > itemsMax) {
    problems.push(
      problemAt(path, 'too_long', `must be at most ${itemsMax} items`, { limit: itemsMax, actual: value.length }),
    );
    return [];
  }
  return value.map((each: unknown, index) => valueFrom(item, each, [...path, String(index)], problems));
}

function shapeFrom(shape: z.ZodObject, value: unknown, path: string[], problems: Problem[]): unknown {
  if (!isObject(value)) return value;
  refuseUnknown(shape, value, path, problems);
  const fields = fieldsOf(shape).filter(({ name, isReadOnly }) => !isReadOnly && value[name] != null);
  return Object.fromEntries(
    fields.map(({ name, form }) => [name, valueFrom(form, value[name], [...path, name], problems)]),
  );
}

function mergedFrom(
  shape: z.ZodObject,
  current: unknown,
  changes: unknown,
  path: string[],
  problems: Problem[],
): unknown {
  if (!isObject(changes)) return changes;
  refuseUnknown(shape, changes, path, problems);
  const before = isObject(current) ? current : {};
  const fields = fieldsOf(shape).map(({ name, form, isReadOnly, isImmutable }) => {
    const change = changes[name];
    const here = [...path, name];
    if (isReadOnly || change === undefined) return [name, before[name]];
    if (isImmutable) {
      if (change !== before[name]) problems.push(problemAt(here, 'immutable', 'never changes'));
      return [name, before[name]];
    }
    if (change === null) return [name, undefined];
    const value =
      form.is === 'shape'
        ? mergedFrom(form.shape, before[name], change, here, problems)
        : valueFrom(form, change, here, problems);
    return [name, value];
  });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function refuseUnknown(shape: z.ZodObject, value: object, path: string[], problems: Problem[]): void {
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(shape.shape, name));
  for (const name of unknown.slice(0, problemsMax)) {
    problems.push(problemAt([...path, name], 'unknown_field', 'is not a field'));
  }
}

function mapFrom(entriesMax: number, value: unknown, path: string[], problems: Problem[]): unknown {
  if (!isObject(value)) return value;
  problems.push(...reservedKeyIn(value, path));
  const actual = Object.keys(value).length;
  if (actual <= entriesMax) return value;
  problems.push(problemAt(path, 'too_long', `must be at most ${entriesMax} entries`, { limit: entriesMax, actual }));
  return {};
}

function labelsFrom(entriesMax: number, value: unknown, path: string[], problems: Problem[]): unknown {
  if (!Array.isArray(value)) return mapFrom(entriesMax, value, path, problems);
  if (value.length > entriesMax) {
    const exceeded = { limit: entriesMax, actual: value.length };
    problems.push(problemAt(path, 'too_long', `must be at most ${entriesMax} entries`, exceeded));
    return {};
  }
  const values = new Map<unknown, unknown>();
  for (const [index, each] of value.entries()) {
    if (!isObject(each)) return value;
    const here = [...path, String(index), 'key'];
    if (each['key'] === reserved) problems.push(reservedAt(here));
    if (values.has(each['key'])) problems.push(problemAt(here, 'duplicate', 'must be unique'));
    values.set(each['key'], each['value']);
  }
  return Object.fromEntries(values);
}

/** A key that zod drops from maps, because it can replace the prototype of an object. */
const reserved = '__proto__';

function reservedAt(path: string[]): Problem {
  return problemAt(path, 'invalid_value', `must not be ${reserved}`);
}

/** Returns the same instant in UTC with milliseconds. Other values are returned unchanged; the schema rejects them. */
function utcFrom(text: string): string {
  const time = timeText.safeParse(text);
  return time.success ? new Date(time.data).toISOString() : text;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
