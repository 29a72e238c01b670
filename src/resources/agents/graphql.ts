import { builder } from '../../graphql/builder.js';
import { connectionComplexity, orNull } from '../../graphql/connection.js';
import { CoreEventType, MetadataType, StatusEnum } from '../../graphql/resource.js';
import {
  foundId,
  resolveList,
  resourceListArguments,
  selectedColumns,
  workspaceArgument,
} from '../../graphql/resource-list.js';
import { selectedPaths } from '../../graphql/selection.js';
import type { Found } from '../resource-kind.js';
import { WorkspaceType } from '../accounts/graphql.js';
import type { Agent } from './agent-row.js';
import { AgentSpecType } from './graphql-spec.js';
import { findAgents, getAgent, listAgents } from './agents.js';

const AgentType = builder.node(builder.objectRef<Found<Agent>>('Agent'), {
  description: 'An agent deployed in a workspace. Reading one needs the scope agents:get; lists need agents:list.',
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findAgents(ctx, ids),
  fields: (t) => ({
    metadata: t.field({ type: MetadataType, nullable: false, resolve: ({ resource }) => resource.metadata }),
    spec: t.field({ type: AgentSpecType, nullable: false, resolve: ({ resource }) => resource.spec }),
    status: t.field({ type: StatusEnum, resolve: ({ resource }) => resource.status }),
    events: t.field({
      type: [CoreEventType],
      nullable: { list: false, items: false },
      description: 'What happened to it, oldest first: the newest hundred.',
      resolve: ({ resource }) => resource.events ?? [],
    }),
  }),
});

const AgentConnection = builder.connectionObject(
  { type: AgentType, name: 'AgentConnection', description: 'A page of agents.' },
  { name: 'AgentEdge', description: 'An agent in a page, with its cursor.' },
);

builder.queryField('agents', (t) =>
  t.connection(
    {
      type: AgentType,
      nullable: false,
      description: 'Agents of a workspace. Needs the scope agents:list.',
      args: { ...resourceListArguments, ...workspaceArgument },
      complexity: connectionComplexity,
      resolve: (_root, args, ctx, info) =>
        resolveList(args, info, (input) => listAgents(ctx, { ...input, workspace: args.workspace })),
    },
    AgentConnection,
  ),
);

builder.objectField(WorkspaceType, 'agents', (t) =>
  t.connection(
    {
      type: AgentType,
      nullable: false,
      description: 'Its agents. Needs the scope agents:list.',
      args: resourceListArguments,
      complexity: connectionComplexity,
      resolve: (workspace, args, ctx, info) =>
        resolveList(args, info, (input) => listAgents(ctx, { ...input, workspace: workspace.name })),
    },
    AgentConnection,
  ),
);

builder.queryField('agent', (t) =>
  t.field({
    type: AgentType,
    description: 'One agent by its name; null when there is none. Needs the scope agents:get.',
    args: { name: t.arg.string({ required: true }), ...workspaceArgument },
    resolve: (_root, { name, workspace }, ctx, info) => {
      const columns = selectedColumns(selectedPaths(info));
      return orNull(getAgent(ctx, { name, workspace: workspace ?? null, columns }));
    },
  }),
);
