// Made by the build from schema.graphql: all that can be changed, and all that can be done.
declare module 'virtual:change-words' {
  export const changeKinds: readonly string[];
  export const changeVerbs: readonly string[];
}
