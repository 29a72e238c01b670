// A job execution, its tasks and their conditions, as the specification has them.
import { z } from 'zod';
import { Prisma } from '../../database/client/client.js';
import { timedCriteria } from '../../store/read/criteria.js';
import { optionalTimeBetween, textMatching, wordMatching } from '../../store/read/criterion.js';
import { asAlwaysPresent } from '../../schema/shape.js';
import { duration, positive, whole, oneOf } from '../../schema/values.js';
import { masked, timestamp } from '../../schema/resource.js';
import { resourceKind } from '../../store/read/resource-kind.js';
import { timestampFromRow } from '../../store/read/resource-row.js';
import type { VersionedRow } from '../../store/read/resource-row.js';
import { lines, shownText, text, textLengthMax } from '../../schema/text.js';
import { executionStates } from '../../lifecycle/execution-states.js';
import type { ExecutionState } from '../../lifecycle/execution-states.js';

export const executionStatus = oneOf(executionStates).meta({
  id: 'JobExecutionStatus',
  description: 'State of an execution.',
});

export type ExecutionStatus = ExecutionState;

export const taskCondition = z
  .object({
    type: shownText(textLengthMax).optional().meta({ description: 'Type of the condition.' }),
    state: shownText(textLengthMax).optional().meta({ description: 'State of the condition.' }),
    reason: shownText(textLengthMax).optional().meta({ description: 'Reason for the condition, as one word.' }),
    executionReason: shownText(textLengthMax)
      .optional()
      .meta({ description: 'Reason the task ran or stopped, as one word.' }),
    message: lines(8_192).optional().meta({ description: 'Human-readable reason.' }),
    severity: shownText(textLengthMax).optional().meta({ description: 'Severity of the condition.' }),
  })
  .meta({ id: 'JobTaskCondition', description: 'A condition of a task.' });

export type TaskCondition = z.output<typeof taskCondition>;

export const taskMetadata = z
  .object({
    name: text().meta({ description: 'Name of the task.' }),
    createdAt: timestamp.optional().meta({ description: 'Creation time.' }),
    updatedAt: timestamp.optional().meta({ description: 'Time of the last change.' }),
    scheduledAt: timestamp.optional().meta({ description: 'Time the task was scheduled.' }),
    startedAt: timestamp.optional().meta({ description: 'Time the task started to run.' }),
    completedAt: timestamp.optional().meta({ description: 'Time the task ended.' }),
  })
  .meta({ id: 'JobTaskMetadata', description: 'Name and timestamps of a task.' });

export const taskSpec = z
  .object({
    maxRetries: whole.optional().meta({ description: 'Maximum number of retries.' }),
    timeout: duration.optional().meta({ description: 'Timeout, as a duration such as 15m.' }),
  })
  .meta({ id: 'JobTaskSpec', description: 'Desired state of a task.' });

export const task = z
  .object({ metadata: taskMetadata, spec: taskSpec, conditions: z.array(taskCondition) })
  .meta({ id: 'JobTask', description: 'A task of an execution.' });

export type Task = z.output<typeof task>;

export const executionStats = z
  .object({
    total: whole.meta({ description: 'Number of tasks.' }),
    running: whole.meta({ description: 'Number of running tasks.' }),
    success: whole.meta({ description: 'Number of succeeded tasks.' }),
    failure: whole.meta({ description: 'Number of tasks that failed and are not retried.' }),
    cancelled: whole.meta({ description: 'Number of tasks cancelled on request.' }),
    retried: whole.meta({ description: 'Number of tasks retried at least once.' }),
  })
  .meta({ id: 'JobExecutionStats', description: 'Numbers of tasks of an execution, by state.' });

export type ExecutionStats = z.output<typeof executionStats>;

export const executionSpec = z
  .object({
    envOverride: z.string().optional().meta({ description: 'JSON object of variable names. All values are masked.' }),
    memoryOverride: positive.optional().meta({ description: 'Memory (MB).' }),
    parallelism: positive.optional().meta({ description: 'Maximum number of tasks that run at the same time.' }),
    timeout: positive.optional().meta({ description: 'Timeout of the execution (seconds).' }),
    tasks: z.array(task),
  })
  .meta({ id: 'JobExecutionSpec', description: 'Requested configuration of an execution.' });

export const executionMetadata = z
  .object({
    id: z.string().meta({ description: 'ID of the execution in the REST API.' }),
    job: asAlwaysPresent(z.string().optional().meta({ description: 'Name of the job.' })),
    workspace: asAlwaysPresent(z.string().optional().meta({ description: 'Name of the workspace.' })),
    cluster: text().optional().meta({
      description: 'Cluster that the execution runs on: the name of the executor that claimed the first task.',
    }),
    createdAt: asAlwaysPresent(timestamp.optional().meta({ description: 'Time the execution was requested.' })),
    updatedAt: asAlwaysPresent(timestamp.optional().meta({ description: 'Time of the last change.' })),
    startedAt: timestamp.optional().meta({ description: 'Time the first task started to run.' }),
    completedAt: timestamp.optional().meta({ description: 'Time the execution ended.' }),
    expiredAt: timestamp.optional().meta({ description: 'Time the execution expired.' }),
    deletedAt: timestamp.optional().meta({ description: 'Time the execution was deleted.' }),
  })
  .meta({ id: 'JobExecutionMetadata', description: 'Job, workspace and timestamps of an execution.' });

