// An input as a caller writes it, read by its shape: into what the schema of the shape takes.
import { z } from 'zod';
import type { Problem } from '../errors.js';
import { BrokenInput } from './broken-input.js';
import { problemAt, problemsFrom, ruleOf } from './problem.js';
import { fieldsOf, objectOf } from './shape.js';
import type { Form } from './shape.js';

/** Problems of one input that an answer names. */
const problemsMax = 100;

/**
 * Reads what a new resource is to be. Null is the same as absent, what is read-only is ignored, and labels may be a
 * list of keys and values.
 *
 * @throws 400 `invalid_input` with every rule that is broken; for a list or a map that is too long, with that alone.
 */
export function readInput<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const problems: Problem[] = [];
  const form = formOf(schema);
  return checked(schema, form, given, valueFrom(form, given, [], problems), problems);
}

/**
 * Reads a change of a resource: an absent field stays, null removes it, a list (labels too) is replaced as a whole.
 * What is read-only stays as it is.
 *
 * @param current the resource as it is, in the form of the schema's input.
 * @throws 400 `invalid_input` with every rule that the changed resource would break; for a list or a map that is too
 *   long, with that alone.
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

function formOf(schema: z.ZodType): Form & { is: 'shape' } {
  const shape = objectOf(schema);
  if (shape === undefined) throw new Error('Only an object is read as an input');
  return { is: 'shape', shape };
}

function checked<Schema extends z.ZodType>(
  schema: Schema,
  form: Form,
  given: unknown,
  value: unknown,
  problems: Problem[],
): z.output<Schema> {
  // Thousands of wrong items take long to check, so an input with too many of them is not checked further.
  if (problems.some(({ code }) => code === 'too_long')) throw new BrokenInput(problems.slice(0, problemsMax), value);
  const parsed = schema.safeParse(value, { error: ruleOf, reportInput: true });
  const broken = parsed.success ? [] : parsed.error.issues.slice(0, problemsMax);
  const all = [...problems, ...problemsFrom(broken, form, given)].slice(0, problemsMax);
  if (!parsed.success || all.length > 0) throw new BrokenInput(all, value);
  return parsed.data;
}

function valueFrom(form: Form, given: unknown, path: string[], problems: Problem[]): unknown {
  switch (form.is) {
    case 'shape':
      return shapeFrom(form.shape, given, path, problems);
    case 'list':
      return listFrom(form, given, path, problems);
    case 'labels':
      return labelsFrom(form.entriesMax, given, path, problems);
    case 'json':
      return mapFrom(form.entriesMax, given, path, problems);
    case 'time':
      return typeof given === 'string' ? utcFrom(given) : given;
    default:
      return given;
  }
}

function listFrom(
  { item, itemsMax }: Form & { is: 'list' },
  given: unknown,
  path: string[],
  problems: Problem[],
): unknown {
  if (!Array.isArray(given)) return given;
  if (given.length > itemsMax) {
    problems.push(problemAt(path, 'too_long', `must be at most ${itemsMax} items`));
    return [];
  }
  return given.map((each: unknown, index) => valueFrom(item, each, [...path, String(index)], problems));
}

function shapeFrom(shape: z.ZodObject, given: unknown, path: string[], problems: Problem[]): unknown {
  if (!isObject(given)) return given;
  refuseUnknown(shape, given, path, problems);
  const fields = fieldsOf(shape).filter(({ name, isReadOnly }) => !isReadOnly && given[name] != null);
  return Object.fromEntries(
    fields.map(({ name, form }) => [name, valueFrom(form, given[name], [...path, name], problems)]),
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

function refuseUnknown(shape: z.ZodObject, given: object, path: string[], problems: Problem[]): void {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(shape.shape, name));
  for (const name of unknown.slice(0, problemsMax)) {
    problems.push(problemAt([...path, name], 'unknown_field', 'is not a field'));
  }
}

function mapFrom(entriesMax: number, given: unknown, path: string[], problems: Problem[]): unknown {
  if (!isObject(given) || Object.keys(given).length <= entriesMax) return given;
  problems.push(problemAt(path, 'too_long', `must be at most ${entriesMax} entries`));
  return {};
}

function labelsFrom(entriesMax: number, given: unknown, path: string[], problems: Problem[]): unknown {
  if (!Array.isArray(given)) return mapFrom(entriesMax, given, path, problems);
  if (given.length > entriesMax) {
    problems.push(problemAt(path, 'too_long', `must be at most ${entriesMax} entries`));
    return {};
  }
  const values = new Map<unknown, unknown>();
  for (const [index, each] of given.entries()) {
    if (!isObject(each)) return given;
    const here = [...path, String(index), 'key'];
    // An object of JavaScript cannot carry it as a key.
    if (each['key'] === '__proto__') problems.push(problemAt(here, 'invalid_value', 'must not be __proto__'));
    if (values.has(each['key'])) problems.push(problemAt(here, 'duplicate', 'is there twice'));
    values.set(each['key'], each['value']);
  }
  return Object.fromEntries(values);
}

/** The same instant in UTC with milliseconds; what is no time stays, for the schema to refuse. */
function utcFrom(text: string): string {
  const time = z.iso.datetime({ offset: true }).safeParse(text);
  return time.success ? new Date(time.data).toISOString() : text;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
