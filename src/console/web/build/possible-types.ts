import { buildSchema, isInterfaceType } from 'graphql';

/** The types of each interface by name, so that the cache can match fragments. */
export function possibleTypes(sdl: string): Record<string, string[]> {
  const schema = buildSchema(sdl);
  const interfaces = Object.values(schema.getTypeMap()).filter(isInterfaceType);
  return Object.fromEntries(
    interfaces.map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]),
  );
}
