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
    summary: 'Record the usage events of a file. Running it again, also after it broke off, counts nothing twice.',
    argument: 'file',
    input: z.object({
      file: described(
        z.string().min(1),
        'FILE',
        'NDJSON, or CSV with a line of names, as it is or compressed (.gz); - reads standard input.',
      ),
      format: described(
        format.optional(),
        'FORMAT',
        'ndjson or csv; by default what the name of the file ends in, without .gz.',
      ),
      rejects: described(
        z.string().min(1).optional(),
        'FILE',
        'A new file for the events that are not taken, each with the reason, to be put right and imported.',
      ),
    }),
    run: (admin, { file, format, rejects }, print) => importUsage(admin, { file, format, rejects }, print),
  }),
  defineCommand({
    name: 'usage drop',
    summary:
      'Drop the raw events of old months. Sums of hours stay; no event of those months is taken, voided or amended any more.',
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
      const sentence =
        `Dropped ${events} events before ${before}, and their parts of hours in ${months} months. ` +
        'What was recorded of that time can be voided and amended no more.';
      print.done(sentence, {
        before,
        events: String(events),
        months: String(months),
      });
    },
  }),
];