export type ExecutionMetadata = z.output<typeof executionMetadata>;

/** A job execution as the specification prints it. */
export const execution = z
  .object({
    metadata: executionMetadata,
    spec: executionSpec,
    stats: executionStats,
    status: executionStatus,
    tasks: z.array(task).meta({ description: 'Tasks of the execution, in order.' }),
  })
  .meta({ id: 'JobExecution', description: 'A run of a job.' });

export type Execution = z.output<typeof execution>;

/** The specification as it is stored: overrides by name, each value encrypted. */
export type StoredExecutionSpec = Omit<z.output<typeof executionSpec>, 'envOverride' | 'tasks'> & {
  envOverride?: Record<string, string> | undefined;
};

export interface ExecutionRow extends VersionedRow {
  job: string;
  jobId: string;
  cluster: string | null;
  createdAt: string;
  updatedAt: string;
  startedAt: string | null;
  completedAt: string | null;
  deletedAt: string | null;
  expiredAt: string | null;
  /** The scheduled time that created the execution. */
  scheduledAt: string | null;
  status: ExecutionStatus;
  spec: StoredExecutionSpec;
  stats: ExecutionStats;
  tasks: Task[];
}

export const executionKind = resourceKind<ExecutionRow>('JOB_EXECUTION', {
  parent: Prisma.sql`r."job_id"`,
  columns: {
    version: Prisma.sql`r."version"`,
    job: Prisma.sql`(SELECT j."name" FROM "job" AS j WHERE j."id" = r."job_id")`,
    jobId: Prisma.sql`r."job_id"`,
    cluster: Prisma.sql`r."cluster"`,
    createdAt: Prisma.sql`r."created_at"`,
    updatedAt: Prisma.sql`r."updated_at"`,
    startedAt: Prisma.sql`r."started_at"`,
    completedAt: Prisma.sql`r."completed_at"`,
    deletedAt: Prisma.sql`r."deleted_at"`,
    expiredAt: Prisma.sql`r."expired_at"`,
    scheduledAt: Prisma.sql`r."scheduled_at"`,
    status: Prisma.sql`r."status"`,
    spec: Prisma.sql`r."spec"`,
    stats: Prisma.sql`r."stats"`,
    tasks: Prisma.sql`r."tasks"`,
  },
  hasSearchIndex: false,
  criteria: {
    ...timedCriteria,
    startedAt: optionalTimeBetween('Time the first task started to run.', 'started_at'),
    completedAt: optionalTimeBetween('Time the execution ended.', 'completed_at'),
    status: wordMatching('Status of the execution.', executionStatus, Prisma.sql`r."status"::text`),
    cluster: textMatching('Cluster that the execution runs on.', Prisma.sql`r."cluster"`),
  },
});

/** The columns of the metadata fields. */
export const executionMetadataColumns = {
  id: [],
  jobName: ['job'],
  workspaceName: [],
  cluster: ['cluster'],
  createdAt: ['createdAt'],
  updatedAt: ['updatedAt'],
  startedAt: ['startedAt'],
  completedAt: ['completedAt'],
  deletedAt: ['deletedAt'],
  expiredAt: ['expiredAt'],
} as const;

/** The metadata of an execution, as far as it was read. */
export function executionMetadataOf(
  { id, workspace }: Pick<WholeExecution, 'id' | 'workspace'>,
  row: Partial<ExecutionRow>,
): ExecutionMetadata {
  return {
    id,
    job: row.job,
    workspace: workspace.name,
    cluster: row.cluster ?? undefined,
    createdAt: timestampFromRow(row.createdAt),
    updatedAt: timestampFromRow(row.updatedAt),
    startedAt: timestampFromRow(row.startedAt),
    completedAt: timestampFromRow(row.completedAt),
    deletedAt: timestampFromRow(row.deletedAt),
    expiredAt: timestampFromRow(row.expiredAt),
  };
}

export function executionSpecOf({ envOverride, ...spec }: StoredExecutionSpec, tasks: Task[]): Execution['spec'] {
  return { ...spec, envOverride: envOverride && maskedOverride(envOverride), tasks };
}

/** An execution that was read completely. */
export interface WholeExecution {
  id: string;
  row: ExecutionRow;
  workspace: { name: string };
}

export function executionFromRow(found: WholeExecution): Execution {
  const { status, spec, stats, tasks } = found.row;
  return {
    metadata: executionMetadataOf(found, found.row),
    spec: executionSpecOf(spec, tasks),
    stats,
    status,
    tasks,
  };
}

/** A JSON object in a string, as the specification has it (decision 26). */
function maskedOverride(override: Record<string, string>): string {
  return JSON.stringify(Object.fromEntries(Object.keys(override).map((name) => [name, masked])));
}
