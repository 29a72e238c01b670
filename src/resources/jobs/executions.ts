import { authorizeWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { notFound } from '../../errors.js';
import { nestedResources } from '../authorized-list.js';
import { isResourceId } from '../resource.js';
import type { Found } from '../resource-kind.js';
import { executionKind } from './execution.js';
import type { Execution } from './execution.js';

/** Lists are by creation: an execution has no name. */
export const { list: listExecutions, find: findExecutions } = nestedResources(executionKind, 'admin');

/**
 * One execution of a job (specification, GET /jobs/{jobId}/executions/{executionId}).
 *
 * @param input.job the job's name, which is what identifies it in a workspace.
 * @throws 403 without `admin` or out of reach; 404 for an unknown job or execution.
 */
export async function getExecution(
  ctx: RequestContext,
  input: { workspace?: string | null | undefined; job: string; id: string },
): Promise<Found<Execution>> {
  const workspace = authorizeWorkspace(ctx, 'admin', input.workspace);
  const [found] = isResourceId(input.id) ? await findExecutions(ctx, [input.id]) : [];
  if (found == null || found.workspace.id !== workspace.id || found.resource.metadata.job !== input.job) {
    throw notFound('execution', input.id);
  }
  return found;
}
