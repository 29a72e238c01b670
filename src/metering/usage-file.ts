// Reads usage events from a file: NDJSON with one event per line, or CSV with a header line.
import { pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { usageFields } from './usage-shape.js';
import { jsonLines, UnreadableFile } from './usage-lines.js';
import type { JsonLine } from './usage-lines.js';

export const usageFileFormats = ['ndjson', 'csv'] as const;

export type UsageFileFormat = (typeof usageFileFormats)[number];

/** An event of a file, with the number of its last line. */
export interface FileEvent extends JsonLine {
  /** The columns of a CSV file, in order. */
  columns?: readonly string[];
}

/**
 * Reads events of a stream in batches. A line that cannot be parsed becomes an event with a problem.
 *
 * @throws {UnreadableFile} when the rest of the file cannot be read.
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
    // An unclosed quote takes in the rest of the file. The events before it are complete.
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
  // A failure of the stream also fails the parser, where it is handled.
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

/** Translates read errors, such as a folder in place of a file or content that is not CSV. */
async function* read(stream: Readable) {
  try {
    yield* stream;
  } catch (error) {
    throw new UnreadableFile(error instanceof Error ? error.message : 'it cannot be read', { cause: error });
  }
}

const misfit = 'its number of values differs from the number of columns';

/** A missing or repeated column would make every event invalid or silently wrong. */
function requireColumns(names: string[]): string[] {
  const missing = usageFields.filter((field) => field !== 'resourceUuid' && !names.includes(field));
  if (missing.length > 0) throw new UnreadableFile(`there is no column ${missing.join(', ')}`);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new UnreadableFile(`there are two columns ${twice}`);
  return names;
}
