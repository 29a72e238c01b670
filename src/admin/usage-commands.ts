import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';
import { z } from 'zod';
import { readUsageFile, UnreadableFile, usageFileFormats } from '../resources/metrics/usage-file.js';
import type { FileEvent } from '../resources/metrics/usage-file.js';
import { foldAllUsage } from '../resources/metrics/usage-fold.js';
import { dropUsageBefore } from '../resources/metrics/usage-retention.js';
import type { UsageOutcome, UsageResult } from '../resources/metrics/usage-result.js';
import { recordUsageOfAll, usageBatchMax } from '../resources/metrics/usage.js';
import { defineCommand, described, UsageError } from './command.js';
import type { Admin, Command } from './command.js';
import type { Print } from './print.js';

/** So many events that were not taken are told one by one. */
const problemsMax = 20;

/** The name that stands for standard input. */
const standardInput = '-';

const format = z.enum(usageFileFormats, { error: `must be one of: ${usageFileFormats.join(', ')}` });

export const usageCommands: Command[] = [
  defineCommand({
    name: 'usage import',
    summary: 'Record the usage events of a file. Running it again, also after it broke off, counts nothing twice.',
    argument: 'file',
    input: z.object({
      file: described(z.string().min(1), 'FILE', 'NDJSON, or CSV with a line of names; - reads standard input.'),
      format: described(format.optional(), 'FORMAT', 'ndjson or csv; by default what the name of the file ends in.'),
    }),
    run: async (admin, { file, format = file.endsWith('.csv') ? 'csv' : 'ndjson' }, print) => {
      const { stream, bytes } = await openInput(admin, file);
      const counts: Record<UsageOutcome, number> = { accepted: 0, duplicate: 0, conflict: 0, invalid: 0 };
      const bar = progressBar(admin.terminal, bytes);
      let read = 0;
      stream.on('data', (chunk: Buffer | string) => {
        read += Buffer.byteLength(chunk);
      });
      try {
        for await (const batch of readUsageFile(stream, format, usageBatchMax)) {
          const results = await recordUsageOfAll(
            admin.db,
            batch.map(({ event }) => event),
            admin.now(),
          );
          report(batch, results, counts, print);
          bar?.update(bytes === undefined ? 0 : read, { events: total(counts) });
        }
        await foldAllUsage(admin.db, admin.now());
      } catch (error) {
        if (error instanceof UnreadableFile) throw new UsageError(`${file}: ${error.message}`);
        throw error;
      } finally {
        bar?.stop();
      }
      const { accepted, duplicate, conflict, invalid } = counts;
      const sentence = `${accepted} accepted, ${duplicate} known already, ${conflict} in conflict, ${invalid} invalid.`;
      print.done(sentence, Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)])));
    },
  }),
  defineCommand({
    name: 'usage drop',
    summary: 'Drop the raw events of old months. Sums of hours stay; events of those months are not taken any more.',
    input: z.object({
      before: described(
        z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-04'),
        'MONTH',
        'The first month that is kept, such as 2026-04.',
      ),
    }),
    run: async ({ db, now }, { before }, print) => {
      // What is closed stays closed: a slip of the pen would end all recording.
      if (before > now().toISOString().slice(0, 7)) throw new UsageError('--before: must not be a month to come');
      const { events, months } = await dropUsageBefore(db, before, now());
      print.done(`Dropped ${events} events before ${before}, and their parts of hours in ${months} months.`, {
        before,
        events: String(events),
        months: String(months),
      });
    },
  }),
];

async function openInput(admin: Admin, file: string): Promise<{ stream: Readable; bytes: number | undefined }> {
  if (file === standardInput) {
    if (admin.standardInput === undefined) throw new UsageError('FILE: there is no standard input here');
    return { stream: admin.standardInput, bytes: undefined };
  }
  const path = resolve(admin.folder, file);
  try {
    const { size } = await stat(path);
    return { stream: createReadStream(path), bytes: size };
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : 'cannot be read'}`);
  }
}

function progressBar(terminal: Writable | undefined, bytes: number | undefined): SingleBar | undefined {
  if (terminal === undefined) return undefined;
  const known = 'Importing {bar} {percentage}%  {events} events, {eta_formatted} to go';
  const bar = new SingleBar({ stream: terminal, format: bytes === undefined ? 'Importing {events} events' : known });
  bar.start(bytes ?? 0, 0, { events: 0 });
  return bar;
}

function total(counts: Record<UsageOutcome, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function report(batch: FileEvent[], results: UsageResult[], counts: Record<UsageOutcome, number>, print: Print): void {
  for (const [index, { outcome, message }] of results.entries()) {
    counts[outcome]++;
    if (outcome === 'accepted' || outcome === 'duplicate') continue;
    const problems = counts.conflict + counts.invalid;
    const line = batch[index]?.line ?? 0;
    const reason = batch[index]?.problem ?? message ?? 'source and id are those of another event';
    if (problems <= problemsMax) print.problem(`line ${line}: ${outcome}: ${reason}`);
    else if (problems === problemsMax + 1) print.problem('More events were not taken; only these are told one by one.');
  }
}
