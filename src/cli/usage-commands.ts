import { z } from 'zod';
import { usageFileFormats } from '../metering/usage-file.js';
import { dropUsageBefore } from '../metering/usage-retention.js';
import { defineCommand, described, UsageError } from './command.js';
import type { Command } from './command.js';
import { importUsage } from './usage-import.js';

const format = z.enum(usageFileFormats, { error: `must be one of: ${usageFileFormats.join(', ')}` });

export const usageCommands: Command[] = [
  defineCommand({
    name: 'usage import',
    summary: 'Record usage events from a file. It is safe to run again: no event is counted twice.',
    argument: 'file',
    input: z.object({
      file: described(
        z.string().min(1),
        'FILE',
        'NDJSON, or CSV with a header line, optionally compressed (.gz), or - for standard input.',
      ),
      format: described(
        format.optional(),
        'FORMAT',
        'Input format: ndjson or csv. Default: by the extension of the file.',
      ),
      rejects: described(
        z.string().min(1).optional(),
        'FILE',
        'New file for rejected events with their reasons. Fix them there and import the file.',
      ),
    }),
    run: (admin, { file, format, rejects }, print) => importUsage(admin, { file, format, rejects }, print),
  }),
  defineCommand({
    name: 'usage drop',
    summary:
      'Delete the raw usage events of old months. Hourly costs stay. Events of those months can no longer be recorded, voided or amended.',
    input: z.object({
      before: described(
        z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-04'),
        'MONTH',
        'First month to keep, such as 2026-04.',
      ),
    }),
    run: async ({ db, usageMemory, now }, { before }, print) => {
      // Dropping cannot be undone: a future month would end all recording.
      if (before > now().toISOString().slice(0, 7)) throw new UsageError('--before: must not be in the future');
      const { events, months } = await dropUsageBefore(db, usageMemory, before, now());
      const sentence =
        `Deleted ${events} events before ${before}, from ${months} months. ` +
        'Events of that time can no longer be recorded, voided or amended.';
      print.done(sentence, {
        before,
        events: String(events),
        months: String(months),
      });
    },
  }),
];
