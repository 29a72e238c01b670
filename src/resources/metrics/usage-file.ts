// Usage events out of a file: NDJSON, one event a line, or CSV whose first line names the fields.
import { pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { usageFields } from './usage-event.js';

export const usageFileFormats = ['ndjson', 'csv'] as const;

export type UsageFileFormat = (typeof usageFileFormats)[number];

/** An event as it stands in a file, and the line that it ends in. */
export interface FileEvent {
  line: number;
  event: unknown;
  /** Why it could not be read. */
  problem?: string;
}

/** A file that is not what it is taken for. What came before was read. */
export class UnreadableFile extends Error {}

/** In which nobody writes an event: the whole file is one line. */
const lineLengthMax = 1_000_000;

/**
 * Events of a stream, as many at once as are asked for. A line that cannot be read is an event with a problem.
 *
 * @throws {UnreadableFile} where it goes wrong for good.
 */
export async function* readUsageFile(
  stream: Readable,
  format: UsageFileFormat,
  size: number,
): AsyncGenerator<FileEvent[]> {
  let batch: FileEvent[] = [];
  for await (const event of format === 'csv' ? csvEvents(stream) : jsonEvents(stream)) {
    batch.push(event);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* jsonEvents(stream: Readable): AsyncGenerator<FileEvent> {
  let line = 0;
  for await (const text of lines(stream)) {
    line++;
    if (text.trim() !== '') yield { line, ...parseJson(line === 1 ? text.replace(/^\uFEFF/, '') : text) };
  }
}

/** Only a line feed ends a line: readline ends one at U+2028 too, which may stand in the middle of JSON. */
async function* lines(stream: Readable): AsyncGenerator<string> {
  stream.setEncoding('utf8');
  let rest = '';
  for await (const chunk of read(stream)) {
    const parts = `${rest}${chunk}`.split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
    if (rest.length > lineLengthMax) throw new UnreadableFile('a line has no end: NDJSON has one event a line');
  }
  if (rest !== '') yield rest;
}

function parseJson(text: string): Pick<FileEvent, 'event' | 'problem'> {
  try {
    return { event: JSON.parse(text) };
  } catch {
    // What is not JSON is no event.
    return { event: undefined, problem: 'it is not JSON' };
  }
}

async function* csvEvents(stream: Readable): AsyncGenerator<FileEvent> {
  const columns = { columns: requireColumns, relax_column_count: true };
  // When the stream fails, so does the parser, and that is read.
  const records = pipeline(stream, parse({ ...columns, info: true, bom: true, skip_empty_lines: true }), () => {});
  for await (const { record, info } of read(records)) {
    const { lines: line, error } = info;
    yield error === undefined ? { line, event: record } : { line, event: undefined, problem: misfit };
  }
}

/** What a stream has: it may be that of a folder, or what it holds is not CSV. */
async function* read(stream: Readable) {
  try {
    yield* stream;
  } catch (error) {
    throw new UnreadableFile(error instanceof Error ? error.message : 'it cannot be read', { cause: error });
  }
}

const misfit = 'it has not as many values as there are columns';

/** A column that is missing or stands there twice would make every event wrong, or some of them quietly so. */
function requireColumns(names: string[]): string[] {
  const missing = usageFields.filter((field) => field !== 'resourceUuid' && !names.includes(field));
  if (missing.length > 0) throw new UnreadableFile(`there is no column ${missing.join(', ')}`);
  const twice = names.find((name, place) => names.indexOf(name) < place);
  if (twice !== undefined) throw new UnreadableFile(`there are two columns ${twice}`);
  return names;
}
