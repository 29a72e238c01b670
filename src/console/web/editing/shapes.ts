// The input types of the schema, for forms.
import { inputShapes } from 'virtual:input-shapes';
import type { FieldShape } from '../build/input-shapes.js';

export function shapesOf(input: string): readonly FieldShape[] {
  return inputShapes.inputs[input] ?? [];
}

/** The values of an enum as in the specification, such as http-async; undefined for other types. */
export function choicesOf({ type }: FieldShape): readonly string[] | undefined {
  return inputShapes.enums[type]?.map((value) => value.toLowerCase().replaceAll('_', '-'));
}

export function isInput({ type }: FieldShape): boolean {
  return inputShapes.inputs[type] !== undefined;
}

/** Whether a type is a pair of key and value, such as a label. */
export function isPair({ type }: FieldShape): boolean {
  return (
    shapesOf(type)
      .map(({ name }) => name)
      .toSorted()
      .join() === 'key,value'
  );
}

/** A field, and its path in the value of an input. */
export interface PlacedField {
  shape: FieldShape;
  path: string;
}

/** The fields of an input, and of the inputs in it. Lists are one field. */
export function fieldsBelow(input: string, prefix = ''): PlacedField[] {
  return shapesOf(input).flatMap((shape) => {
    const path = `${prefix}${shape.name}`;
    return isInput(shape) && !shape.isList ? fieldsBelow(shape.type, `${path}.`) : [{ shape, path }];
  });
}
