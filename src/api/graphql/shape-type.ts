// GraphQL's types of what is answered, made from shapes. A field is exposed as its parent has it, so that a compiled
// query writes it without calling anything of ours.
import { ObjectFieldBuilder } from '@pothos/core';
import type { z } from 'zod';
import { label } from '../../schema/resource.js';
import { fieldsOf, namesOf } from '../../schema/shape.js';
import type { Field, Form } from '../../schema/shape.js';
import { wordsOf } from '../../schema/values.js';
import { builder } from './builder.js';
import type { ObjectType } from './builder.js';
import { enumName } from './enums.js';

type Types = (typeof builder)['$inferSchemaTypes'];
type EnumType = ReturnType<typeof enumType<Readonly<Record<string, string | number>>>>;

const objectTypes = new Map<string, ObjectType<unknown>>();
const enumTypes = new Map<string, EnumType>();

/**
 * The type of a shape, under the name and description of its `meta`. What its fields hold gets its type with it,
 * unless a door has made that before. What is answered may hold more than the shape, for fields that a door adds.
 */
export function objectType<Shape extends z.ZodObject, Answered extends z.output<Shape> = z.output<Shape>>(
  shape: Shape,
  interfaces: ReturnType<typeof interfaceType>[] = [],
): ObjectType<Answered> {
  const { name, description } = namesOf(shape);
  const ref = builder.objectRef<Answered>(name);
  ref.addInterfaces(interfaces);
  const type = ref.implement({ description, fields: () => outputFields(shape) });
  objectTypes.set(name, type);
  return type;
}

/** The interface of a shape that other shapes extend. */
export function interfaceType<Shape extends z.ZodObject>(shape: Shape) {
  const { name, description } = namesOf(shape);
  return builder.interfaceRef<z.output<Shape>>(name).implement({ description, fields: () => outputFields(shape) });
}

/** The enum of a closed list, its words in upper case and described as in their table. */
export function enumType<Words extends Readonly<Record<string, string | number>>>(schema: z.ZodEnum<Words>) {
  const { name, description } = namesOf(schema);
  const words = wordsOf(schema);
  const values = Object.fromEntries(
    schema.options.map((word) => [enumName(String(word)), { value: word, description: words[String(word)] ?? '' }]),
  );
  const type = builder.enumType(name, { description, values });
  enumTypes.set(name, type);
  return type;
}

/** The enum of a closed list that a field holds. */
export function enumTypeOf(schema: z.ZodEnum): EnumType {
  return enumTypes.get(namesOf(schema).name) ?? enumType(schema);
}

function objectTypeOf(shape: z.ZodObject): ObjectType<unknown> {
  return objectTypes.get(namesOf(shape).name) ?? objectType(shape);
}

const LabelType = objectType(label);

// A parent fits its shape, so whatever type the shape gives to a field fits what the parent has there.
const t = new ObjectFieldBuilder<Types, Record<string, never>>(builder);
const lists = new ObjectFieldBuilder<Types, Record<string, never[]>>(builder);
const labelled = new ObjectFieldBuilder<Types, Record<string, Record<string, string> | undefined>>(builder);
const truthful = new ObjectFieldBuilder<Types, Record<string, string>>(builder);

/** The fields of a shape for a type whose parent finds their values out when one of them is asked for. */
export function lazyFields<Shape extends z.ZodObject, Parent>(
  shape: Shape,
  read: (parent: Parent) => z.output<Shape> | Promise<z.output<Shape>>,
) {
  const lazy = new ObjectFieldBuilder<Types, Parent>(builder);
  return Object.fromEntries(
    fieldsOf(shape).map(({ name, form, isOptional: nullable, description: text }) => {
      const description = text === undefined ? {} : { description: text };
      const resolve = async (parent: Parent): Promise<never> => valueOf(await read(parent), name);
      return [name, lazy.field({ type: itemTypeOf(form, objectTypeOf), nullable, ...description, resolve })];
    }),
  );
}

/** A value of a shape fits the type that the shape gives to its field. */
function valueOf<Name extends string>(values: object, name: Name): never {
  const fitting: { [Key in Name]: never } = Object.create(values);
  return fitting[name];
}

function outputFields(shape: z.ZodObject) {
  return Object.fromEntries(fieldsOf(shape).map((field) => [field.name, outputField(field)]));
}

function outputField({ name, form, isOptional: nullable, description: text }: Field) {
  const description = text === undefined ? {} : { description: text };
  switch (form.is) {
    case 'labels':
      return labelled.field({
        type: [LabelType],
        nullable: { list: false, items: false },
        ...description,
        // A resource has up to 50 labels: many aliases of them make a large answer.
        complexity: { field: 1, multiplier: 3 },
        resolve: (parent) => Object.entries(parent[name] ?? {}).map(([key, value]) => ({ key, value })),
      });
    case 'truth':
      return truthful.boolean({ nullable, ...description, resolve: (parent) => parent[name] === 'true' });
    case 'list':
      return lists.expose(name, { type: [itemTypeOf(form.item, objectTypeOf)], nullable, ...description });
    default:
      return t.expose(name, { type: itemTypeOf(form, objectTypeOf), nullable, ...description });
  }
}

/** What GraphQL calls the values that hold no others. */
export const scalarNames = {
  text: 'String',
  boolean: 'Boolean',
  int: 'Int',
  bytes: 'Bytes',
  decimal: 'Decimal',
  time: 'DateTime',
  json: 'JSON',
} as const;

/** The type of a value that is no list, with that of a shape where it is one. */
export function itemTypeOf<ShapeType>(form: Form, typeOfShape: (shape: z.ZodObject) => ShapeType) {
  switch (form.is) {
    case 'text':
    case 'boolean':
    case 'int':
    case 'bytes':
    case 'decimal':
    case 'time':
    case 'json':
      return scalarNames[form.is];
    case 'word':
      return enumTypeOf(form.words);
    case 'shape':
      return typeOfShape(form.shape);
    default:
      throw new Error(`GraphQL has no item of ${form.is}`);
  }
}
