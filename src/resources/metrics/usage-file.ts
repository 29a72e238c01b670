// Usage events out of a file: NDJSON, one event a line, or CSV whose first line names the fields.
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse';

export const usageFileFormats = ['ndjson', 'csv'] as const;

export type UsageFileFormat = (typeof usageFileFormats)[number];

/** An event as it stands in a file, and the line that it begins in. */
export interface FileEvent {
  line: number;
  event: unknown;
}

/** Events of a stream, as many at once as are asked for. A line that cannot be read is an event that is none. */
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
  for await (const text of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++;
    if (text.trim() !== '') yield { line, event: parseJson(text) };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What is not JSON is no event: it is reported as one that is invalid.
    return undefined;
  }
}

async function* csvEvents(stream: Readable): AsyncGenerator<FileEvent> {
  const records = stream.pipe(
    parse({ columns: true, info: true, bom: true, skip_empty_lines: true, relax_column_count: true }),
  );
  for await (const { record, info } of records) yield { line: info.lines, event: record };
}
