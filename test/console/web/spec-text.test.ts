import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { plainFrom, yamlOf } from '../../../src/console/web/resources/spec-text.js';

describe('A spec as YAML', () => {
  it('uses the format of the specification, and omits unset fields', () => {
    const spec = {
      __typename: 'AgentSpec',
      region: null,
      runtime: { generation: 'MK3', memory: 2048 },
      triggers: [{ id: 'a', type: 'HTTP_ASYNC' }],
    };
    expect(yamlOf(plainFrom(spec) ?? {})).toBe(
      'runtime:\n  generation: mk3\n  memory: 2048\ntriggers:\n  - id: a\n    type: http-async\n',
    );
  });

  it('is parsed to the same spec', () => {
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string({ minLength: 1 }), tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    const texts = [
      'yes',
      'null',
      '0x10',
      '1e3',
      '- a',
      'a: b',
      '#x',
      '',
      ' ',
      "it's",
      '2026-11-20',
      '~',
      '.5',
      '!t',
      '&a',
      '*a',
      '%x',
      '@x',
      '`',
    ];
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('a', 'b', 'on'), fc.oneof(value, fc.constantFrom(...texts))),
        (spec) => {
          const plain = plainFrom(JSON.parse(JSON.stringify(spec))) ?? {};
          expect(parse(yamlOf(plain))).toEqual(plain);
        },
      ),
    );
  });
});
