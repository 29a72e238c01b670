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
import { sandboxKind } from './sandbox.js';
import type { SandboxRow } from './sandbox.js';

/** One page of a workspace's sandboxes. @throws 400 for an invalid cursor or search; 403. */
export async function listSandboxes(
  ctx: RequestContext,
  { workspace, ...input }: WorkspaceListInput,
): Promise<ListPage<PartialResource<SandboxRow>>> {
  const within = authorizeWorkspace(ctx, 'sandboxes:list', workspace);
  return readPage(within, sandboxKind, orderedByCost(ctx, within.workspace.account.id, input));
}

/** One page of the sandboxes in the accessible workspaces of an account. @throws 400, 403 like listSandboxes. */
export async function listAccountSandboxes(
  ctx: RequestContext,
  { accountId, ...input }: AccountListInput,
): Promise<ListPage<PartialResource<SandboxRow>>> {
  const within = authorizeAccount(ctx, 'sandboxes:list', accountId);
  return readPage(within, sandboxKind, orderedByCost(ctx, accountId, input));
}

/** Counts the sandboxes of a workspace by the value of a field. @throws 400; 403. */
export async function countSandboxes(
  ctx: RequestContext,
  { workspace, ...input }: WorkspaceGroupsInput,
): Promise<GroupCount[]> {
  const within = authorizeWorkspace(ctx, 'sandboxes:list', workspace);
  return readGroups(within, sandboxKind, input);
}

/** One sandbox by its name. @throws 403; 404 for an unknown name. */
export async function getSandbox(
  ctx: RequestContext,
  { workspace, ...input }: NamedInput,
): Promise<PartialResource<SandboxRow>> {
  const within = authorizeWorkspace(ctx, 'sandboxes:get', workspace);
  return readByName(within, sandboxKind, input);
}

/** Sandboxes by id, in the order of the ids; null for ids that do not exist or are not accessible. @throws 403 */
export async function findSandboxes(
  ctx: RequestContext,
  ids: readonly string[],
): Promise<(Resource<SandboxRow> | null)[]> {
  const within = authorizeScope(ctx, 'sandboxes:get');
  return readByIds(within, sandboxKind, ids);
}
