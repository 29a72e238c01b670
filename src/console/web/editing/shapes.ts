// The inputs of the schema, as forms read them.
import { inputShapes } from 'virtual:input-shapes';
import type { FieldShape } from '../build/input-shapes.js';

export function shapesOf(input: string): readonly FieldShape[] {
  return inputShapes.inputs[input] ?? [];
}

/** The values of an enum as the specification writes them, such as http-async; undefined for what is none. */
export function choicesOf({ type }: FieldShape): readonly string[] | undefined {
  return inputShapes.enums[type]?.map((value) => value.toLowerCase().replaceAll('_', '-'));
}

export function isInput({ type }: FieldShape): boolean {
  return inputShapes.inputs[type] !== undefined;
}

/** Labels, and whatever else is a list of keys and values. */
export function isPair({ type }: FieldShape): boolean {
  return (
    shapesOf(type)
      .map(({ name }) => name)
      .toSorted()
      .join() === 'key,value'
  );
}
