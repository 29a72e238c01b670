import { z } from 'zod';
import { auditFormats, exportAudit } from './audit-export.js';
import { defineCommand, described } from './command.js';
import type { Command } from './command.js';
import { durationMs } from './expiry.js';
import { accountName } from './inputs.js';

/** When, or how long ago in milliseconds. */
const past = z.union(
  [durationMs, z.union([z.iso.date(), z.iso.datetime({ offset: true })]).transform((text) => new Date(text))],
  {
    error:
      'must be a date such as 2026-10-01, a time such as 2026-10-01T09:00:00Z, or how long ago, such as 30d or 12h',
  },
);

export const auditCommands: Command[] = [
  defineCommand({
    name: 'audit export',
    summary: 'Write out who changed what, through what, from where and when: all changes that are kept, oldest first.',
    input: z.object({
      account: described(accountName.optional(), 'ACCOUNT', 'This account alone; all of them by default.'),
      since: described(
        past.optional(),
        'TIME',
        'A date, a time, or how long ago, such as 30d. From the start by default.',
      ),
      format: described(
        z.enum(auditFormats, { error: `must be one of: ${auditFormats.join(', ')}` }).optional(),
        'FORMAT',
        'jsonl (a JSON object on each line) or csv; jsonl by default.',
      ),
      output: described(z.string().min(1).optional(), 'FILE', 'A new file to write to; standard output by default.'),
    }),
    run: (admin, { account, since, format = 'jsonl', output }) => {
      const time = typeof since === 'number' ? new Date(admin.now().getTime() - since) : since;
      return exportAudit(admin, { account, since: time, format, output });
    },
  }),
];
