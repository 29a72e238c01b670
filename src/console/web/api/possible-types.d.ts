// Made by the build from schema.graphql.
declare module 'virtual:possible-types' {
  export const possibleTypes: Record<string, string[]>;
}
