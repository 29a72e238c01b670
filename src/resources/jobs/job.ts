import { z } from 'zod';
import { cronSchedule } from '../../schema/cron-schedule.js';
import { workloadCriteria } from '../../store/read/criteria.js';
import { refusal } from '../../schema/problem.js';
import { resourceKind } from '../../store/read/resource-kind.js';
import { specifiedColumns } from '../../store/read/resource-row.js';
import type { SpecifiedRow } from '../../store/read/resource-row.js';
import { positive, whole, isOfKeptSize, keptSize } from '../../schema/values.js';
import { refuse, unlessMistyped } from '../../schema/rule.js';
import { runtime } from '../../schema/runtime.js';
import { text } from '../../schema/text.js';
import { timeZoneOf } from '../../metering/time-zone.js';

export const jobSpec = z
  .object({
    enabled: z.boolean().default(true).meta({ description: 'Enables the job. If false, the job cannot be executed.' }),
    region: text().optional().meta({ description: 'Region that the job runs in.' }),
    runtime: runtime.optional(),
    parallelism: positive.optional().meta({ description: 'Maximum number of tasks that run at the same time.' }),
    maxRetries: whole.optional().meta({ description: 'Maximum number of retries of a failed task.' }),
    timeout: positive.optional().meta({ description: 'Timeout of an execution (seconds).' }),
    schedule: cronSchedule.optional().meta({
      description: 'Cron expression with five fields. Each occurrence creates an execution.',
    }),
    timeZone: text(64)
      .refine(isTimeZone, refusal('invalid_value', 'must be an IANA time zone, such as Europe/Berlin'))
      .optional()
      .meta({
        description: 'IANA time zone of the schedule (default: UTC).',
      }),
  })
  .superRefine(
    ({ schedule, timeZone }, rules) => {
      if (timeZone !== undefined && schedule === undefined)
        refuse(rules, ['timeZone'], 'not_available', 'is only available with a schedule');
    },
    unlessMistyped('schedule', 'timeZone'),
  )
  .refine(isOfKeptSize, keptSize)
  .meta({ id: 'JobSpec', description: 'Desired state of a job.' });

function isTimeZone(name: string): boolean {
  return timeZoneOf(name) !== undefined;
}

export type JobSpec = z.output<typeof jobSpec>;

export type JobRow = SpecifiedRow<JobSpec>;

export const jobKind = resourceKind<JobRow>('JOB', {
  columns: specifiedColumns,
  hasSearchIndex: true,
  hasIndexedValues: true,
  criteria: workloadCriteria,
});
