import { z } from 'zod';
import { workloadCriteria } from '../../kind/criteria.js';
import { resourceKind } from '../../kind/resource-kind.js';
import { specifiedColumns } from '../../kind/resource-row.js';
import type { SpecifiedResource, SpecifiedRow } from '../../kind/resource-row.js';
import { positive, whole } from '../../kind/number.js';
import { runtime } from '../../kind/runtime.js';
import { isOfKeptSize, keptSize } from '../../kind/spec-size.js';
import { text } from '../../kind/text.js';

export const jobSpec = z
  .object({
    enabled: z.boolean().default(true).meta({ description: 'When false it cannot be executed.' }),
    region: text().optional().meta({ description: 'Region that it runs in.' }),
    runtime: runtime.optional(),
    parallelism: positive.optional().meta({ description: 'Tasks that run at the same time.' }),
    maxRetries: whole.optional().meta({ description: 'How often a failed task is tried again.' }),
    timeout: positive.optional().meta({ description: 'Seconds that an execution may take.' }),
  })
  .refine(isOfKeptSize, keptSize)
  .meta({ id: 'JobSpec', description: 'What a job is meant to be.' });

export type JobSpec = z.output<typeof jobSpec>;

export type Job = SpecifiedResource<JobSpec>;

export type JobRow = SpecifiedRow<JobSpec>;

export const jobKind = resourceKind<JobRow>({
  noun: 'job',
  table: 'job',
  columns: specifiedColumns,
  isCounted: true,
  hasSearchIndex: true,
  hasFacets: true,
  criteria: workloadCriteria,
});
