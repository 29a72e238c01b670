// Builds GraphQL object types from zod shapes. Fields are exposed properties of their parent, so that a compiled
// query needs no resolver.
import { ObjectFieldBuilder } from '@pothos/core';
import type { z } from 'zod';
import { label } from '../../schema/resource.js';
import { fieldsOf, namesOf } from '../../schema/shape.js';
import type { Field, Form } from '../../schema/shape.js';
import { wordsOf } from '../../schema/values.js';
import { builder } from './builder.js';
import type { ObjectType, Types } from './builder.js';
import { enumName } from './enums.js';

type EnumType = ReturnType<typeof enumType<Readonly<Record<string, string | number>>>>;

const objectTypes = new Map<string, ObjectType<unknown>>();
const enumTypes = new Map<string, EnumType>();

/**
 * The type of a shape, with the name and description of its `meta`. Creates the types of its fields, unless they
 * exist. The parent value can have more properties than the shape, for fields that are added later.
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

/** The GraphQL enum of a zod enum. Its values are in upper case, with the descriptions of their table. */
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

/** The GraphQL enum of a field. Created on first use. */
export function enumTypeOf(schema: z.ZodEnum): EnumType {
  return enumTypes.get(namesOf(schema).name) ?? enumType(schema);
}

function objectTypeOf(shape: z.ZodObject): ObjectType<unknown> {
  return objectTypes.get(namesOf(shape).name) ?? objectType(shape);
}

const LabelType = objectType(label);

// A parent conforms to its shape, so its values have the types that the shape declares.
const t = new ObjectFieldBuilder<Types, Record<string, never>>(builder);
const lists = new ObjectFieldBuilder<Types, Record<string, never[]>>(builder);
const labelled = new ObjectFieldBuilder<Types, Record<string, Record<string, string> | undefined>>(builder);
const truthful = new ObjectFieldBuilder<Types, Record<string, string>>(builder);

/** The fields of a shape, for a type whose parent computes the values when one of them is selected. */
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

/** A value of a shape has the type that the shape declares for its field. */
function valueOf<Name extends string>(values: object, name: Name): never {
  const fitting: { [Key in Name]: never } = Object.create(values);
  return fitting[name];
}

/** Fields of the specification that are names. In GraphQL, the words `account`, `job` and `workspace` are objects. */
const outputNames = new Map([
  ['job', 'jobName'],
  ['sourceAccount', 'sourceAccountName'],
  ['sourceWorkspace', 'sourceWorkspaceName'],
  ['workspace', 'workspaceName'],
]);

/** The name in GraphQL of a field of a shape. */
export function outputName(name: string): string {
  return outputNames.get(name) ?? name;
}

function outputFields(shape: z.ZodObject) {
  return Object.fromEntries(fieldsOf(shape).map((field) => [outputName(field.name), outputField(field)]));
}

function outputField(field: Field) {
  const { name, form } = field;
  const nullable = field.isOptional && !field.isAlwaysPresent;
  const description = nullable ? { description: withReason(field) } : asDescribed(field);
  switch (form.is) {
    case 'labels':
      return labelled.field({
        type: [LabelType],
        nullable: { list: false, items: false },
        ...description,
        // A resource has up to 50 labels, so a query with many aliases returns a large response.
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

function asDescribed({ description }: Field) {
  return description === undefined ? {} : { description };
}

/** The description of a field that can be null, with the reason. */
function withReason({ form, description }: Field): string {
  const item = form.is === 'list' ? form.item : form;
  const type = item.is === 'shape' ? item.shape : item.is === 'word' ? item.words : undefined;
  const text = description ?? (type === undefined ? '' : namesOf(type).description);
  return /\bnull\b|\bonly if\b/i.test(text) ? text : `${text} Null if not set.`.trim();
}

/** The GraphQL scalar of each scalar form. */
export const scalarNames = {
  text: 'String',
  boolean: 'Boolean',
  int: 'Int',
  bytes: 'Bytes',
  decimal: 'Decimal',
  time: 'DateTime',
  json: 'JSON',
} as const;

/** The GraphQL type of a value that is not a list. @param typeOfShape returns the type of an object. */
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
