import { authorizeWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import type { Resource } from '../../store/read/resource.js';
import { readByIds } from '../../store/read/read-one.js';
import { notFound } from '../../errors.js';
import { isResourceId } from '../../schema/resource.js';
import { executionKind } from './execution.js';
import type { ExecutionRow } from './execution.js';

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
