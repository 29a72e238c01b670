// The desired state of a task for executors: its job, with the overrides of its execution.
import { Prisma } from '../../database/client/client.js';
import { readJson } from '../../database/read-json.js';
import type { Statements } from '../../database/transaction.js';
import type { Runtime } from '../../schema/runtime.js';
import { withSecrets } from '../../store/write/encrypted-spec.js';
import type { Claimed } from '../../lifecycle/assignment.js';
import type { Encryption } from '../../encryption.js';
import type { StoredExecutionSpec, Task } from '../jobs/execution.js';
import type { JobSpec } from '../jobs/job.js';

/** The part of an execution that its tasks need, and its job. */
export interface WantedExecution {
  id: string;
  job: { id: string; name: string; version: number; spec: JobSpec };
  spec: StoredExecutionSpec;
  tasks: Record<string, Pick<Task, 'spec'>>;
}

/** The executions of some claims, with only the claimed tasks. */
export async function readExecutions(db: Statements, claims: readonly Claimed[]): Promise<WantedExecution[]> {
  if (claims.length === 0) return [];
  const ids = claims.map(({ resourceId }) => resourceId);
  const names = claims.map(({ task }) => task);
  return readJson(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(json_build_object('id', r."id", 'spec', r."spec",
        'job', json_build_object('id', j."id", 'name', j."name", 'version', j."version", 'spec', j."spec"),
        'tasks', (
          SELECT json_object_agg(t."value"->'metadata'->>'name', json_build_object('spec', t."value"->'spec'))
          FROM json_array_elements(r."tasks") AS t("value") WHERE t."value"->'metadata'->>'name' = ANY(${names}::text[])))),
        '[]')::text
      FROM "job_execution" AS r JOIN "job" AS j ON j."id" = r."job_id" WHERE r."id" = ANY(${ids}::uuid[])`,
  );
}

export function desiredTask(encryption: Encryption, claim: Claimed, { id, job, spec, tasks }: WantedExecution): object {
  const { task, ordinal, workspace } = claim;
  const jobSpec = withSecrets(job.spec, encryption.ofRow('job', job.id).open);
  const { envOverride = {}, ...more } = withSecrets(spec, encryption.ofRow('job_execution', id).open);
  const { memoryOverride, parallelism, timeout } = more;
  const runtime = overridden(jobSpec.runtime ?? {}, envOverride, memoryOverride);
  return {
    metadata: { id: job.id, name: job.name, execution: id, workspace },
    spec: { ...jobSpec, parallelism, timeout, runtime },
    task: { name: task, ordinal, spec: tasks[task]?.spec },
  };
}

function overridden(runtime: Runtime, overrides: Record<string, string>, memory: number | undefined): Runtime {
  const inherited = (runtime.envs ?? []).filter(({ name }) => !Object.hasOwn(overrides, name));
  const envs = [...inherited, ...Object.entries(overrides).map(([name, value]) => ({ name, value, secret: true }))];
  return { ...runtime, envs, memory: memory ?? runtime.memory };
}
