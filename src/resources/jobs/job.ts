import { z } from 'zod';
import { cronSchedule } from '../../schema/cron-schedule.js';
import { workloadCriteria } from '../../store/read/criteria.js';
import { refusal } from '../../schema/problem.js';
import { resourceKind } from '../../store/read/resource-kind.js';
import { specifiedColumns } from '../../store/read/resource-row.js';
import type { SpecifiedResource, SpecifiedRow } from '../../store/read/resource-row.js';
import { positive, whole, isOfKeptSize, keptSize } from '../../schema/values.js';
import { refuse, unlessMistyped } from '../../schema/rule.js';
import { runtime } from '../../schema/runtime.js';
import { text } from '../../schema/text.js';
import { timeZoneOf } from '../../metering/time-zone.js';

export const jobSpec = z
  .object({
    enabled: z.boolean().default(true).meta({ description: 'When false it cannot be executed.' }),
    region: text().optional().meta({ description: 'Region that it runs in.' }),
    runtime: runtime.optional(),
    parallelism: positive.optional().meta({ description: 'Tasks that run at the same time.' }),
    maxRetries: whole.optional().meta({ description: 'How often a failed task is tried again.' }),
    timeout: positive.optional().meta({ description: 'Seconds that an execution may take.' }),
    schedule: cronSchedule.optional().meta({
      description: 'Cron expression of five fields: an execution is made each time that it comes round.',
    }),
    timeZone: text(64)
      .refine(isTimeZone, refusal('invalid_value', 'must be a time zone of the IANA database, such as Europe/Berlin'))
      .optional()
      .meta({
        description: 'By which clocks the schedule goes: a zone of the IANA database. UTC unless one is given.',
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
  .meta({ id: 'JobSpec', description: 'What a job is meant to be.' });

function isTimeZone(name: string): boolean {
  return timeZoneOf(name) !== undefined;
}

export type JobSpec = z.output<typeof jobSpec>;

export type Job = SpecifiedResource<JobSpec>;

export type JobRow = SpecifiedRow<JobSpec>;

export const jobKind = resourceKind<JobRow>('JOB', {
  columns: specifiedColumns,
  hasSearchIndex: true,
  hasIndexedValues: true,
  criteria: workloadCriteria,
});
