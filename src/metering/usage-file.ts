// Usage events out of a file: NDJSON, one event a line, or CSV whose first line names the fields.
import { pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { usageFields } from './usage-shape.js';
import { jsonLines, UnreadableFile } from './usage-lines.js';
import type { JsonLine } from './usage-lines.js';

export const usageFileFormats = ['ndjson', 'csv'] as const;

export type UsageFileFormat = (typeof usageFileFormats)[number];

/** An event as it stands in a file, and the line that it ends in. */
export interface FileEvent extends JsonLine {
  /** Of CSV: the names of the columns, in their order. */
  columns?: readonly string[];
}

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
  try {
    for await (const event of format === 'csv' ? csvEvents(stream) : jsonEvents(stream)) {
      batch.push(event);
      if (batch.length < size) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    // An unclosed quote takes in the rest of the file; the events before it are whole.
    if (batch.length > 0 && isUnclosedQuote(error)) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}

function isUnclosedQuote(error: unknown): boolean {
  const cause = error instanceof UnreadableFile ? error.cause : undefined;
  return cause instanceof CsvError && cause.code === 'CSV_QUOTE_NOT_CLOSED';
}

async function* jsonEvents(stream: Readable): AsyncGenerator<FileEvent> {
  for await (const lines of jsonLines(read(stream))) yield* lines;
}

async function* csvEvents(stream: Readable): AsyncGenerator<FileEvent> {
  let columns: readonly string[] = [];
  const named = (names: string[]) => (columns = requireColumns(names));
  const reading = { columns: named, relax_column_count: true, raw: true };
  // When the stream fails, so does the parser, and that is read.
  const records = pipeline(stream, parse({ ...reading, info: true, bom: true, skip_empty_lines: true }), () => {});
  for await (const { record, info, raw } of read(records)) {
    const { lines: line, error } = info;
    if (error === undefined) {
      yield { line, event: record, columns };
      continue;
    }
    const text = String(raw).replaceAll(/^[\r\n]+|[\r\n]+$/g, '');
    const missing = Math.max(0, columns.length - Object.keys(record).length);
    yield { line, event: undefined, problem: misfit, text: `${text}${','.repeat(missing)}`, columns };
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

const misfit = 'its number of values differs from the number of columns';

/** A column that is missing or stands there twice would make every event wrong, or some of them quietly so. */
function requireColumns(names: string[]): string[] {
  const missing = usageFields.filter((field) => field !== 'resourceUuid' && !names.includes(field));
  if (missing.length > 0) throw new UnreadableFile(`there is no column ${missing.join(', ')}`);
  const twice = names.find((name, place) => names.indexOf(name) < place);
  if (twice !== undefined) throw new UnreadableFile(`there are two columns ${twice}`);
  return names;
}
