import { z } from 'zod';
import { auditFormats, exportAudit } from './audit-export.js';
import { dateOrTimeText } from '../schema/time.js';
import { defineCommand, described, UsageError } from './command.js';
import type { Command } from './command.js';
import { durationMs } from './expiry.js';
import { accountName, rawCsv } from './inputs.js';

/** The form that the database accepts. */
const printable = z.string().regex(/^\P{Cc}{1,1024}$/u, 'must be 1 to 1024 characters without control characters');

/** A time, or a duration before now in milliseconds. */
const past = z.union([durationMs, dateOrTimeText.transform((text) => new Date(text))], {
  error:
    'must be a date such as 2026-10-01, a time such as 2026-10-01T09:00:00Z, or a duration before now such as 30d or 12h',
});

export const auditCommands: Command[] = [
  defineCommand({
    name: 'audit export',
    summary:
      'Export the change log: who changed what, when, with which credential and from which address. Oldest first.',
    input: z.object({
      account: described(accountName.optional(), 'ACCOUNT', 'Export only this account. Default: all accounts.'),
      since: described(
        past.optional(),
        'TIME',
        'Start, inclusive: a date, a time, or a duration before now such as 30d. Default: the oldest change.',
      ),
      until: described(
        past.optional(),
        'TIME',
        'End, exclusive: a date, a time, or a duration before now. Default: the newest change.',
      ),
      actor: described(
        printable.optional(),
        'NAME',
        'Export only changes by this user or service account, by its name at that time.',
      ),
      client: described(
        printable.optional(),
        'CLIENT',
        'Export only changes with this credential, such as "api_key wcp_1a2b3c".',
      ),
      address: described(printable.optional(), 'ADDRESS', 'Export only changes from this network address.'),
      format: described(
        z.enum(auditFormats, { error: `must be one of: ${auditFormats.join(', ')}` }).optional(),
        'FORMAT',
        'Output format: jsonl (one JSON object per line) or csv. Default: jsonl.',
      ),
      raw: rawCsv,
      output: described(z.string().min(1).optional(), 'FILE', 'New file to write to. Default: standard output.'),
    }),
    run: (admin, { since, until, format = 'jsonl', raw, output, ...which }, print) => {
      if (raw !== undefined && format !== 'csv') throw new UsageError('--raw: is only available for csv');
      const timeOf = (parsed: typeof since) =>
        typeof parsed === 'number' ? new Date(admin.now().getTime() - parsed) : parsed;
      return exportAudit(
        admin,
        {
          ...which,
          since: timeOf(since),
          until: timeOf(until),
          format,
          isRaw: raw === 'yes',
          output,
        },
        print,
      );
    },
  }),
];
