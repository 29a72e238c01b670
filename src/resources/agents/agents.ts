import { workspaceResources } from '../authorized-list.js';
import { specifiedKind } from '../resource-row.js';
import { agentFromRow } from './agent-row.js';

export const {
  list: listAgents,
  listAll: listAllAgents,
  get: getAgent,
  find: findAgents,
} = workspaceResources(specifiedKind('agent', 'agent', agentFromRow), { list: 'agents:list', get: 'agents:get' });
