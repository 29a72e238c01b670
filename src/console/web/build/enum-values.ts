import { buildSchema, isEnumType } from 'graphql';

/** The values of an enum of the schema, by their lower-case names. @throws if the schema has no such enum */
export function enumValues(sdl: string, name: string): string[] {
  const type = buildSchema(sdl).getType(name);
  if (!isEnumType(type)) throw new Error(`The schema has no enum ${name}.`);
  return type.getValues().map((value) => value.name);
}
