// What an import did not take, as it stood in its file and with the reason, so that it can be put right and imported.
import { open, unlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FileEvent } from '../metering/usage-file.js';
import { UsageError } from './command.js';
import { csvCell } from '../billing/csv.js';

/** Beside other work: an import may run in a gateway. */
const compress = promisify(gzip);

/** The field or column that the reason stands in. An import ignores it. */
const reasonName = 'rejected';

export interface RejectedEvent {
  event: FileEvent;
  reason: string;
}

export interface Rejects {
  /** How many there are. */
  readonly count: number;
  /** @throws {UsageError} when it cannot be written */
  write: (rejected: readonly RejectedEvent[]) => Promise<void>;
  /** Without any there is no file. */
  close: () => Promise<void>;
}

/**
 * Makes the file, for its owner alone; compressed when its name ends in .gz, as an import reads it.
 *
 * @throws {UsageError} when it is there already, or cannot be made.
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
      // Members one after the other are one file: RFC 1952, section 2.2.
      await file.appendFile(path.endsWith('.gz') ? await compress(text) : text).catch(refuse);
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
  return `${[...columns.filter((name) => name !== reasonName), reasonName].map(csvCell).join(',')}\n`;
}

function lineOf({ event: { event, text = '', columns, line }, reason }: RejectedEvent): string {
  const said = `line ${line}: ${reason}`;
  if (typeof event !== 'object' || event === null || Array.isArray(event)) {
    return columns === undefined ? `${text}\n` : `${text},${csvCell(said)}\n`;
  }
  if (columns === undefined) return `${withReason(text, said)}\n`;
  const values = new Map<string, unknown>(Object.entries(event));
  const cells = columns.filter((name) => name !== reasonName).map((name) => String(values.get(name) ?? ''));
  return `${[...cells, said].map(csvCell).join(',')}\n`;
}

/** What an earlier import said of it. */
const earlierReason = new RegExp(`,?"${reasonName}":"(?:[^"\\\\]|\\\\.)*"$`);

/** The text of an object with one more field: read and written anew, a number might be another one. */
function withReason(text: string, said: string): string {
  const fields = text.trim().slice(1, -1).replace(earlierReason, '').trim();
  return `{${fields}${fields === '' ? '' : ','}"${reasonName}":${JSON.stringify(said)}}`;
}
