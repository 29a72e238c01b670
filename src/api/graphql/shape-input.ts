// Builds GraphQL input types from zod shapes: one to create a resource, and one to update it. The values that
// they carry are parsed by schema/shape-value.ts, which validates them by the schema of the shape.
import type { InputObjectRef } from '@pothos/core';
import type { z } from 'zod';
import { label } from '../../schema/resource.js';
import { fieldsOf, namesOf, objectOf } from '../../schema/shape.js';
import type { Field } from '../../schema/shape.js';
import { builder } from './builder.js';
import type { InputFields, Types } from './builder.js';
import { itemTypeOf } from './shape-type.js';

/** The values are unknown until they are parsed by the shape. */
type InputType = InputObjectRef<Types, Record<string, unknown>>;

const updateRule = 'An absent field keeps its value, null removes the value, and a list replaces the whole list.';

const inputTypes = new Map<string, InputType>();

/** The input of a shape, such as AgentSpecInput, without what is read-only. */
export function inputType(schema: z.core.$ZodType): InputType {
  const shape = shapeOf(schema);
  const { name, description } = namesOf(shape);
  return (
    inputTypes.get(`${name}Input`) ??
    implement(`${name}Input`, description, (t) => Object.entries(inputFields(t, shape)))
  );
}

/** The fields of a shape's input, for an input type with additional fields. */
export function inputFields(t: InputFields, schema: z.core.$ZodType) {
  return Object.fromEntries(writable(shapeOf(schema)).map((field) => [field.name, inputField(t, field)]));
}

/**
 * The input that updates a shape, such as AgentSpecUpdateInput. An absent field keeps its value, and null removes
 * the value. A list replaces the whole list, so its items have the same type as in the input for creation.
 */
export function updateInputType(schema: z.core.$ZodType): InputType {
  const shape = shapeOf(schema);
  const { name, description } = namesOf(shape);
  return (
    inputTypes.get(`${name}UpdateInput`) ??
    implement(`${name}UpdateInput`, `${description} ${updateRule}`, (t) =>
      writable(shape)
        .filter(({ isImmutable }) => !isImmutable)
        .map((field) => [field.name, updateField(t, field)]),
    )
  );
}

function shapeOf(schema: z.core.$ZodType): z.ZodObject {
  const shape = objectOf(schema);
  if (shape === undefined) throw new Error('Only an object has an input type');
  return shape;
}

function writable(shape: z.ZodObject): Field[] {
  return fieldsOf(shape).filter(({ isReadOnly }) => !isReadOnly);
}

function implement(
  name: string,
  description: string,
  fields: (t: InputFields) => [string, ReturnType<typeof inputField>][],
): InputType {
  const type = builder.inputType(name, { description, fields: (t) => Object.fromEntries(fields(t)) });
  inputTypes.set(name, type);
  return type;
}

function inputField(t: InputFields, field: Field, required = !field.isOptionalInput) {
  const { form } = field;
  const description = withDefault(field);
  const options = { required, ...(description === undefined ? {} : { description }) };
  switch (form.is) {
    case 'list':
      return t.field({ type: [itemTypeOf(form.item, inputType)], ...options });
    case 'labels':
      return t.field({ type: [inputType(label)], ...options });
    default:
      return t.field({ type: itemTypeOf(form, inputType), ...options });
  }
}

/** The description of a field, with its default value in the last sentence. */
function withDefault({ description, defaultValue }: Field): string | undefined {
  const isNamed = description === undefined || /\bdefault\b/i.test(description);
  if (isNamed || defaultValue === undefined || defaultValue === '' || typeof defaultValue === 'object')
    return description;
  return `${description} Default: ${String(defaultValue)}.`;
}

function updateField(t: InputFields, field: Field) {
  const { form } = field;
  if (form.is !== 'shape') return inputField(t, { ...field, defaultValue: undefined }, false);
  const type = isUpdatedAsCreated(form.shape) ? inputType(form.shape) : updateInputType(form.shape);
  const { description = namesOf(form.shape).description } = field;
  return t.field({ type, description: `${description} ${updateRule}` });
}

/** Whether the input that creates a shape can also update it: all its fields are optional and mutable. */
function isUpdatedAsCreated(shape: z.ZodObject): boolean {
  return writable(shape).every(
    ({ form, isImmutable, isOptionalInput }) =>
      isOptionalInput && !isImmutable && (form.is !== 'shape' || isUpdatedAsCreated(form.shape)),
  );
}
