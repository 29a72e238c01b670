// Reads the records of CSV (RFC 4180) from a stream of bytes. Lines end with CRLF, LF or CR, also mixed. A record that
// cannot be read costs one line: a stray quote does not take in the lines after it.
import { isUtf8 } from 'node:buffer';
import { UnreadableFile } from './usage-lines.js';

export interface CsvRecord {
  /** The number of its last line. */
  line: number;
  /** Its text, without the end of its last line. */
  text: string;
  /** Undefined if there is a problem. */
  values?: string[];
  problem?: string;
}

/** The maximum number of lines of a record. A quote that is open for longer is a stray quote. */
const recordLinesMax = 100;

/** The maximum length of a line (bytes). */
const lineBytesMax = 1_000_000;

const problems = {
  misfit: 'its number of values differs from the number of columns',
  quote: 'a quote in it does not enclose a value: quotes enclose a whole value, and a quote within it is doubled',
  open: 'a quote in it is not closed',
  notUtf8: 'it is not UTF-8',
} as const;

interface Line {
  number: number;
  text: string;
  /** The characters that end it. */
  end: string;
  isUtf8: boolean;
}

/**
 * Yields records, without empty lines.
 *
 * @param columnsOf the number of values that a record must have; undefined if any is right.
 * @throws {UnreadableFile} for an endless line.
 */
export async function* csvRecords(
  chunks: AsyncIterable<Buffer | string>,
  columnsOf: () => number | undefined,
): AsyncGenerator<CsvRecord> {
  let open: Line[] = [];
  function* add(line: Line): Generator<CsvRecord> {
    if (open.length === 0 && line.text.trim() === '') return;
    open.push(line);
    const text = open
      .map((each) => each.text + each.end)
      .join('')
      .slice(0, -line.end.length || undefined);
    const record = recordOf(text, columnsOf());
    if (record === 'open' && open.length < recordLinesMax) return;
    if (record === 'open' || ('problem' in record && open.length > 1)) yield* withoutFirst();
    else {
      const isUtf8 = open.every((each) => each.isUtf8);
      open = [];
      yield { line: line.number, text, ...(isUtf8 ? record : { problem: problems.notUtf8 }) };
    }
  }
  /** Rejects the first open line, whose quote is a stray one, and reads the lines after it anew. */
  function* withoutFirst(): Generator<CsvRecord> {
    const [first, ...rest] = open;
    open = [];
    if (first !== undefined) yield { line: first.number, text: first.text, problem: problems.open };
    for (const line of rest) yield* add(line);
  }
  for await (const lines of linesOf(chunks)) for (const line of lines) yield* add(line);
  while (open.length > 0) yield* withoutFirst();
}

function recordOf(text: string, columns: number | undefined): { values: string[] } | { problem: string } | 'open' {
  const values = valuesOf(text);
  if (values === 'open') return 'open';
  if (values === undefined) return { problem: problems.quote };
  return columns === undefined || values.length === columns ? { values } : { problem: problems.misfit };
}

/** The values of a record; `open` if it ends within a quoted value, undefined if a quote is where none can be. */
function valuesOf(text: string): string[] | 'open' | undefined {
  if (!text.includes('"')) return text.split(',');
  const values: string[] = [];
  for (let at = 0; ; at++) {
    const isQuoted = text[at] === '"';
    const end = isQuoted ? endOfQuoted(text, at) : text.indexOf(',', at);
    if (isQuoted && end < 0) return 'open';
    const value = text.slice(at, end < 0 ? undefined : end);
    if (isQuoted) values.push(value.slice(1, -1).replaceAll('""', '"'));
    else if (value.includes('"')) return undefined;
    else values.push(value);
    if (end < 0 || end === text.length) return values;
    if (text[end] !== ',') return undefined;
    at = end;
  }
}

/** The position after the closing quote; -1 without one. */
function endOfQuoted(text: string, start: number): number {
  for (let at = start + 1; ; at += 2) {
    at = text.indexOf('"', at);
    if (at < 0) return -1;
    if (text[at + 1] !== '"') return at + 1;
  }
}

const [lineFeed, carriageReturn] = [10, 13];

/** Yields the lines completed by each chunk. */
async function* linesOf(chunks: AsyncIterable<Buffer | string>): AsyncGenerator<Line[]> {
  let number = 0;
  let rest: Buffer = Buffer.alloc(0);
  const lineOf = (bytes: Buffer, end: string): Line => {
    const text = bytes.toString('utf8');
    return { number: ++number, text: number === 1 ? text.replace(/^\uFEFF/, '') : text, end, isUtf8: isUtf8(bytes) };
  };
  for await (const received of chunks) {
    const chunk = typeof received === 'string' ? Buffer.from(received) : received;
    const block = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const lines: Line[] = [];
    let from = 0;
    let [feed, carriage] = [block.indexOf(lineFeed), block.indexOf(carriageReturn)];
    for (;;) {
      const end = feed < 0 || (carriage >= 0 && carriage < feed) ? carriage : feed;
      // A carriage return at the end of a chunk may be followed by a line feed.
      if (end < 0 || (end === carriage && end === block.length - 1)) break;
      const length = end === carriage && block[end + 1] === lineFeed ? 2 : 1;
      lines.push(lineOf(block.subarray(from, end), block.toString('latin1', end, end + length)));
      from = end + length;
      if (feed >= 0 && feed < from) feed = block.indexOf(lineFeed, from);
      if (carriage >= 0 && carriage < from) carriage = block.indexOf(carriageReturn, from);
    }
    rest = block.subarray(from);
    if (rest.length > lineBytesMax) throw new UnreadableFile('a line is not terminated: CSV has one event per line');
    yield lines;
  }
  const end = rest.at(-1) === carriageReturn ? '\r' : '';
  if (rest.length > 0) yield [lineOf(end === '' ? rest : rest.subarray(0, -1), end)];
}
