// What a zod object says of its fields, in the few forms that a field of this API can have. Every door reads a
// shape through here, so that a field is written once and no door can differ from another.
import { z } from 'zod';

/** What a field holds. */
export type Form =
  | { is: 'text' | 'boolean' | 'truth' | 'int' | 'bytes' | 'decimal' | 'time' }
  | { is: 'labels' | 'json'; entriesMax: number }
  | { is: 'word'; words: z.ZodEnum }
  | { is: 'list'; item: Form; itemsMax: number }
  | { is: 'shape'; shape: z.ZodObject };

/** Items of a list or entries of a map in an input, unless its schema has a lower limit. */
export const inputItemsMax = 1_000;

export interface Field {
  name: string;
  form: Form;
  description: string | undefined;
  /** Whether an answer may lack it. */
  isOptional: boolean;
  /** Whether a caller may leave it out: it is optional, or has a default. */
  isOptionalInput: boolean;
  /** The value of a field that a caller leaves out; undefined when it has none then. */
  defaultValue: unknown;
  /** Set by the platform alone: no input has it. */
  isReadOnly: boolean;
  /** Given when the resource is made, and never changed. */
  isImmutable: boolean;
  /** Set by the platform where no caller does. */
  isFilledIn: boolean;
}

const labelSchemas = z.registry<{ entriesMax: number }>();

/** Marks a record of texts as labels, which GraphQL has as a list of keys and values. */
export function asLabels<Schema extends z.ZodType>(schema: Schema, entriesMax: number): Schema {
  labelSchemas.add(schema, { entriesMax });
  return schema;
}

const decimalSchemas = z.registry<{ areDecimals: true }>();

/** Marks a text as an exact number, which GraphQL has as a Decimal. */
export function asDecimal<Schema extends z.ZodType>(schema: Schema): Schema {
  decimalSchemas.add(schema, { areDecimals: true });
  return schema;
}

/** What is written once is read once: each request that changes something asks for the same shapes. */
const knownFields = new WeakMap<z.ZodObject, readonly Field[]>();

/** The fields of a shape, in their order. */
export function fieldsOf(shape: z.ZodObject): readonly Field[] {
  const known = knownFields.get(shape);
  if (known !== undefined) return known;
  const fields = Object.entries(shape.shape).map(([name, schema]) => fieldOf(name, schema));
  knownFields.set(shape, fields);
  return fields;
}

/** The object below rules and transformations, or undefined when there is none. */
export function objectOf(schema: z.core.$ZodType): z.ZodObject | undefined {
  const { inner } = unwrapped(schema);
  return inner instanceof z.ZodObject ? inner : undefined;
}

/** The name and the description of a shape or a list of words, in every door. */
export function namesOf(schema: z.core.$ZodType): { name: string; description: string } {
  const { id, description } = z.globalRegistry.get(schema) ?? {};
  if (id === undefined || description === undefined) {
    throw new Error(`A shape needs an id and a description: ${id ?? JSON.stringify(z.toJSONSchema(schema))}`);
  }
  return { name: id, description };
}

function fieldOf(name: string, schema: z.core.$ZodType): Field {
  const { inner, ...field } = unwrapped(schema);
  return { name, form: formOf(name, inner), ...field };
}

/** What stands below optional, default, and other wraps, and what the wraps say. */
function unwrapped(schema: z.core.$ZodType): Omit<Field, 'name' | 'form'> & { inner: z.core.$ZodType } {
  let inner = schema;
  let description: string | undefined;
  let isOptional = false;
  let hasDefault = false;
  let defaultValue: unknown;
  let isReadOnly = false;
  let isImmutable = false;
  let isFilledIn = false;
  for (;;) {
    const meta = z.globalRegistry.get(inner);
    // What has an id is described as a type, not as a field.
    if (meta?.id === undefined) description ??= meta?.description;
    isReadOnly ||= meta?.['readOnly'] === true;
    isImmutable ||= meta?.['x-immutable'] === true;
    isFilledIn ||= meta?.['x-filled-in'] === true;
    if (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) {
      isOptional = true;
      inner = inner.unwrap();
    } else if (inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault) {
      hasDefault = true;
      ({ defaultValue } = inner.def);
      inner = inner.unwrap();
    } else if (inner instanceof z.ZodReadonly) {
      inner = inner.unwrap();
    } else if (inner instanceof z.ZodPipe) {
      inner = inner.in;
    } else {
      const isOptionalInput = isOptional || hasDefault;
      return { inner, description, isOptional, isOptionalInput, defaultValue, isReadOnly, isImmutable, isFilledIn };
    }
  }
}

function formOf(name: string, schema: z.core.$ZodType): Form {
  if (decimalSchemas.has(schema)) return { is: 'decimal' };
  if (schema instanceof z.ZodISODateTime) return { is: 'time' };
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) return { is: 'text' };
  if (schema instanceof z.ZodBoolean) return { is: 'boolean' };
  if (schema instanceof z.ZodNumberFormat) return { is: schema.format === 'int32' ? 'int' : 'bytes' };
  if (schema instanceof z.ZodEnum) return isTruth(schema) ? { is: 'truth' } : { is: 'word', words: schema };
  if (schema instanceof z.ZodObject) return { is: 'shape', shape: schema };
  if (schema instanceof z.ZodArray) {
    return { is: 'list', item: formOf(name, unwrapped(schema.element).inner), itemsMax: itemsMaxOf(schema) };
  }
  const ofLabels = labelSchemas.get(schema);
  if (ofLabels !== undefined) return { is: 'labels', entriesMax: ofLabels.entriesMax };
  if (schema instanceof z.ZodRecord || schema instanceof z.ZodCustom) return { is: 'json', entriesMax: inputItemsMax };
  throw new Error(`The field ${name} has a type that the APIs do not support: ${schema._zod.def.type}`);
}

function itemsMaxOf({ def: { checks = [] } }: z.ZodArray): number {
  const limits = checks.map((check) =>
    check instanceof z.core.$ZodCheckMaxLength ? check._zod.def.maximum : inputItemsMax,
  );
  return Math.min(inputItemsMax, ...limits);
}

/** REST's texts "true" and "false" of the specification are a Boolean in GraphQL. */
function isTruth(schema: z.ZodEnum): boolean {
  return schema.options.length === 2 && schema.options.includes('true') && schema.options.includes('false');
}
