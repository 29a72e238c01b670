// Imports usage events from a file in batches, until its end or an interruption, and prints a summary.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { allAccountsContext } from './operator/operator-context.js';
import { apiErrorFrom } from '../database/failures.js';
import { ApiError } from '../errors.js';
import { readUsageFile } from '../metering/usage-file.js';
import type { FileEvent, UsageFileFormat } from '../metering/usage-file.js';
import { rollUpAllUsage } from '../metering/roll-up-all-usage.js';
import { UnreadableFile } from '../metering/usage-lines.js';
import type { UsageOutcome, UsageResult } from '../metering/usage-result.js';
import { recordUsage, usageBatchMax } from '../metering/usage.js';
import { UsageError } from './command.js';
import type { Admin } from './command.js';
import type { Print } from './print.js';
import { openProgressBar } from './progress-bar.js';
import { openRejects } from './usage-rejects.js';
import type { Rejects } from './usage-rejects.js';

/** Maximum number of rejected events that are listed one by one. */
const problemsMax = 20;

/** The file name that means standard input. */
const standardInput = '-';

export interface UsageImport {
  file: string;
  /** By default, by the extension of the file without .gz. */
  format: UsageFileFormat | undefined;
  /** A file for rejected events, with their reasons. */
  rejects: string | undefined;
  /** Whether events without a UUID are those of the resource that had their name at their time. */
  isByName: boolean;
}

type Counts = Record<UsageOutcome, number>;

/**
 * Records the events of a file, lists those that were rejected, and prints a summary. The events do not count against
 * quotas: an operator imports files of any length.
 *
 * @throws {UsageError} and the errors of recordUsage(), with the counts of the events before.
 */
export async function importUsage(admin: Admin, input: UsageImport, print: Print): Promise<void> {
  const { file, rejects: rejectsFile } = input;
  const ctx = await allAccountsContext(admin);
  const { stream, bytes, readBytes } = await openInput(admin, file);
  const format = input.format ?? (/\.csv(\.gz)?$/i.test(file) ? 'csv' : 'ndjson');
  const rejects = rejectsFile === undefined ? undefined : await openRejectsBeside(stream, admin, rejectsFile);
  const counts: Counts = { accepted: 0, duplicate: 0, conflict: 0, invalid: 0 };
  const known = 'Importing {bar} {percentage}%  {events} events, {eta_formatted} left';
  const barFormat = bytes === undefined ? 'Importing {events} events' : known;
  const bar = openProgressBar(admin.terminal, barFormat, bytes ?? 0, { events: 0 });
  const stop = (): void => void stream.destroy();
  admin.interrupted?.addEventListener('abort', stop);
  let lastLine = 0;
  try {
    for await (const batch of readUsageFile(stream, format, usageBatchMax)) {
      if (admin.interrupted?.aborted === true) break;
      const events = batch.map(({ event }) => event);
      const results = await recordUsage(ctx, events, { counting: 'uncounted', isByName: input.isByName });
      await report(batch, results, counts, print, rejects);
      lastLine = batch.at(-1)?.line ?? lastLine;
      bar.update(readBytes(), { events: total(counts) });
    }
    await rollUpAllUsage(admin.db, admin.usageMemory, admin.now());
  } catch (error) {
    const isUnreadable = error instanceof UnreadableFile;
    const before = total(counts) === 0 ? '' : `Before that: ${sentenceOf(counts)}`;
    if (!isUnreadable && !(error instanceof UsageError)) {
      const { error: code, message } = apiErrorFrom(error);
      if (before === '' || code === 'internal_error') throw error;
      throw new ApiError(code, `${message} ${before}`, { cause: error });
    }
    if (!isUnreadable || admin.interrupted?.aborted !== true) {
      throw new UsageError(`${isUnreadable ? `${file}: ` : ''}${error.message}${before === '' ? '' : `. ${before}`}`);
    }
  } finally {
    admin.interrupted?.removeEventListener('abort', stop);
    bar.stop();
    await rejects?.close();
  }
  if (admin.interrupted?.aborted === true) {
    print.problem(`Interrupted after line ${lastLine}. Run the command again to continue.`);
  }
  const note = rejects === undefined || rejects.count === 0 ? '' : ` Rejected events are in ${rejectsFile}.`;
  print.done(`${sentenceOf(counts)}${note}`, recordOf(counts));
}

/** Closes the file that is imported, if the one for rejected events cannot be created. */
async function openRejectsBeside(stream: Readable, { folder }: Admin, file: string): Promise<Rejects> {
  try {
    return await openRejects(resolve(folder, file));
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

function sentenceOf({ accepted, duplicate, conflict, invalid }: Counts): string {
  return `${accepted} accepted, ${duplicate} duplicate, ${conflict} conflicting, ${invalid} invalid.`;
}

function recordOf(counts: Counts): Record<string, string> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)]));
}

interface Input {
  stream: Readable;
  /** Size of the file, if known (bytes). */
  bytes: number | undefined;
  readBytes: () => number;
}

async function openInput(admin: Admin, file: string): Promise<Input> {
  const { stream, ...known } = await openBytes(admin, file);
  // If one of the two streams fails, so does the other, whose error the reader gets.
  return { ...known, stream: /\.gz$/i.test(file) ? pipeline(stream, createGunzip(), () => {}) : stream };
}

/** Opens the file without reading: data that flows before there is a reader would be lost. */
async function openBytes(admin: Admin, file: string): Promise<Input> {
  if (file === standardInput) {
    if (admin.standardInput === undefined) throw new UsageError('FILE: standard input is not available here');
    return { stream: admin.standardInput, bytes: undefined, readBytes: () => 0 };
  }
  const path = resolve(admin.folder, file);
  try {
    const { size } = await stat(path);
    const stream = createReadStream(path);
    return { stream, bytes: size, readBytes: () => stream.bytesRead };
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : 'cannot be read'}`);
  }
}

function total(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

async function report(
  batch: FileEvent[],
  results: UsageResult[],
  counts: Counts,
  print: Print,
  rejects: Rejects | undefined,
): Promise<void> {
  const refused: { event: FileEvent; reason: string }[] = [];
  for (const [index, result] of results.entries()) {
    const { outcome } = result;
    counts[outcome]++;
    const event = batch[index];
    if (outcome === 'accepted' || outcome === 'duplicate' || event === undefined) continue;
    const problems = counts.conflict + counts.invalid;
    const reason = `${outcome}: ${event.problem ?? result.message}`;
    refused.push({ event, reason });
    if (problems <= problemsMax) print.problem(`line ${event.line}: ${reason}`);
    else if (problems === problemsMax + 1)
      print.problem(`More events were rejected. Only the first ${problemsMax} are listed.`);
  }
  await rejects?.write(refused);
}
