// A job execution, its tasks and their conditions, as the specification has them.
import { z } from 'zod';
import { Prisma } from '../../database/client/client.js';
import { timedCriteria } from '../../store/read/criteria.js';
import { isOneOf, textIn, timeBetween, wordIn } from '../../store/read/criterion.js';
import { duration, positive, whole, oneOf } from '../../schema/values.js';
import { masked, timestamp } from '../../schema/resource.js';
import { resourceKind } from '../../store/read/resource-kind.js';
import { timestampFromRow } from '../../store/read/resource-row.js';
import type { VersionedRow } from '../../store/read/resource-row.js';
import { lines, text } from '../../schema/text.js';
import { executionStates } from '../../lifecycle/execution-states.js';
import type { ExecutionState } from '../../lifecycle/execution-states.js';

export const executionStatus = oneOf(executionStates).meta({
  id: 'JobExecutionStatus',
  description: 'State of an execution.',
});

export type ExecutionStatus = ExecutionState;

export const taskCondition = z
  .object({
    type: text().optional().meta({ description: 'What it is about.' }),
    state: text().optional().meta({ description: 'Whether it holds.' }),
    reason: text().optional().meta({ description: 'Why, in a word.' }),
    executionReason: text().optional().meta({ description: 'Why the task ran, or stopped, in a word.' }),
    message: lines(8_192).optional().meta({ description: 'Why, for people.' }),
    severity: text().optional().meta({ description: 'How bad it is.' }),
  })
  .meta({ id: 'JobTaskCondition', description: 'Something that holds of a task.' });

export type TaskCondition = z.output<typeof taskCondition>;

export const taskMetadata = z
  .object({
    name: text().meta({ description: 'Name of the task.' }),
    createdAt: timestamp.optional().meta({ description: 'When it was created.' }),
    updatedAt: timestamp.optional().meta({ description: 'When it was changed last.' }),
    scheduledAt: timestamp.optional().meta({ description: 'When it got its place.' }),
    startedAt: timestamp.optional().meta({ description: 'When it began to run.' }),
    completedAt: timestamp.optional().meta({ description: 'When it ended.' }),
  })
  .meta({ id: 'JobTaskMetadata', description: 'What a task is called, and its times.' });

export const taskSpec = z
  .object({
    maxRetries: whole.optional().meta({ description: 'How often it is tried again.' }),
    timeout: duration.optional().meta({ description: 'A duration, such as 15m.' }),
  })
  .meta({ id: 'JobTaskSpec', description: 'What a task is meant to be.' });

export const task = z
  .object({ metadata: taskMetadata, spec: taskSpec, conditions: z.array(taskCondition) })
  .meta({ id: 'JobTask', description: 'One task of an execution.' });

export type Task = z.output<typeof task>;

export const executionStats = z
  .object({
    total: whole.meta({ description: 'All of them.' }),
    running: whole.meta({ description: 'Still running.' }),
    success: whole.meta({ description: 'Succeeded.' }),
    failure: whole.meta({ description: 'Failed for good.' }),
    cancelled: whole.meta({ description: 'Stopped on request.' }),
    retried: whole.meta({ description: 'Tried again at least once.' }),
  })
  .meta({ id: 'JobExecutionStats', description: 'How many tasks of an execution are in which state.' });

export type ExecutionStats = z.output<typeof executionStats>;

export const executionSpec = z
  .object({
    envOverride: z
      .string()
      .optional()
      .meta({ description: 'A JSON object of variable names, whose values are all masked.' }),
    memoryOverride: positive.optional().meta({ description: 'Megabytes.' }),
    parallelism: positive.optional().meta({ description: 'Tasks that run at the same time.' }),
    timeout: positive.optional().meta({ description: 'Seconds that it may take.' }),
    tasks: z.array(task),
  })
  .meta({ id: 'JobExecutionSpec', description: 'What was asked of an execution.' });

export const executionMetadata = z
  .object({
    id: z.string().meta({ description: 'The id that REST knows it by.' }),
    job: z.string().optional().meta({ description: 'Name of the job.' }),
    workspace: z.string().optional().meta({ description: 'Name of the workspace that it is in.' }),
    cluster: text().optional().meta({ description: 'Where it runs.' }),
    createdAt: timestamp.optional().meta({ description: 'When it was asked for.' }),
    updatedAt: timestamp.optional().meta({ description: 'When it was changed last.' }),
    startedAt: timestamp.optional().meta({ description: 'When its first task began to run.' }),
    completedAt: timestamp.optional().meta({ description: 'When it ended.' }),
    expiredAt: timestamp.optional().meta({ description: 'When it was kept no longer.' }),
    deletedAt: timestamp.optional().meta({ description: 'When it was deleted.' }),
  })
  .meta({ id: 'JobExecutionMetadata', description: 'What an execution belongs to, and its times.' });

export type ExecutionMetadata = z.output<typeof executionMetadata>;

/** A job execution as the specification prints it. */
export const execution = z
  .object({
    metadata: executionMetadata,
    spec: executionSpec,
    stats: executionStats,
    status: executionStatus,
    tasks: z.array(task).meta({ description: 'Its tasks, in their order.' }),
  })
  .meta({ id: 'JobExecution', description: 'One run of a job.' });

export type Execution = z.output<typeof execution>;

/** The spec as it is stored: overrides by name, each value sealed. */
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
  /** The time of the schedule that made it. */
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
    startedAt: timeBetween('When it began to run.', 'started_at'),
    completedAt: timeBetween('When it ended.', 'completed_at'),
    status: wordIn('Its status is one of these.', executionStatus, isOneOf(Prisma.sql`r."status"::text`)),
    cluster: textIn('Where it runs is one of these.', isOneOf(Prisma.sql`r."cluster"`)),
  },
});

/** What each field of its metadata is made of. */
export const executionMetadataColumns = {
  id: [],
  job: ['job'],
  workspace: [],
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

/** An execution that was read whole. */
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
