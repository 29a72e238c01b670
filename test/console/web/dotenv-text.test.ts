import { parse } from 'dotenv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDotenv, readDotenv } from '../../../src/console/web/editing/dotenv-text.js';

describe('A .env file', () => {
  it('has quotes, comments, export and values of several lines', () => {
    const file = [
      '# comment',
      'export A=1',
      'B = two words # comment',
      "C='a # b'",
      'D="line one\nline two\\nline three"',
      'E=',
      'F: yaml',
      '\tG=`back "tick"`',
    ].join('\r\n');
    expect(readDotenv(file)).toEqual({
      variables: [
        { name: 'A', value: '1' },
        { name: 'B', value: 'two words' },
        { name: 'C', value: 'a # b' },
        { name: 'D', value: 'line one\nline two\nline three' },
        { name: 'E', value: '' },
        { name: 'F', value: 'yaml' },
        { name: 'G', value: 'back "tick"' },
      ],
      duplicates: [],
      skippedLines: [],
    });
  });

  it('names duplicates, and counts lines that are no variables', () => {
    const { variables, duplicates, skippedLines } = readDotenv('A=1\n\nnot a variable\nB="x\ny"\nA=2\n=3');
    expect(variables).toEqual([
      { name: 'A', value: '2' },
      { name: 'B', value: 'x\ny' },
    ]);
    expect(duplicates).toEqual(['A']);
    expect(skippedLines).toEqual([3, 7]);
  });

  it('is read as dotenv reads it', () => {
    const part = fc.constantFrom(
      'A',
      'B',
      '=',
      ' = ',
      ': ',
      '"',
      "'",
      '`',
      '\\n',
      '\\"',
      '#',
      ' ',
      '\n',
      'export ',
      'x',
      '\t',
    );
    const text = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (file) => {
        const read = Object.fromEntries(readDotenv(file).variables.map(({ name, value }) => [name, value]));
        expect(read).toEqual(parse(file));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is distinguished from a name', () => {
    expect(['A=1', 'export A=1', '# x\nA=1'].map(isDotenv)).toEqual([true, true, true]);
    expect(['A', ' API_TOKEN ', ''].map(isDotenv)).toEqual([false, false, false]);
  });
});
