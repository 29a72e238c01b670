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
