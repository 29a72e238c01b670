// Writes the rejected events of an import, unchanged and with the reason, so that they can be fixed and imported.
import { open, unlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FileEvent } from '../metering/usage-file.js';
import { UsageError } from './command.js';
import { rawCell } from '../billing/csv.js';

/** Asynchronous, because an import can run in a gateway. */
const compress = promisify(gzip);

/** The field or column with the reason. An import ignores it. */
const reasonName = 'rejected';

export interface RejectedEvent {
  event: FileEvent;
  reason: string;
}

export interface Rejects {
  /** Number of rejected events. */
  readonly count: number;
  /** @throws {UsageError} if the file cannot be written. */
  write: (rejected: readonly RejectedEvent[]) => Promise<void>;
  /** Closes the file, and deletes it if it is empty. */
  close: () => Promise<void>;
}

/**
 * Creates the file, readable by its owner only. It is compressed if its name ends in .gz.
 *
 * @throws {UsageError} if the file exists or cannot be created.
 */
export async function openRejects(path: string): Promise<Rejects> {
  const file = await open(path, 'wx', 0o600).catch(refuse);
  let count = 0;
  return {
    get count() {
      return count;
    },
    write: async (rejected) => {
      const [first] = rejected;
      if (first === undefined) return;
      const header = count === 0 && first.event.columns !== undefined ? headerOf(first.event.columns) : '';
      count += rejected.length;
      const text = `${header}${rejected.map(lineOf).join('')}`;
      // Concatenated gzip members are one valid file (RFC 1952, section 2.2).
      await file.appendFile(/\.gz$/i.test(path) ? await compress(text) : text).catch(refuse);
    },
    close: async () => {
      await file.close();
      if (count === 0) await unlink(path);
    },
  };
}

function refuse(error: unknown): never {
  throw new UsageError(`--rejects: ${error instanceof Error ? error.message : 'cannot be written'}`);
}

function headerOf(columns: readonly string[]): string {
  return `${[...columns.filter((name) => name !== reasonName), reasonName].map(rawCell).join(',')}\n`;
}

function lineOf({ event: { event, text = '', columns, line }, reason }: RejectedEvent): string {
  const comment = `line ${line}: ${reason}`;
  if (typeof event !== 'object' || event === null || Array.isArray(event)) {
    return columns === undefined ? `${text}\n` : `${unreadableLine(text, columns)},${rawCell(comment)}\n`;
  }
  if (columns === undefined) return `${withReason(text, comment)}\n`;
  const values = new Map<string, unknown>(Object.entries(event));
  const cells = columns.filter((name) => name !== reasonName).map((name) => String(values.get(name) ?? ''));
  return `${[...cells, comment].map(rawCell).join(',')}\n`;
}

/** A line of CSV that cannot be read, without an earlier reason, and with the commas of missing values. */
function unreadableLine(text: string, columns: readonly string[]): string {
  const line = columns.includes(reasonName) ? text.replace(/,"?line \d+: [^\n]*$/, '') : text;
  const count = columns.filter((name) => name !== reasonName).length;
  return `${line}${','.repeat(Math.max(0, count - line.split(',').length))}`;
}

/** The reason that an earlier import added. */
const earlierReason = new RegExp(`,?"${reasonName}":"(?:[^"\\\\]|\\\\.)*"$`);

/** Adds a field to the text of an object. Parsing and printing it again could change its numbers. */
function withReason(text: string, comment: string): string {
  const fields = text.trim().slice(1, -1).replace(earlierReason, '').trim();
  return `{${fields}${fields === '' ? '' : ','}"${reasonName}":${JSON.stringify(comment)}}`;
}
