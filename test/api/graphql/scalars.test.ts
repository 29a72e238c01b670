import { isScalarType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../../src/api/graphql/server/schema.js';

function readJson(value: unknown): unknown {
  const type = schema.getType('JSON');
  if (!isScalarType(type)) throw new Error('JSON is a scalar');
  return type.parseValue(value);
}

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

describe('JSON', () => {
  it.each([
    ['lists', (inner: unknown) => [inner]],
    ['maps', (inner: unknown) => ({ a: inner })],
  ])('rejects %s nested more than 64 levels deep', (_what, wrap) => {
    expect(readJson(nested(64, wrap))).toEqual(nested(64, wrap));
    for (const levels of [65, 50_000]) {
      expect(() => readJson(nested(levels, wrap))).toThrow('A JSON value must have at most 64 levels.');
    }
  });

  it.each([Number.NaN, undefined, { a: Number.POSITIVE_INFINITY }, [undefined], () => 1])('rejects %s', (value) => {
    expect(() => readJson(value)).toThrow('A JSON value must have at most 64 levels.');
  });
});
