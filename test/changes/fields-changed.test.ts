import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldsChanged } from '../../src/changes/fields-changed.js';

describe('The fields that changed', () => {
  it.each<[string, object, object, string[]]>([
    ['nothing', { spec: { memory: 1 } }, { spec: { memory: 1 } }, []],
    [
      'a value far down',
      { spec: { runtime: { memory: 1 } } },
      { spec: { runtime: { memory: 2 } } },
      ['spec.runtime.memory'],
    ],
    ['added fields', { spec: {} }, { spec: { region: 'x' } }, ['spec.region']],
    ['removed fields', { spec: { region: 'x' } }, { spec: {} }, ['spec.region']],
    ['a branch that came whole', { spec: {} }, { spec: { runtime: { memory: 1 } } }, ['spec.runtime']],
    ['a list, as a whole', { envs: [{ name: 'A' }] }, { envs: [{ name: 'A' }, { name: 'B' }] }, ['envs']],
    ['no list whose items only look alike', { envs: [{ a: 1, b: 2 }] }, { envs: [{ b: 2, a: 1 }] }, []],
    ['a label whose key is no word', { labels: { 'a.b': '1' } }, { labels: { 'a.b': '2' } }, ['labels["a.b"]']],
    ['a list that became something else', { a: [1] }, { a: { 0: 1 } }, ['a']],
    ['null as other than nothing', { a: null }, {}, ['a']],
    ['undefined as nothing', { a: undefined }, {}, []],
  ])('are %s', (_name, before, after, fields) => {
    expect(fieldsChanged(before, after)).toEqual(fields);
  });

  const document = fc.dictionary(fc.string(), fc.jsonValue());

  it('are empty exactly if both values are equal as JSON', () => {
    fc.assert(
      fc.property(document, document, (before, after) => {
        expect(fieldsChanged(before, structuredClone(before))).toEqual([]);
        const normalized = (value: object) => JSON.parse(JSON.stringify(value));
        const areSame = fieldsChanged(before, after).length === 0;
        const seesSame = (() => {
          try {
            expect(normalized(before)).toEqual(normalized(after));
            return true;
          } catch {
            return false;
          }
        })();
        expect(areSame).toBe(seesSame);
      }),
    );
  });

  it('are the same in both directions, and each is listed once', () => {
    fc.assert(
      fc.property(document, document, (before, after) => {
        const there = fieldsChanged(before, after);
        expect(new Set(there)).toEqual(new Set(fieldsChanged(after, before)));
        expect(new Set(there).size).toBe(there.length);
      }),
    );
  });
});
