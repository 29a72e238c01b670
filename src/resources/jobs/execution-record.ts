import { Prisma } from '../../database/client/client.js';
import type { Resource } from '../../store/read/resource.js';
import { objectOf, timeText } from '../../store/write/write-row.js';
import { masked } from '../../schema/resource.js';
import type { Dependents } from '../../store/write/write-row.js';
import type { Execution, WholeExecution } from './execution.js';
import { executionFromRow } from './execution.js';
import type { JobRow } from './job.js';

/** What the history keeps of an execution: its tasks once. */
export function executionRecord(found: WholeExecution): Omit<Execution, 'spec'> & { spec: object } {
  const { spec, ...execution } = executionFromRow(found);
  const { tasks: _, ...asked } = spec;
  return { ...execution, spec: asked };
}

/** The executions of a job, which go with it. */
export function executionsOf({ id, row, workspace }: Resource<JobRow>): Dependents {
  const metadata = objectOf({
    id: Prisma.sql`r."id"`,
    job: Prisma.sql`${row.name}::text`,
    workspace: Prisma.sql`${workspace.name}::text`,
    cluster: Prisma.sql`r."cluster"`,
    createdAt: timeText('created_at'),
    updatedAt: timeText('updated_at'),
    startedAt: timeText('started_at'),
    completedAt: timeText('completed_at'),
    deletedAt: timeText('deleted_at'),
    expiredAt: timeText('expired_at'),
  });
  const spec = objectOf({
    envOverride: maskedOverride,
    memoryOverride: Prisma.sql`r."spec"->'memoryOverride'`,
    parallelism: Prisma.sql`r."spec"->'parallelism'`,
    timeout: Prisma.sql`r."spec"->'timeout'`,
  });
  return {
    table: 'job_execution',
    which: Prisma.sql`r."job_id" = ${id}::uuid`,
    name: Prisma.sql`NULL::text`,
    record: Prisma.sql`json_build_object(
      'metadata', ${metadata}, 'spec', ${spec}, 'status', r."status", 'stats', r."stats", 'tasks', r."tasks")`,
  };
}

const maskedOverride = Prisma.sql`
  CASE WHEN json_typeof(r."spec"->'envOverride') = 'object' THEN '{' || coalesce((
    SELECT string_agg(to_json(e."key")::text || ${`:"${masked}"`}::text, ',')
    FROM json_each(r."spec"->'envOverride') AS e), '') || '}' END`;
