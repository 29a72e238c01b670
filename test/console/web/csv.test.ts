import { describe, expect, it } from 'vitest';
import { csvOf } from '../../../src/console/web/costs/csv.js';

describe('A table as CSV', () => {
  it('keeps commas, quotes and lines of a value', () => {
    expect(csvOf([['a,b', 'say "x"', 'two\nlines']])).toBe('"a,b","say ""x""","two\nlines"\r\n');
  });

  it('is never run by a spreadsheet', () => {
    expect(csvOf([['=1+1', '+x', '@x', '-2+3', '-2.5']])).toBe("'=1+1,'+x,'@x,'-2+3,-2.5\r\n");
  });
});
