import { z } from 'zod';
import type { Encryption } from '../../encryption.js';
import { givenId, insertionOf, insertRows, newRow, resourceInput } from './insert-rows.js';
import type { Writing } from './insert-rows.js';
import { envName, envValue } from '../../schema/runtime.js';
import { withSecrets } from '../../store/write/encrypted-spec.js';
import { executionSpec, executionStats, executionStatus, task } from '../../resources/jobs/execution.js';
import { jobSpec } from '../../resources/jobs/job.js';

export const jobInput = resourceInput.extend({ spec: jobSpec });

export type JobInput = z.input<typeof jobInput>;

export const insertJobs = insertionOf('job', jobInput);

const time = z.iso.datetime();

export const executionInput = z.object({
  id: givenId,
  jobId: z.uuid(),
  cluster: z.string().optional(),
  createdAt: time,
  updatedAt: time,
  startedAt: time.optional(),
  completedAt: time.optional(),
  deletedAt: time.optional(),
  expiredAt: time.optional(),
  status: executionStatus,
  spec: executionSpec.omit({ envOverride: true, tasks: true }).extend({
    /** By name. The values never leave again. */
    envOverride: z.record(envName, envValue).optional(),
  }),
  stats: executionStats,
  tasks: z.array(task),
});

export type ExecutionInput = z.input<typeof executionInput>;

/**
 * Inserts executions of jobs of one workspace, all or none.
 *
 * @param encryption encrypts the values of the overridden variables.
 * @throws {z.ZodError}
 */
export async function insertExecutions(
  db: Writing,
  encryption: Encryption,
  workspaceId: string,
  inputs: ExecutionInput[],
): Promise<void> {
  const rows = inputs.map((input) => {
    const { id, jobId, spec, stats, tasks, status, ...columns } = executionInput.parse(input);
    return newRow(
      workspaceId,
      { id, events: [] },
      {
        job_id: jobId,
        cluster: columns.cluster,
        created_at: columns.createdAt,
        updated_at: columns.updatedAt,
        started_at: columns.startedAt,
        completed_at: columns.completedAt,
        deleted_at: columns.deletedAt,
        expired_at: columns.expiredAt,
        status,
        spec: withSecrets(spec, encryption.ofRow('job_execution', id).encrypt),
        stats,
        tasks,
      },
    );
  });
  await insertRows(db, 'job_execution', rows);
}
