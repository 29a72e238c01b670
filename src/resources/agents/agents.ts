import { authorizeAccount, authorizeScope, authorizeWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import type { PartialResource, Resource } from '../../store/read/resource.js';
import type { GroupCount } from '../../store/read/grouping.js';
import type {
  AccountListInput,
  ListInput,
  ListPage,
  NamedInput,
  WorkspaceListInput,
} from '../../store/read/list-input.js';
import { readGroups } from '../../store/read/read-groups.js';
import type { WorkspaceGroupsInput } from '../../store/read/read-groups.js';
import { readByIds, readByName } from '../../store/read/read-one.js';
import { readPage, readWholeList, readWholePage } from '../../store/read/read-page.js';
import { orderedByCost } from '../../billing/cost-order.js';
import { agentKind } from './agent-row.js';
import type { AgentRow } from './agent-row.js';

/** One page of a workspace's agents. @throws 400 for an invalid cursor or search; 403. */
export async function listAgents(
  ctx: RequestContext,
  { workspace, ...input }: WorkspaceListInput,
): Promise<ListPage<PartialResource<AgentRow>>> {
  const within = authorizeWorkspace(ctx, 'agents:list', workspace);
  return readPage(within, agentKind, orderedByCost(ctx, within.workspace.account.id, input));
}

/** One page of the agents in the accessible workspaces of an account. @throws 400, 403 like listAgents. */
export async function listAccountAgents(
  ctx: RequestContext,
  { accountId, ...input }: AccountListInput,
): Promise<ListPage<PartialResource<AgentRow>>> {
  const within = authorizeAccount(ctx, 'agents:list', accountId);
  return readPage(within, agentKind, orderedByCost(ctx, accountId, input));
}

/** Counts the agents of a workspace by the value of a field. @throws 400; 403. */
export async function countAgents(
  ctx: RequestContext,
  { workspace, ...input }: WorkspaceGroupsInput,
): Promise<GroupCount[]> {
  const within = authorizeWorkspace(ctx, 'agents:list', workspace);
  return readGroups(within, agentKind, input);
}

/** One agent by its name. @throws 403; 404 for an unknown name. */
export async function getAgent(
  ctx: RequestContext,
  { workspace, ...input }: NamedInput,
): Promise<PartialResource<AgentRow>> {
  const within = authorizeWorkspace(ctx, 'agents:get', workspace);
  return readByName(within, agentKind, input);
}

/** Agents by id, in the order of the ids; null for ids that do not exist or are not accessible. @throws 403 */
export async function findAgents(ctx: RequestContext, ids: readonly string[]): Promise<(Resource<AgentRow> | null)[]> {
  const within = authorizeScope(ctx, 'agents:get');
  return readByIds(within, agentKind, ids);
}

/** One page of a workspace's agents as the specification prints them. @throws 400, 403 like listAgents. */
export async function listWholeAgents(
  ctx: RequestContext,
  input: Omit<ListInput, 'columns'>,
): Promise<ListPage<Resource<AgentRow>>> {
  const within = authorizeWorkspace(ctx, 'agents:list');
  return readWholePage(within, agentKind, input);
}

/** All agents of the request's workspace, newest first, chunk by chunk. @throws 403 */
export function listAllAgents(ctx: RequestContext): AsyncGenerator<Resource<AgentRow>[]> {
  const within = authorizeWorkspace(ctx, 'agents:list');
  return readWholeList(within, agentKind);
}
