import { builder } from '../../graphql/builder.js';
import { connectionComplexity, connectionFromPage, orNull, sliceFromArguments } from '../../graphql/connection.js';
import { enumValues } from '../../graphql/enums.js';
import { CoreEventType, MetadataType, StatusEnum } from '../../graphql/resource.js';
import { selectedPaths } from '../../graphql/selection.js';
import type { Listed } from '../../paging/page.js';
import type { Agent } from './agent-row.js';
import { AgentSpecType } from './graphql-spec.js';
import { agentSorts, countAgents, findAgents, getAgent, listAgents } from './agents.js';

const AgentType = builder.node(builder.objectRef<Listed<Agent>>('Agent'), {
  description: 'An agent deployed in a workspace. Reading one needs the scope agents:get; lists need agents:list.',
  id: { resolve: (agent) => agent.id },
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

const AgentSortEnum = builder.enumType('AgentSort', {
  description: 'Order of a list. Ties are broken by id, in the same direction.',
  values: enumValues(agentSorts),
});

/** Bound into the cursors of this door, as the REST version is into those of the other. */
const cursorVersion = 'graphql';

builder.queryField('agents', (t) =>
  t.connection(
    {
      type: AgentType,
      nullable: false,
      description: 'Agents of a workspace. Needs the scope agents:list.',
      args: {
        workspace: t.arg.string({ description: 'Name of the workspace, when the header does not say it.' }),
        sort: t.arg({ type: AgentSortEnum, description: 'Newest first by default.' }),
        search: t.arg.string({
          description:
            'Found anywhere in name, displayName and labels (keys and values), in any case; at most 200 characters. ' +
            'Under two characters it filters nothing.',
        }),
      },
      complexity: connectionComplexity,
      resolve: async (_root, args, ctx, info) => {
        const { workspace, sort, search } = args;
        const slice = sliceFromArguments(args);
        const paths = selectedPaths(info);
        const columns = agentColumnsFrom(paths);
        const isEmpty = !['edges', 'nodes', 'pageInfo'].some((field) => paths.has(field));
        const page = await listAgents(ctx, {
          isEmpty,
          workspace,
          sort,
          search,
          ...slice,
          columns,
          version: cursorVersion,
        });
        return { ...connectionFromPage(page, page.cursors), workspace: page.workspace.name };
      },
    },
    {
      name: 'AgentConnection',
      description: 'A page of agents.',
      fields: (fields) => ({
        totalCount: fields.field({
          type: 'Int',
          nullable: false,
          description: 'How many agents the workspace holds. A search does not narrow it.',
          resolve: ({ workspace }, _args, ctx) => countAgents(ctx, workspace),
        }),
      }),
    },
    { name: 'AgentEdge', description: 'An agent in a page, with its cursor.' },
  ),
);

builder.queryField('agent', (t) =>
  t.field({
    type: AgentType,
    description: 'One agent by its name; null when there is none. Needs the scope agents:get.',
    args: {
      name: t.arg.string({ required: true }),
      workspace: t.arg.string({ description: 'Name of the workspace, when the header does not say it.' }),
    },
    resolve: (_root, { name, workspace }, ctx, info) => {
      const columns = agentColumnsFrom(selectedPaths(info));
      return orNull(getAgent(ctx, { name, workspace: workspace ?? null, columns }));
    },
  }),
);

/** What of each agent a query selects: what it does not select is not read. */
function agentColumnsFrom(paths: ReadonlySet<string>): ReadonlySet<string> {
  const columns = new Set<string>();
  for (const path of paths) {
    const column = /^(?:edges\.node\.|nodes\.)?(?:metadata\.)?(\w+)$/.exec(path)?.[1];
    if (column !== undefined) columns.add(column);
  }
  return columns;
}
