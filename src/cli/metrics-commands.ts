import { z } from 'zod';
import { exportMetricsOf } from './operator/all-metrics.js';
import { defineCommand, described } from './command.js';
import type { Command } from './command.js';
import { accountName } from './inputs.js';
import { writeOut } from './write-out.js';

const formats = { csv: 'text/csv', ndjson: 'application/x-ndjson', focus: 'focus' } as const;

const format = z.enum(['csv', 'ndjson', 'focus'], { error: 'must be one of: csv, ndjson, focus' });

/** A date is its first moment, in UTC. */
const time = z.union([z.iso.date().transform((date) => `${date}T00:00:00Z`), z.iso.datetime({ offset: true })], {
  error: 'must be a date such as 2026-10-01, or a time such as 2026-10-01T09:00:00Z',
});

export const metricsCommands: Command[] = [
  defineCommand({
    name: 'metrics export',
    summary: 'Write out what an account costs in a window: CSV, NDJSON, or charges in the columns of FOCUS 1.2.',
    input: z.object({
      account: described(accountName, 'ACCOUNT', 'Its name.'),
      from: described(time, 'TIME', 'Start of the window, inclusive: a date or a time.'),
      to: described(time, 'TIME', 'End of the window, exclusive.'),
      resolution: described(
        z.string().optional(),
        'STEP',
        'hourly, daily, weekly or monthly; by default what fits the window.',
      ),
      groupBy: described(
        z.string().optional(),
        'LIST',
        'Up to three of workspace, resource_type, resource_name, resource_uuid and billing_dimension, by commas. ' +
          'Charges are by all five.',
      ),
      workspace: described(z.string().optional(), 'WORKSPACE', 'Only this workspace.'),
      resourceType: described(z.string().optional(), 'TYPE', 'Only this resource type.'),
      billingDimension: described(z.string().optional(), 'DIMENSION', 'Only this billing dimension.'),
      format: described(format.optional(), 'FORMAT', 'csv, ndjson or focus; csv by default.'),
      output: described(z.string().min(1).optional(), 'FILE', 'A new file to write to; standard output by default.'),
    }),
    run: async (admin, { account, from, to, format: form = 'csv', output, ...narrowing }) => {
      const parameters = { ...narrowing, startTime: from, endTime: to };
      await writeOut(admin, await exportMetricsOf(admin, account, parameters, formats[form]), output);
    },
  }),
];
