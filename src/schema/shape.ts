// Reads the fields of a zod object in the few types that a field of this API can have. Every API layer reads
// shapes through this file, so that a field is defined once and is the same in each API.
import { z } from 'zod';

/** The type of a field. */
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
  /** Whether responses can omit the field. */
  isOptional: boolean;
  /** Whether every response has the field, although the specification has it as optional. */
  isAlwaysPresent: boolean;
  /** Whether callers can omit the field, because it is optional or has a default. */
  isOptionalInput: boolean;
  /** The default value of an omitted field, if any. */
  defaultValue: unknown;
  /** Set only by the platform: no input has the field. */
  isReadOnly: boolean;
  /** Set when the resource is created, and immutable. */
  isImmutable: boolean;
  /** Set by the platform if the caller omits the field. */
  isFilledIn: boolean;
}

const labelSchemas = z.registry<{ entriesMax: number }>();

/** Marks a record of texts as labels, which are a list of keys and values in GraphQL. */
export function asLabels<Schema extends z.ZodType>(schema: Schema, entriesMax: number): Schema {
  labelSchemas.add(schema, { entriesMax });
  return schema;
}

const alwaysPresent = z.registry<{ isAlwaysPresent: true }>();

/** Marks a field that the specification has as optional and every response has, which is never null in GraphQL. */
export function asAlwaysPresent<Schema extends z.ZodType>(schema: Schema): Schema {
  alwaysPresent.add(schema, { isAlwaysPresent: true });
  return schema;
}

const decimalSchemas = z.registry<{ areDecimals: true }>();

/** Marks a text as an exact number, which is a Decimal in GraphQL. */
export function asDecimal<Schema extends z.ZodType>(schema: Schema): Schema {
  decimalSchemas.add(schema, { areDecimals: true });
  return schema;
}

/** Caches the fields of each shape, because every mutation reads the same shapes. */
const knownFields = new WeakMap<z.ZodObject, readonly Field[]>();

/** Returns the fields of a shape, in order. */
export function fieldsOf(shape: z.ZodObject): readonly Field[] {
  const known = knownFields.get(shape);
  if (known !== undefined) return known;
  const fields = Object.entries(shape.shape).map(([name, schema]) => fieldOf(name, schema));
  knownFields.set(shape, fields);
  return fields;
}

/** Returns the object below refinements and transformations, if any. */
export function objectOf(schema: z.core.$ZodType): z.ZodObject | undefined {
  const { inner } = unwrapped(schema);
  return inner instanceof z.ZodObject ? inner : undefined;
}

/** Returns the name and the description of a shape or an enum, for every API. */
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

/** Unwraps optional, default and other wrappers, and collects their properties. */
function unwrapped(schema: z.core.$ZodType): Omit<Field, 'name' | 'form'> & { inner: z.core.$ZodType } {
  let inner = schema;
  let description: string | undefined;
  let isOptional = false;
  let hasDefault = false;
  let defaultValue: unknown;
  let isReadOnly = false;
  let isImmutable = false;
  let isFilledIn = false;
  let isAlwaysPresent = false;
  for (;;) {
    const meta = z.globalRegistry.get(inner);
    // The description of a schema with an id belongs to the type, not to the field.
    if (meta?.id === undefined) description ??= meta?.description;
    isReadOnly ||= meta?.['readOnly'] === true;
    isImmutable ||= meta?.['x-immutable'] === true;
    isFilledIn ||= meta?.['x-filled-in'] === true;
    isAlwaysPresent ||= alwaysPresent.has(inner);
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
      // z.preprocess() has its schema after the transformation.
      inner = inner.in instanceof z.ZodTransform ? inner.out : inner.in;
    } else {
      const isOptionalInput = isOptional || hasDefault;
      const of = { isOptional, isAlwaysPresent, isOptionalInput, defaultValue, isReadOnly, isImmutable, isFilledIn };
      return { inner, description, ...of };
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

/** The texts "true" and "false" of the specification's REST API are a Boolean in GraphQL. */
function isTruth(schema: z.ZodEnum): boolean {
  return schema.options.length === 2 && schema.options.includes('true') && schema.options.includes('false');
}
