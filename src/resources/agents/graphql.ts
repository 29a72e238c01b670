import { builder } from '../../graphql/builder.js';
import { EventfulInterface, ResourceInterface } from '../../graphql/resource.js';
import { foundId } from '../../graphql/resource-list.js';
import { addResourceFields } from '../../graphql/resource-fields.js';
import type { Found } from '../resource-kind.js';
import { WorkspaceType } from '../accounts/graphql.js';
import type { Agent } from './agent-row.js';
import { AgentSpecType } from './graphql-spec.js';
import { findAgents, getAgent, listAgents } from './agents.js';

const AgentType = builder.node(builder.objectRef<Found<Agent>>('Agent'), {
  description: 'An agent deployed in a workspace. Reading one needs the scope agents:get; lists need agents:list.',
  interfaces: [EventfulInterface, ResourceInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findAgents(ctx, ids),
  fields: (t) => ({
    spec: t.field({ type: AgentSpecType, nullable: false, resolve: ({ resource }) => resource.spec }),
  }),
});

addResourceFields(AgentType, WorkspaceType, {
  name: 'Agent',
  one: 'agent',
  many: 'agents',
  scopes: { list: 'agents:list', get: 'agents:get' },
  list: listAgents,
  get: getAgent,
});
