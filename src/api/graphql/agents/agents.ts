import { withReference } from '../reference.js';
import { builder } from '../builder.js';
import { NamedInterface } from '../named.js';
import { BilledInterface, EventfulInterface, ResourceInterface } from '../resource.js';
import { foundId } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { objectType } from '../shape-type.js';
import type { PartialResource } from '../../../store/read/resource.js';
import { workloadGroupings } from '../../../store/read/grouping.js';
import { agentKind, agentSpecOf } from '../../../resources/agents/agent-row.js';
import type { AgentRow } from '../../../resources/agents/agent-row.js';
import { agentSpecAnswer } from '../../../resources/agents/agent-spec.js';
import { findResources } from '../../../resources/resource-reads.js';
import { addCreateMutation, addDeleteMutation, addRedeployMutation, addUpdateMutation } from '../resource-mutations.js';
import { addResourceQueries } from '../resource-queries.js';
import { inputType, updateInputType } from '../shape-input.js';
import { metadata } from '../../../schema/resource.js';
import { createAgent, deleteAgent, redeployAgent, updateAgent } from '../../../resources/agents/agent-changes.js';

const AgentSpecType = objectType(agentSpecAnswer);

const agent = rowFields<AgentRow>();

export const AgentType = builder.node(builder.objectRef<PartialResource<AgentRow>>('Agent'), {
  description: 'An agent deployed in a workspace.',
  interfaces: [BilledInterface, EventfulInterface, NamedInterface, ResourceInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findResources(ctx, agentKind, ids),
  fields: (t) => ({
    spec: t.field({
      type: AgentSpecType,
      nullable: false,
      ...agent.of(['name', 'spec'], (row, found) => agentSpecOf(found, row)),
    }),
  }),
});

addResourceQueries('AGENT', { type: AgentType, kind: agentKind, many: 'agents', groupings: workloadGroupings });

addCreateMutation('AGENT', {
  type: AgentType,
  scopes: [['agents:create']],
  description: 'Creates an agent.',
  input: (t) => ({
    metadata: t.field({ type: inputType(metadata), required: true, description: 'Name, display name and labels.' }),
    spec: t.field({ type: inputType(agentSpecAnswer), description: 'Desired configuration.' }),
  }),
  run: (ctx, input) => createAgent(ctx, input),
});

addUpdateMutation('AGENT', {
  type: AgentType,
  scopes: [['agents:update']],
  description: 'Updates an agent.',
  input: (t) => ({
    metadata: t.field({ type: updateInputType(metadata), description: 'Display name and labels.' }),
    spec: t.field({ type: updateInputType(agentSpecAnswer), description: 'Desired configuration.' }),
  }),
  run: (ctx, input) => updateAgent(ctx, withReference('Agent', input)),
});

addDeleteMutation('AGENT', {
  type: AgentType,
  scopes: [['agents:delete']],
  description: 'Deletes an agent.',
  input: () => ({}),
  run: (ctx, input) => deleteAgent(ctx, withReference('Agent', input)),
});

addRedeployMutation('AGENT', {
  type: AgentType,
  scopes: [['agents:update']],
  input: () => ({}),
  run: (ctx, input) => redeployAgent(ctx, withReference('Agent', input)),
});
