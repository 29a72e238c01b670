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
import { addSpecifiedMutations } from '../resource-mutations.js';
import { addResourceQueries } from '../resource-queries.js';
import { writableAgents } from '../../../resources/agents/agent-changes.js';

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

addSpecifiedMutations(writableAgents, {
  type: AgentType,
  spec: agentSpecAnswer,
  deletion: 'Deletes an agent.',
});
