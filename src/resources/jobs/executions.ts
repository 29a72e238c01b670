import { authorizeScope, authorizeWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import type { PartialResource, Resource } from '../../store/read/resource.js';
import type { GroupCount } from '../../store/read/grouping.js';
import type { ListInput, ListPage } from '../../store/read/list-input.js';
import { readGroups } from '../../store/read/read-groups.js';
import { readByIds } from '../../store/read/read-one.js';
import { readPage } from '../../store/read/read-page.js';
import { notFound } from '../../errors.js';
import { isResourceId } from '../../schema/resource.js';
import { executionKind } from './execution.js';
import type { ExecutionRow } from './execution.js';
import type { JobRow } from './job.js';

/** One page of the executions of one job. @throws 400 for an invalid cursor or search; 403. */
export async function listExecutions(
  ctx: RequestContext,
  job: PartialResource<JobRow>,
  input: ListInput,
): Promise<ListPage<PartialResource<ExecutionRow>>> {
  const within = authorizeWorkspace(ctx, 'admin', job.workspace.name);
  return readPage(within, executionKind, input, job.id);
}

/** Counts the executions of one job by status. @throws 400 for an invalid filter; 403 */
export async function countExecutions(
  ctx: RequestContext,
  job: PartialResource<JobRow>,
  input: { filter?: unknown },
): Promise<GroupCount[]> {
  const within = authorizeWorkspace(ctx, 'admin', job.workspace.name);
  return readGroups(within, executionKind, { ...input, by: 'status' }, job.id);
}

/** Executions by id, in the order of the ids; null for ids that do not exist or are not accessible. @throws 403 */
export async function findExecutions(
  ctx: RequestContext,
  ids: readonly string[],
): Promise<(Resource<ExecutionRow> | null)[]> {
  const within = authorizeScope(ctx, 'admin');
  return readByIds(within, executionKind, ids);
}

/**
 * One execution of a job (specification, GET /jobs/{jobId}/executions/{executionId}).
 *
 * @param input.job the job's name, which identifies it in a workspace.
 * @throws 403 without `admin`, or if the workspace is not accessible; 404 for an unknown job or execution.
 */
export async function getExecution(
  ctx: RequestContext,
  input: { workspace?: string | null | undefined; job: string; id: string },
): Promise<Resource<ExecutionRow>> {
  const within = authorizeWorkspace(ctx, 'admin', input.workspace);
  const [found] = isResourceId(input.id) ? await readByIds(within, executionKind, [input.id]) : [];
  if (found == null || found.workspace.id !== within.workspace.id || found.row.job !== input.job) {
    throw notFound('execution', input.id);
  }
  return found;
}
