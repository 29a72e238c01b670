import { z } from 'zod';
import type { ReachableWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { resourceFromRow } from '../resource-row.js';
import type { SpecifiedResource, SpecifiedRow } from '../resource-row.js';
import { maskedRuntime, runtime } from '../runtime.js';

export const jobSpec = z.object({
  enabled: z.boolean().default(true),
  region: z.string().optional(),
  runtime: runtime.optional(),
  /** Tasks that run at the same time. */
  parallelism: z.int().min(1).optional(),
  /** Times that a failed task is tried again. */
  maxRetries: z.int().min(0).optional(),
  /** Seconds that an execution may take. */
  timeout: z.int().min(1).optional(),
});

export type JobSpec = z.output<typeof jobSpec>;

export type Job = SpecifiedResource<JobSpec>;

export type JobRow = SpecifiedRow<JobSpec>;

export function jobFromRow(_ctx: RequestContext, workspace: ReachableWorkspace, row: JobRow): Job {
  const { runtime: given, ...rest } = row.spec ?? { enabled: true };
  return resourceFromRow(workspace, row, { ...rest, runtime: given && maskedRuntime(given) });
}
