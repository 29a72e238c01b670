// GraphQL's types of what comes in, made from shapes: one for making a resource, one for changing it. What comes
// through them is read by schema/shape-value.ts, which checks it by the shape's schema.
import type { InputFieldBuilder, InputObjectRef } from '@pothos/core';
import type { z } from 'zod';
import { label } from '../../schema/resource.js';
import { fieldsOf, namesOf, objectOf } from '../../schema/shape.js';
import type { Field } from '../../schema/shape.js';
import { builder } from './builder.js';
import { itemTypeOf } from './shape-type.js';

type Types = (typeof builder)['$inferSchemaTypes'];

/** What comes through it is not known before it is read by its shape. */
type InputType = InputObjectRef<Types, Record<string, unknown>>;

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

/** The fields of a shape's input, for one that has others beside them. */
export function inputFields(t: Fields, schema: z.core.$ZodType) {
  return Object.fromEntries(writable(shapeOf(schema)).map((field) => [field.name, inputField(t, field)]));
}

/**
 * The input that changes a shape, such as AgentSpecUpdateInput: every field may be absent, which keeps it, or null,
 * which removes it. Lists are given whole, so what they hold is the same as when a resource is made.
 */
export function updateInputType(schema: z.core.$ZodType): InputType {
  const shape = shapeOf(schema);
  const { name, description } = namesOf(shape);
  return (
    inputTypes.get(`${name}UpdateInput`) ??
    implement(
      `${name}UpdateInput`,
      `${description} A field that is absent stays as it is, null removes it, and a list is replaced as a whole.`,
      (t) =>
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

type Fields = InputFieldBuilder<Types, 'InputObject'>;

function implement(
  name: string,
  description: string,
  fields: (t: Fields) => [string, ReturnType<typeof inputField>][],
): InputType {
  const type = builder.inputType(name, { description, fields: (t) => Object.fromEntries(fields(t)) });
  inputTypes.set(name, type);
  return type;
}

function inputField(t: Fields, { form, description, isOptionalInput }: Field, required = !isOptionalInput) {
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

function updateField(t: Fields, field: Field) {
  if (field.form.is !== 'shape') return inputField(t, field, false);
  const { description } = field;
  return t.field({ type: updateInputType(field.form.shape), ...(description === undefined ? {} : { description }) });
}
