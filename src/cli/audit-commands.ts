import { z } from 'zod';
import { auditFormats, exportAudit } from './audit-export.js';
import { defineCommand, described } from './command.js';
import type { Command } from './command.js';
import { durationMs } from './expiry.js';
import { accountName } from './inputs.js';

/** What a record holds of somebody: the database keeps no other text. */
const words = z.string().regex(/^\P{Cc}{1,1024}$/u, 'must be 1 to 1024 characters, none of which control');

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
      until: described(past.optional(), 'TIME', 'Until then, itself excluded; likewise. To the end by default.'),
      actor: described(
        words.optional(),
        'NAME',
        'What this user or service account did, by the name that they had then.',
      ),
      client: described(
        words.optional(),
        'CLIENT',
        'What was done through this credential, such as "api_key wcp_1a2b3c".',
      ),
      address: described(words.optional(), 'ADDRESS', 'What was done from this network address.'),
      format: described(
        z.enum(auditFormats, { error: `must be one of: ${auditFormats.join(', ')}` }).optional(),
        'FORMAT',
        'jsonl (a JSON object on each line) or csv; jsonl by default.',
      ),
      output: described(z.string().min(1).optional(), 'FILE', 'A new file to write to; standard output by default.'),
    }),
    run: (admin, { since, until, format = 'jsonl', output, ...which }) => {
      const timeOf = (given: typeof since) =>
        typeof given === 'number' ? new Date(admin.now().getTime() - given) : given;
      return exportAudit(admin, { ...which, since: timeOf(since), until: timeOf(until), format, output });
    },
  }),
];
