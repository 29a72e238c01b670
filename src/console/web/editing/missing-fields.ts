import { isInput, shapesOf } from './shapes.js';

interface MissingField {
  path: string;
  message: string;
}

/** The required fields of an input that have no value. GraphQL refuses an input without them before the service sees it. */
export function missingFieldsIn(input: string, value: object, prefix = ''): MissingField[] {
  const values = new Map<string, unknown>(Object.entries(value));
  const isObject = (item: unknown): item is object => typeof item === 'object' && item !== null && !Array.isArray(item);
  return shapesOf(input).flatMap((shape) => {
    const path = `${prefix}${shape.name}`;
    const own = values.get(shape.name) ?? undefined;
    if (own === undefined) return shape.isRequired ? [{ path, message: `${path} is required.` }] : [];
    if (!isInput(shape)) return [];
    if (isObject(own)) return missingFieldsIn(shape.type, own, `${path}.`);
    if (!Array.isArray(own)) return [];
    return own.flatMap((item: unknown, index) =>
      isObject(item) ? missingFieldsIn(shape.type, item, `${path}.${index}.`) : [],
    );
  });
}
