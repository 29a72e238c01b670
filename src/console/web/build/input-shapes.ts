import {
  buildSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { GraphQLInputField, GraphQLInputObjectType, GraphQLSchema } from 'graphql';

/** The properties of an input field that a form needs. */
export interface FieldShape {
  name: string;
  /** Type of the value, or of each item of a list. */
  type: string;
  isList: boolean;
  isRequired: boolean;
  /** The description in the schema. */
  hint: string;
}

export interface InputShapes {
  inputs: Record<string, FieldShape[]>;
  enums: Record<string, string[]>;
}

/**
 * The inputs and enums of the mutations that create and update the named types.
 *
 * @throws if the schema cannot create, update or delete one of the types.
 */
export function inputShapes(sdl: string, types: readonly string[]): InputShapes {
  const schema = buildSchema(sdl);
  const shapes: InputShapes = { inputs: {}, enums: {} };
  for (const type of types) {
    for (const operation of ['create', 'update', 'delete']) {
      const input = inputOf(schema, `${operation}${type}`);
      if (operation !== 'delete') access(input, shapes);
    }
  }
  return shapes;
}

function inputOf(schema: GraphQLSchema, mutation: string): GraphQLInputObjectType {
  const mutations = schema.getMutationType()?.getFields() ?? {};
  const argument = mutations[mutation]?.args.find(({ name }) => name === 'input');
  const type = argument === undefined ? undefined : getNamedType(argument.type);
  if (!isInputObjectType(type)) throw new Error(`The schema has no mutation ${mutation} that takes an input.`);
  return type;
}

function access(input: GraphQLInputObjectType, shapes: InputShapes): void {
  if (shapes.inputs[input.name] !== undefined) return;
  const fields = Object.values(input.getFields());
  shapes.inputs[input.name] = fields.map(shapeOf);
  for (const field of fields) {
    const type = getNamedType(field.type);
    if (isEnumType(type)) shapes.enums[type.name] = type.getValues().map(({ name }) => name);
    if (isInputObjectType(type)) access(type, shapes);
  }
}

function shapeOf({ name, type, description, defaultValue }: GraphQLInputField): FieldShape {
  return {
    name,
    type: getNamedType(type).name,
    isList: isListType(getNullableType(type)),
    isRequired: isNonNullType(type) && defaultValue === undefined,
    hint: description ?? '',
  };
}
