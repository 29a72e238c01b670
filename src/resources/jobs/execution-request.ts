// The input of an execution, and the execution that results from it.
import { z } from 'zod';
import type { RequestContext } from '../../auth/context.js';
import { masked } from '../../schema/resource.js';
import { rowTimestamp } from '../../store/read/resource-row.js';
import { refuse, refuseRepeated } from '../../schema/rule.js';
import { envName, envValue } from '../../schema/runtime.js';
import { withSecrets } from '../../store/write/encrypted-spec.js';
import { isOfKeptSize, keptSize } from '../../schema/values.js';
import { nameForPeople } from '../../schema/text.js';
import { executionSpec, taskSpec } from './execution.js';
import type { ExecutionRow, Task } from './execution.js';
import type { JobSpec } from './job.js';

/** The maximum number of tasks of an execution, limited by the size of a row and of a response. */
const tasksMax = 1_000;

export const taskRequest = taskSpec
  .extend({
    name: nameForPeople(63).optional().meta({
      description: 'Name of the task, unique within the execution. Generated if omitted: task-0, task-1 and so on.',
    }),
  })
  .meta({ id: 'JobTaskRequest', description: 'A task to run.' });

type TaskRequest = z.output<typeof taskRequest>;

export const executionRequest = executionSpec
  .pick({ memoryOverride: true, parallelism: true, timeout: true })
  .extend({
    envOverride: z
      .record(envName, envValue)
      .superRefine((variables, rules) => {
        for (const [name, value] of Object.entries(variables)) {
          if (value === masked)
            refuse(rules, [name], 'invalid_value', `must not be ${masked}, the placeholder of a hidden value`);
        }
      })
      .optional()
      .meta({
        description:
          'Environment variables by name, which override those of the job. Values are encrypted and never returned.',
      }),
    tasks: z
      .array(taskRequest)
      .min(1)
      .max(tasksMax)
      .superRefine((tasks, rules) =>
        refuseRepeated(rules, tasks, 'name', ({ name }) => name, 'must be unique: another task has this name'),
      )
      .optional()
      .meta({ description: `Tasks to run (default: one task; at most ${tasksMax}).` }),
  })
  .refine(isOfKeptSize, keptSize)
  .meta({ id: 'JobExecutionRequest', description: 'Request to execute a job.' });

export type ExecutionRequest = z.output<typeof executionRequest>;

/**
 * A queued execution. Omitted fields are those of its job.
 *
 * @param id the id of the execution, to which its secrets are bound.
 */
export function queuedExecution(
  ctx: Pick<RequestContext, 'now' | 'encryption'>,
  id: string,
  job: { id: string; name: string; spec: JobSpec },
  { tasks: requested = [{}], ...given }: ExecutionRequest,
): ExecutionRow {
  const tasks = queuedTasks(requested, job.spec.maxRetries, ctx.now().toISOString());
  const now = rowTimestamp(ctx.now());
  return {
    version: 1,
    job: job.name,
    jobId: job.id,
    cluster: null,
    createdAt: now,
    updatedAt: now,
    startedAt: null,
    completedAt: null,
    deletedAt: null,
    expiredAt: null,
    scheduledAt: null,
    status: 'queued',
    spec: withSecrets(
      { parallelism: job.spec.parallelism, timeout: job.spec.timeout, ...given },
      ctx.encryption.ofRow('job_execution', id).encrypt,
    ),
    stats: { total: tasks.length, running: 0, success: 0, failure: 0, cancelled: 0, retried: 0 },
    tasks,
  };
}

function queuedTasks(requests: TaskRequest[], retriesOfJob: number | undefined, createdAt: string): Task[] {
  const used = new Set(requests.flatMap(({ name }) => name ?? []));
  return requests.map(({ name: requestedName, maxRetries = retriesOfJob, timeout }, index) => {
    const name = requestedName ?? freeName(used, index);
    return { metadata: { name, createdAt, updatedAt: createdAt }, spec: { maxRetries, timeout }, conditions: [] };
  });
}

/** Generates the name of a task without one, and marks it as used. */
function freeName(used: Set<string>, index: number): string {
  let name = `task-${index}`;
  for (let count = 2; used.has(name); count++) name = `task-${index}-${count}`;
  used.add(name);
  return name;
}
