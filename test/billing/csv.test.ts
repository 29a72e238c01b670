// Cells of CSV, by RFC 4180, and the guard against formulas.
import fc from 'fast-check';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { csvCell, csvLine, rawCell } from '../../src/billing/csv.js';

const rowsOf = (text: string): string[][] => parse(text, { record_delimiter: '\r\n' });
const nasty = fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', ',', '1', '.');
const line = fc.array(fc.oneof(fc.string(), fc.string({ unit: nasty })), { minLength: 2, maxLength: 5 });

describe('A CSV cell', () => {
  it.each([
    '=1+1',
    '=HYPERLINK("https://example.com")',
    '+1',
    '+x',
    '-2+3',
    '-x',
    '@SUM(A1)',
    '\tx',
    '\rx',
    '\nx',
    '＝1+1',
  ])('cannot run as a formula in a spreadsheet: %j', (formula) => {
    expect(rowsOf(csvLine([formula, 'b']))).toEqual([[`'${formula}`, 'b']]);
    expect(rowsOf(csvLine([formula, 'b'], rawCell))).toEqual([[formula, 'b']]);
  });

  it.each(['-2.5', '-1', '12', 'a=b', "it's", '', ' '])('is the text if it cannot be a formula: %j', (plain) => {
    expect(csvCell(plain)).toBe(plain);
  });

  it('is read back as it was written if it is raw', () => {
    fc.assert(
      fc.property(line, (cells) => {
        expect(rowsOf(csvLine(cells, rawCell))).toEqual([cells]);
      }),
    );
  });

  it('never starts with a character of a formula, and otherwise is read back as it was written', () => {
    fc.assert(
      fc.property(line, (cells) => {
        const [row = []] = rowsOf(csvLine(cells));
        expect(row).toHaveLength(cells.length);
        for (const [index, cell] of row.entries()) {
          expect(cell).not.toMatch(/^(?:[=+@\t\r\n]|-(?!\d+(?:\.\d+)?$))/);
          expect([cells[index], `'${cells[index]}`]).toContain(cell);
        }
      }),
    );
  });
});
