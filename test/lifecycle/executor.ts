// The HTTP requests of a test executor.
import { frameContext } from '../../src/cli/operator/operator-context.js';
import { createExecutor } from '../../src/resources/executors/executor-changes.js';
import { executorKinds } from '../../src/lifecycle/work-kinds.js';
import { graphql } from '../harness.js';
import type { Answer, TestApp } from '../harness.js';
import { mutate } from '../resources/mutations.js';

export interface TestExecutor {
  key: string;
  id: string;
  claim: (input?: object) => Promise<Answer['body']>;
  report: (assignment: { id: string; fence: number }, more?: object) => Promise<Answer['body']>;
  release: (assignment: { id: string; fence: number }, more?: object) => Promise<Answer['body']>;
  /** Reports on a deployed resource: as the agent with the id, unless `more` says otherwise. */
  observe: (resourceId: string, generation: number, more?: object) => Promise<Answer['body']>;
  /** A page of its desired resources. */
  desired: (args?: string) => Promise<Answer['body']>;
}

const desiredResource = `kind resourceId generation isOwn isHeldByOther action status workspaceName region version desired replaces`;

const assignment = `id fence leaseUntil attempt kind action resourceId workspaceName region version desired replaces`;

/** @param kinds all of them unless some are given. */
export async function anExecutor(
  app: TestApp,
  name: string,
  { regions = ['*'], kinds = [...executorKinds] }: { regions?: string[]; kinds?: string[] } = {},
): Promise<TestExecutor> {
  const input = { name, regions, kinds, neverExpires: true };
  const { key, executor } = await createExecutor(await frameContext(app.services), input);
  const { id } = executor;
  return {
    key,
    id,
    claim: (input = {}) =>
      mutate(app, key, 'executorClaimAssignments', `assignments { ${assignment} } lost stopping`, {
        first: 10,
        ...input,
      }),
    report: ({ id: of, fence }, more = {}) =>
      mutate(app, key, 'executorReportAssignment', 'state leaseUntil stop', { id: of, fence, ...more }),
    release: ({ id: of, fence }, more = {}) =>
      mutate(app, key, 'executorReleaseAssignment', 'id', { id: of, fence, ...more }),
    observe: (resourceId, generation, more = {}) =>
      mutate(app, key, 'executorReportStatus', 'status generation', {
        kind: 'AGENT',
        resourceId,
        generation,
        status: 'FAILED',
        ...more,
      }),
    desired: async (args = '(first: 100)') => {
      const page = `nodes { ${desiredResource} } totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;
      const { body } = await graphql(app, key, `{ executorAssignments${args} { ${page} } }`);
      return body.data?.executorAssignments ?? body.errors[0].extensions;
    },
  };
}

/** Has an executor send no request for some minutes, by the clock of the database. */
export async function silence({ services: { db } }: TestApp, { id }: TestExecutor, minutes = 3): Promise<void> {
  await db.$executeRaw`
    UPDATE "executor" SET "last_seen_at" = now() - ${minutes} * interval '1 minute' WHERE "id" = ${id}::uuid`;
}

/** Has every lease run out, by the clock of the database. */
export async function endLeases({ services: { db } }: TestApp): Promise<void> {
  await db.$executeRaw`
    UPDATE "assignment" SET "lease_until" = now() - interval '1 second', "due_at" = now() - interval '1 second'
    WHERE "lease_until" IS NOT NULL`;
}
