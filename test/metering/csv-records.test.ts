import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvRecords } from '../../src/metering/csv-records.js';
import type { CsvRecord } from '../../src/metering/csv-records.js';

async function recordsOf(text: string | Buffer, columns?: number, chunkLength = 7): Promise<CsvRecord[]> {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkLength) yield bytes.subarray(at, at + chunkLength);
  }
  const records: CsvRecord[] = [];
  for await (const record of csvRecords(chunks(), () => columns)) records.push(record);
  return records;
}

describe('Records of CSV', () => {
  it('are those of csv-parse, whatever ends their lines and wherever a chunk ends', async () => {
    const cell = fc.oneof(
      fc.constantFrom('a', '', 'é', ' b ', '1.5'),
      fc.constantFrom('"', 'x"y', 'a,b', 'a\nb', 'a\r\nb'),
    );
    const quoted = cell.map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text));
    const row = fc.tuple(fc.constant('row'), quoted, quoted).map((cells) => cells.join(','));
    const ends = fc.constantFrom('\n', '\r\n', '\r');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(row, ends)), fc.integer({ min: 1, max: 40 }), async (rows, chunkLength) => {
        const text = rows.map(([cells, end]) => `${cells}${end}`).join('');
        const expected: unknown = parse(text, { record_delimiter: ['\r\n', '\n', '\r'] });
        const records = await recordsOf(text, 3, chunkLength);
        expect(records.map(({ values }) => values)).toEqual(expected);
      }),
    );
  });

  it('have the number of their last line, and no empty lines or byte order mark', async () => {
    expect(await recordsOf('\uFEFFa,b\r\n\r\n1,"x\r\ny"\r\n \n2,3', 2)).toEqual([
      { line: 1, text: 'a,b', values: ['a', 'b'] },
      { line: 4, text: '1,"x\r\ny"', values: ['1', 'x\r\ny'] },
      { line: 6, text: '2,3', values: ['2', '3'] },
    ]);
  });

  it('that cannot be read cost one line', async () => {
    const lines = ['a,b', '"1,2', '3,4', '5,"6"', '7,"8', '9,10', '11,1"2', '13', '14,15,16', '17,"18"x', '19,20'];
    const records = await recordsOf(lines.join('\n'), 2);
    const right = records.flatMap(({ values }) => values?.join() ?? []);
    expect(right).toEqual(['a,b', '3,4', '5,6', '9,10', '19,20']);
    expect(records.flatMap(({ line, problem }) => (problem === undefined ? [] : [line]))).toEqual([2, 5, 7, 8, 9, 10]);
    expect(records.map(({ text }) => text)).toEqual(lines);
  });

  it('are rejected if they are not UTF-8, or a line does not end', async () => {
    const latin1 = Buffer.from('a,b\n1,\u00e9\n2,3\n', 'latin1');
    expect((await recordsOf(latin1, 2)).map(({ problem }) => problem)).toEqual([
      undefined,
      'it is not UTF-8',
      undefined,
    ]);
    await expect(recordsOf('a'.repeat(1_100_000), 2, 65_536)).rejects.toThrow('a line is not terminated');
  });
});
