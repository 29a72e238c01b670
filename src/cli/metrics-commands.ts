import { z } from 'zod';
import { streamMetrics } from '../billing/exports.js';
import { askedInRest } from '../billing/metrics-query.js';
import { defineCommand, described, UsageError } from './command.js';
import type { Command } from './command.js';
import { accountName, labelFilters, rawCsv, time } from './inputs.js';
import { findAccount } from '../accounts/find-tenant.js';
import { operatorContext } from './operator/operator-context.js';
import { writeOut } from './write-out.js';

const formats = {
  csv: { form: 'text/csv', profile: undefined },
  ndjson: { form: 'application/x-ndjson', profile: undefined },
  focus: { form: 'text/csv', profile: 'focus' },
} as const;

const format = z.enum(['csv', 'ndjson', 'focus'], { error: 'must be one of: csv, ndjson, focus' });

export const metricsCommands: Command[] = [
  defineCommand({
    name: 'metrics export',
    summary: 'Export the costs of an account in a period, as CSV, NDJSON or FOCUS 1.2.',
    input: z.object({
      account: described(accountName, 'ACCOUNT', 'Name of the account.'),
      from: described(time, 'TIME', 'Start of the period, inclusive: a date (its start in UTC) or a time.'),
      to: described(time, 'TIME', 'End of the period, exclusive: a date or a time.'),
      resolution: described(
        z.string().optional(),
        'STEP',
        'Granularity: hourly, daily, weekly or monthly. Default: depends on the period.',
      ),
      groupBy: described(
        z.string().optional(),
        'LIST',
        'Up to three of workspace, resource_type, resource_name, resource_uuid and billing_dimension, separated by ' +
          'commas. Not for focus, which has all five.',
      ),
      groupByLabels: described(
        z.string().optional(),
        'LIST',
        'Keys of up to two labels of resources, separated by commas. Not for focus, which has all labels.',
      ),
      label: described(
        labelFilters.optional(),
        'KEY=VALUE,…',
        'Export only usage of resources that had these labels at the time. A key alone means any value. Default: all.',
      ),
      workspace: described(z.string().optional(), 'WORKSPACE', 'Export only this workspace. Default: all.'),
      resourceType: described(z.string().optional(), 'TYPE', 'Export only this resource type. Default: all.'),
      billingDimension: described(
        z.string().optional(),
        'DIMENSION',
        'Export only this billing dimension. Default: all.',
      ),
      format: described(format.optional(), 'FORMAT', 'Output format: csv, ndjson or focus. Default: csv.'),
      raw: rawCsv,
      output: described(z.string().min(1).optional(), 'FILE', 'New file to write to. Default: standard output.'),
    }),
    run: async (
      admin,
      { account, from, to, format: form = 'csv', raw, output, label, groupByLabels, ...narrowing },
      print,
    ) => {
      if (raw !== undefined && form === 'ndjson') throw new UsageError('--raw: is only available for csv and focus');
      const parameters = {
        ...narrowing,
        labels: label,
        groupByLabels: groupByLabels?.split(','),
        startTime: from,
        endTime: to,
      };
      const { id } = await findAccount(admin.db, account);
      const ctx = await operatorContext(admin, { account });
      await writeOut(
        admin,
        streamMetrics(
          ctx,
          id,
          () => askedInRest(parameters),
          () => ({ ...formats[form], isRaw: raw === 'yes' }),
        ),
        output,
        print,
      );
    },
  }),
];
