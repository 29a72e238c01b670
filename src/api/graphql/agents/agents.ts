import { builder } from '../builder.js';
import { orNull } from '../connection.js';
import { filterArgument } from '../filter-argument.js';
import { countComplexity, countDescription, groupArguments, GroupCountType } from '../group-counts.js';
import { BilledInterface, EventfulInterface, ResourceInterface } from '../resource.js';
import { billedListArguments, billedListComplexity, connectionOf, listArguments } from '../resource-fields.js';
import { foundId, resolveList, workspaceArgument } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { selectedColumns } from '../selection.js';
import { objectType } from '../shape-type.js';
import type { Found } from '../../../store/read/found.js';
import { workloadGroupings } from '../../../store/read/grouping.js';
import { AccountType, WorkspaceType } from '../accounts/accounts.js';
import { agentKind, agentSpecOf } from '../../../resources/agents/agent-row.js';
import type { AgentRow } from '../../../resources/agents/agent-row.js';
import { agentSpecAnswer } from '../../../resources/agents/agent-spec.js';
import { countAgents, findAgents, getAgent, listAgents, listAccountAgents } from '../../../resources/agents/agents.js';
import {
  addCreateMutation,
  addDeleteMutation,
  addUpdateMutation,
  createInput,
  deleteInput,
  updateInput,
} from '../resource-mutations.js';
import { inputType, updateInputType } from '../shape-input.js';
import { metadata } from '../../../schema/resource.js';
import { createAgent, deleteAgent, updateAgent } from '../../../resources/agents/agent-changes.js';

const AgentSpecType = objectType(agentSpecAnswer);

const agent = rowFields<AgentRow>();

export const AgentType = builder.node(builder.objectRef<Found<AgentRow>>('Agent'), {
  description: 'An agent deployed in a workspace. Reading one needs the scope agents:get; lists need agents:list.',
  interfaces: [BilledInterface, EventfulInterface, ResourceInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findAgents(ctx, ids),
  fields: (t) => ({
    spec: t.field({
      type: AgentSpecType,
      nullable: false,
      ...agent.of(['name', 'spec'], (row, found) => agentSpecOf(found, row)),
    }),
  }),
});

const filter = filterArgument('Agent', agentKind.criteria);

const connection = connectionOf(AgentType, 'Agent', 'agents');

builder.queryField('agents', (t) =>
  t.connection(
    {
      type: AgentType,
      // A refusal of one root field leaves the others.
      nullable: true,
      description: 'The agents of a workspace. Needs the scope agents:list.',
      args: { ...billedListArguments, ...filter, ...workspaceArgument },
      complexity: billedListComplexity,
      resolve: (_root, args, ctx, info) =>
        resolveList(args, info, (input) => listAgents(ctx, { ...input, workspace: args.workspace })),
    },
    connection,
  ),
);

builder.objectField(WorkspaceType, 'agents', (t) =>
  t.connection(
    {
      type: AgentType,
      nullable: false,
      description: 'Its agents. Needs the scope agents:list.',
      args: { ...billedListArguments, ...filter },
      complexity: billedListComplexity,
      resolve: ({ name }, args, ctx, info) =>
        resolveList(args, info, (input) => listAgents(ctx, { ...input, workspace: name, isOneOfMany: true })),
    },
    connection,
  ),
);

builder.queryField('agent', (t) =>
  t.field({
    type: AgentType,
    description: 'One of the agents by its name; null when there is none. Needs the scope agents:get.',
    args: { name: t.arg.string({ required: true, description: 'Its name.' }), ...workspaceArgument },
    resolve: (_root, args, ctx, info) => orNull(getAgent(ctx, { ...args, columns: selectedColumns(info) })),
  }),
);

const counted = groupArguments('Agent', workloadGroupings);

const counts = {
  nullable: { list: true, items: false },
  description: countDescription('agents', 'agents:list'),
  complexity: countComplexity,
} as const;

builder.queryField('agentCounts', (t) =>
  t.field({
    ...counts,
    type: [GroupCountType],
    args: { ...counted, search: listArguments.search, ...filter, ...workspaceArgument },
    resolve: (_root, args, ctx) => countAgents(ctx, args),
  }),
);

builder.objectField(WorkspaceType, 'agentCounts', (t) =>
  t.field({
    ...counts,
    type: [GroupCountType],
    args: { ...counted, search: listArguments.search, ...filter },
    resolve: ({ name }, args, ctx) => countAgents(ctx, { ...args, workspace: name }),
  }),
);

builder.objectField(AccountType, 'agents', (t) =>
  t.connection(
    {
      type: AgentType,
      nullable: true,
      description: 'The agents in all of its workspaces within reach, as one list. Needs the scope agents:list.',
      args: { ...billedListArguments, ...filter },
      complexity: billedListComplexity,
      resolve: ({ id: accountId }, args, ctx, info) =>
        resolveList(args, info, (input) => listAccountAgents(ctx, { ...input, accountId })),
    },
    connection,
  ),
);

addCreateMutation('AGENT', {
  type: AgentType,
  description: 'Creates an agent. Needs the scope agents:create.',
  args: createInput('AGENT', (t) => ({
    metadata: t.field({ type: inputType(metadata), required: true, description: 'Name, display name and labels.' }),
    spec: t.field({ type: inputType(agentSpecAnswer), description: 'Desired configuration.' }),
  })),
  run: (ctx, { input }) => createAgent(ctx, input),
});

addUpdateMutation('AGENT', {
  type: AgentType,
  description: 'Updates an agent. Needs the scope agents:update.',
  args: updateInput('AGENT', (t) => ({
    metadata: t.field({ type: updateInputType(metadata), description: 'Display name and labels.' }),
    spec: t.field({ type: updateInputType(agentSpecAnswer), description: 'Desired configuration.' }),
  })),
  run: (ctx, { input }) => updateAgent(ctx, input),
});

addDeleteMutation('AGENT', {
  type: AgentType,
  description: 'Deletes an agent. Needs the scope agents:delete.',
  args: deleteInput('AGENT', () => ({})),
  run: (ctx, { input }) => deleteAgent(ctx, input),
});
