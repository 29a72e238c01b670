import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inputShapes } from '../../../src/console/web/build/input-shapes.js';
import { changeables } from '../../../src/console/web/editing/changeables.js';

const sdl = readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8');

describe('The inputs of forms', () => {
  it('contain every field that can be created and changed, down to the scalars', () => {
    const { inputs, enums } = inputShapes(sdl, Object.keys(changeables));
    const scalars = ['String', 'Int', 'Float', 'Boolean', 'ID', 'JSON', 'DateTime', 'Decimal', 'Bytes'];
    for (const fields of Object.values(inputs)) {
      expect(fields.length).toBeGreaterThan(0);
      for (const { type } of fields)
        expect([...scalars, ...Object.keys(inputs), ...Object.keys(enums)]).toContain(type);
    }
    for (const type of Object.keys(changeables)) expect(inputs).toHaveProperty([`Create${type}Input`]);
    expect(enums['Generation']).toEqual(['MK2', 'MK3']);
  });

  it('are read from the schema, and reject a schema without the mutation', () => {
    const tiny = `
      type Query { a: Int }
      type Mutation { createCup(input: CreateCupInput!): Int updateCup(input: CreateCupInput!): Int }
      input CreateCupInput { "How many." sizes: [Int!]! handle: Boolean }`;
    expect(() => inputShapes(tiny, ['Cup'])).toThrow('no mutation deleteCup');
    const whole = tiny.replace('type Mutation {', 'type Mutation { deleteCup(input: CreateCupInput!): Int ');
    expect(inputShapes(whole, ['Cup']).inputs['CreateCupInput']).toEqual([
      { name: 'sizes', type: 'Int', isList: true, isRequired: true, hint: 'How many.' },
      { name: 'handle', type: 'Boolean', isList: false, isRequired: false, hint: '' },
    ]);
  });
});
