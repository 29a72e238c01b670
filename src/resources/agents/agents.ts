import { authorizeWorkspace, requireScope } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import type { Found, ResourcePage, WorkspaceListInput } from '../resource-kind.js';
import { resourceList } from '../resource-list.js';
import { agentColumns, agentFromRow } from './agent-row.js';
import type { Agent, AgentRow } from './agent-row.js';

const agents = resourceList<AgentRow, Agent>({
  noun: 'agent',
  table: 'agent',
  columns: agentColumns,
  keyColumns: ['name'],
  isCounted: true,
  hasSearchIndex: true,
  fromRow: agentFromRow,
});

/**
 * One page of a workspace's agents.
 *
 * @throws 400 for a cursor or a search that breaks a rule; 403 without `agents:list` or out of reach.
 */
export async function listAgents(ctx: RequestContext, input: WorkspaceListInput): Promise<ResourcePage<Agent>> {
  const workspace = authorizeWorkspace(ctx, 'agents:list', input.workspace);
  return agents.page(ctx, { workspace, id: workspace.id }, input);
}

/** All agents of a workspace, newest first, chunk by chunk. @throws 403 without `agents:list` or out of reach. */
export function listAllAgents(ctx: RequestContext): AsyncGenerator<Agent[]> {
  const workspace = authorizeWorkspace(ctx, 'agents:list');
  return agents.all(ctx, { workspace, id: workspace.id });
}

/**
 * One agent by its name.
 *
 * @throws 404 for an unknown name; 403 without `agents:get` or out of reach.
 */
export async function getAgent(
  ctx: RequestContext,
  input: { workspace?: string | null; name: string; columns?: ReadonlySet<string> },
): Promise<Found<Agent>> {
  const workspace = authorizeWorkspace(ctx, 'agents:get', input.workspace);
  return agents.byName(ctx, { workspace, id: workspace.id }, input.name, input.columns);
}

/** Agents by id, in the order of the ids; null for what does not exist or is out of reach. */
export async function findAgents(ctx: RequestContext, ids: readonly string[]): Promise<(Found<Agent> | null)[]> {
  requireScope(ctx.caller, 'agents:get');
  return agents.byIds(ctx, ids);
}
