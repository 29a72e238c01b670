// Reads usage events from a file: NDJSON with one event per line, or CSV with a header line.
import type { Readable } from 'node:stream';
import { csvRecords } from './csv-records.js';
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
    // The events before the error are complete.
    if (batch.length > 0 && error instanceof UnreadableFile) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}

async function* jsonEvents(stream: Readable): AsyncGenerator<FileEvent> {
  for await (const lines of jsonLines(read(stream))) yield* lines;
}

async function* csvEvents(stream: Readable): AsyncGenerator<FileEvent> {
  let columns: readonly string[] | undefined;
  for await (const { line, text, values, problem } of csvRecords(read(stream), () => columns?.length)) {
    if (columns === undefined) columns = requireColumns(values ?? []);
    else if (values === undefined) yield { line, event: undefined, problem, text, columns };
    else yield { line, event: Object.fromEntries(columns.map((name, index) => [name, values[index]])), columns };
  }
}

/** Translates read errors, such as a folder in place of a file. */
async function* read(stream: Readable) {
  try {
    yield* stream;
  } catch (error) {
    throw new UnreadableFile(error instanceof Error ? error.message : 'it cannot be read', { cause: error });
  }
}

/** A missing or repeated column would make every event invalid or silently wrong. */
function requireColumns(names: string[]): string[] {
  const missing = usageFields.filter((field) => field !== 'resourceUuid' && !names.includes(field));
  if (missing.length > 0) throw new UnreadableFile(`there is no column ${missing.join(', ')}`);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new UnreadableFile(`there are two columns ${twice}`);
  return names;
}
