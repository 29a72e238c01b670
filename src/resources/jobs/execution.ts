// A job execution, its tasks and their conditions, as the specification has them.
import { z } from 'zod';
import type { ReachableWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { Prisma } from '../../database/client/client.js';
import { masked, timestamp } from '../resource.js';
import type { ResourceKeys, ResourceKind } from '../resource-kind.js';
import { timestampFromRow } from '../resource-row.js';
import { oneOf } from '../words.js';

/** States of an execution, and what each means (decision 24). */
export const executionStatuses = {
  queued: 'Waits for its turn.',
  pending: 'Its turn has come; its tasks are being placed.',
  running: 'At least one task runs.',
  cancelling: 'Is being stopped on request.',
  cancelled: 'Was stopped on request.',
  failed: 'A task failed, and was not tried again.',
  succeeded: 'Every task succeeded.',
  timeout: 'Took longer than its timeout.',
} as const;

export type ExecutionStatus = keyof typeof executionStatuses;

const text = z.string().optional();
const count = z.int().min(0);

export const taskCondition = z
  .object({ executionReason: text, message: text, reason: text, severity: text, state: text, type: text })
  .meta({ id: 'JobTaskCondition' });

export type TaskCondition = z.output<typeof taskCondition>;

export const task = z
  .object({
    metadata: z.object({
      name: z.string(),
      createdAt: timestamp.optional(),
      updatedAt: timestamp.optional(),
      scheduledAt: timestamp.optional(),
      startedAt: timestamp.optional(),
      completedAt: timestamp.optional(),
    }),
    spec: z.object({
      maxRetries: count.optional(),
      timeout: text.meta({ description: 'A duration, such as 15m.' }),
    }),
    conditions: z.array(taskCondition),
  })
  .meta({ id: 'JobTask' });

export type Task = z.output<typeof task>;

export const executionStats = z
  .object({ cancelled: count, failure: count, retried: count, running: count, success: count, total: count })
  .meta({ id: 'JobExecutionStats', description: 'How many tasks are in which state.' });

export type ExecutionStats = z.output<typeof executionStats>;

export const executionSpec = z
  .object({
    envOverride: text.meta({ description: 'A JSON object of variable names, whose values are all masked.' }),
    memoryOverride: count.optional().meta({ description: 'Megabytes.' }),
    parallelism: count.optional(),
    timeout: count.optional().meta({ description: 'Seconds.' }),
    tasks: z.array(task),
  })
  .meta({ id: 'JobExecutionSpec' });

export const executionMetadata = z
  .object({
    id: z.string(),
    job: z.string().optional().meta({ description: 'Name of the job.' }),
    workspace: text,
    cluster: text,
    createdAt: timestamp.optional(),
    updatedAt: timestamp.optional(),
    startedAt: timestamp.optional(),
    completedAt: timestamp.optional(),
    expiredAt: timestamp.optional(),
    deletedAt: timestamp.optional(),
  })
  .meta({ id: 'JobExecutionMetadata' });

export type ExecutionMetadata = z.output<typeof executionMetadata>;

/** A job execution as the specification prints it. */
export const execution = z
  .object({
    metadata: executionMetadata,
    spec: executionSpec,
    stats: executionStats,
    status: oneOf(executionStatuses),
    tasks: z.array(task),
  })
  .meta({ id: 'JobExecution' });

export type Execution = z.output<typeof execution>;

/** The spec as it is stored: overrides by name, each value sealed. */
export type StoredExecutionSpec = Omit<z.output<typeof executionSpec>, 'envOverride' | 'tasks'> & {
  envOverride?: Record<string, string> | undefined;
};

export interface ExecutionRow extends ResourceKeys {
  job: string;
  cluster?: string | null;
  createdAt?: string;
  updatedAt?: string;
  startedAt?: string | null;
  completedAt?: string | null;
  deletedAt?: string | null;
  expiredAt?: string | null;
  status: ExecutionStatus;
  spec?: StoredExecutionSpec;
  stats?: ExecutionStats;
  tasks?: Task[];
}

export const executionKind: ResourceKind<ExecutionRow, Execution> = {
  noun: 'execution',
  table: 'job_execution',
  parent: Prisma.sql`r."job_id"`,
  columns: {
    job: Prisma.sql`(SELECT j."name" FROM "job" AS j WHERE j."id" = r."job_id")`,
    cluster: Prisma.sql`r."cluster"`,
    createdAt: Prisma.sql`r."created_at"`,
    updatedAt: Prisma.sql`r."updated_at"`,
    startedAt: Prisma.sql`r."started_at"`,
    completedAt: Prisma.sql`r."completed_at"`,
    deletedAt: Prisma.sql`r."deleted_at"`,
    expiredAt: Prisma.sql`r."expired_at"`,
    status: Prisma.sql`r."status"`,
    spec: Prisma.sql`r."spec"`,
    stats: Prisma.sql`r."stats"`,
    tasks: Prisma.sql`r."tasks"`,
  },
  keyColumns: ['status'],
  isCounted: false,
  hasSearchIndex: false,
  fromRow: executionFromRow,
};

const noStats = { cancelled: 0, failure: 0, retried: 0, running: 0, success: 0, total: 0 };

function executionFromRow(_ctx: RequestContext, workspace: ReachableWorkspace, row: ExecutionRow): Execution {
  const { envOverride, ...spec } = row.spec ?? {};
  const tasks = row.tasks ?? [];
  return {
    metadata: {
      id: row.id,
      job: row.job,
      workspace: workspace.name,
      cluster: row.cluster ?? undefined,
      createdAt: timestampFromRow(row.createdAt),
      updatedAt: timestampFromRow(row.updatedAt),
      startedAt: timestampFromRow(row.startedAt),
      completedAt: timestampFromRow(row.completedAt),
      deletedAt: timestampFromRow(row.deletedAt),
      expiredAt: timestampFromRow(row.expiredAt),
    },
    spec: { ...spec, envOverride: envOverride && maskedOverride(envOverride), tasks },
    stats: row.stats ?? noStats,
    status: row.status,
    tasks,
  };
}

/** A JSON object in a string, as the specification has it (decision 26). */
function maskedOverride(override: Record<string, string>): string {
  return JSON.stringify(Object.fromEntries(Object.keys(override).map((name) => [name, masked])));
}
