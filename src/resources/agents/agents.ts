import { authorizeWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import type { Resource } from '../../store/read/resource.js';
import type { ListInput, ListPage } from '../../store/read/list-input.js';
import { readWholeList, readWholePage } from '../../store/read/read-page.js';
import { agentKind } from './agent-row.js';
import type { AgentRow } from './agent-row.js';

/** One page of a workspace's agents as the specification prints them. @throws 400, 403 like listResources(). */
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
