// Made by the build from schema.graphql; build/input-shapes.ts says what each of it is.
declare module 'virtual:input-shapes' {
  interface FieldShape {
    name: string;
    type: string;
    isList: boolean;
    isRequired: boolean;
    hint: string;
  }

  export const inputShapes: { inputs: Record<string, FieldShape[]>; enums: Record<string, string[]> };
}
