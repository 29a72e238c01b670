import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differencesBetween, patchBetween, sidesOf, withPatch } from '../../../src/console/web/editing/patch.js';

const fields = fc.letrec<{ value: Value; fields: Record<string, Value> }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('a', 'b', 1, 2, true),
    fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 }),
    tie('fields'),
  ),
  fields: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'constructor'), tie('value'), { maxKeys: 3 }),
})).fields;

type Value = string | number | boolean | string[] | { [name: string]: Value };

describe('The patch of an editor', () => {
  it('leads from one document to the other, and is empty for equal documents', () => {
    fc.assert(
      fc.property(fields, fields, (before, after) => {
        expect(withPatch(before, patchBetween(before, after))).toEqual(after);
        expect(differencesBetween(before, after)).toHaveLength(differencesBetween(after, before).length);
        expect(patchBetween(before, before)).toEqual({});
      }),
    );
  });

  it('keeps concurrent changes of other fields', () => {
    const opened = { spec: { memory: 2048, image: 'a:1', region: 'eu' } };
    const theirs = { spec: { memory: 2048, image: 'a:2', region: 'eu' } };
    const mine = { spec: { memory: 4096, image: 'a:1' } };
    expect(withPatch(theirs, patchBetween(opened, mine))).toEqual({ spec: { memory: 4096, image: 'a:2' } });
  });

  it('names each changed field by its path', () => {
    const before = { spec: { runtime: { memory: 2048 }, volumes: [{ name: 'a' }] } };
    const after = { spec: { runtime: { memory: 4096 }, volumes: [] } };
    expect(differencesBetween(before, after)).toEqual([
      { path: 'spec.runtime.memory', before: 2048, after: 4096 },
      { path: 'spec.volumes', before: [{ name: 'a' }], after: [] },
    ]);
  });
});

describe('The changes of two editors', () => {
  it('are merged, and conflicts are reported', () => {
    const base = { spec: { memory: 1, region: 'a', runtime: { image: 'x', envs: ['a'] } } };
    const theirs = { spec: { memory: 2, region: 'b', runtime: { image: 'x', envs: ['b'] } } };
    const mine = { spec: { memory: 3, region: 'b' } };
    const sides = sidesOf(base, theirs, mine);
    expect(sides.map(({ path, isContested }) => [path, isContested])).toEqual([
      ['spec.memory', true],
      ['spec.region', false],
      ['spec.runtime', true],
    ]);
    expect(sides[0]).toMatchObject({ was: 1, theirs: 2, mine: 3 });
    expect(sides[2]).toMatchObject({ was: { image: 'x', envs: ['a'] }, mine: undefined });
  });
});
