import { authorizeAccount, authorizeScope, authorizeWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import type { PartialResource, Resource } from '../../store/read/resource.js';
import type { GroupCount } from '../../store/read/grouping.js';
import type { AccountListInput, ListPage, NamedInput, WorkspaceListInput } from '../../store/read/list-input.js';
import { readGroups } from '../../store/read/read-groups.js';
import type { WorkspaceGroupsInput } from '../../store/read/read-groups.js';
import { readByIds, readByName } from '../../store/read/read-one.js';
import { readPage } from '../../store/read/read-page.js';
import { orderedByCost } from '../../billing/cost-order.js';
import { jobKind } from './job.js';
import type { JobRow } from './job.js';

/** One page of a workspace's jobs. @throws 400 for an invalid cursor or search; 403. */
export async function listJobs(
  ctx: RequestContext,
  { workspace, ...input }: WorkspaceListInput,
): Promise<ListPage<PartialResource<JobRow>>> {
  const within = authorizeWorkspace(ctx, 'jobs:list', workspace);
  return readPage(within, jobKind, orderedByCost(ctx, within.workspace.account.id, input));
}

/** One page of the jobs in the accessible workspaces of an account. @throws 400, 403 like listJobs. */
export async function listAccountJobs(
  ctx: RequestContext,
  { accountId, ...input }: AccountListInput,
): Promise<ListPage<PartialResource<JobRow>>> {
  const within = authorizeAccount(ctx, 'jobs:list', accountId);
  return readPage(within, jobKind, orderedByCost(ctx, accountId, input));
}

/** Counts the jobs of a workspace by the value of a field. @throws 400; 403. */
export async function countJobs(
  ctx: RequestContext,
  { workspace, ...input }: WorkspaceGroupsInput,
): Promise<GroupCount[]> {
  const within = authorizeWorkspace(ctx, 'jobs:list', workspace);
  return readGroups(within, jobKind, input);
}

/** One job by its name. @throws 403; 404 for an unknown name. */
export async function getJob(
  ctx: RequestContext,
  { workspace, ...input }: NamedInput,
): Promise<PartialResource<JobRow>> {
  const within = authorizeWorkspace(ctx, 'jobs:get', workspace);
  return readByName(within, jobKind, input);
}

/** Jobs by id, in the order of the ids; null for ids that do not exist or are not accessible. @throws 403 */
export async function findJobs(ctx: RequestContext, ids: readonly string[]): Promise<(Resource<JobRow> | null)[]> {
  const within = authorizeScope(ctx, 'jobs:get');
  return readByIds(within, jobKind, ids);
}
