import { z } from 'zod';
import { invalidParameter } from '../../../errors.js';
import { cursor, limit, noParameters, word } from '../input.js';
import { paginationMeta } from '../pagination.js';
import { route } from '../route.js';
import type { Route } from '../route.js';
import { hasPagedLists } from '../version.js';
import type { Resource } from '../../../store/read/resource.js';
import type { ListInput, OrderInput } from '../../../store/read/list-input.js';
import { agent, agentFromRow } from '../../../resources/agents/agent-row.js';
import type { Agent, AgentRow } from '../../../resources/agents/agent-row.js';
import { listAllAgents, listWholeAgents } from '../../../resources/agents/agents.js';

/** The orders of the specification. */
const sorts = {
  'createdAt:desc': 'Newest first.',
  'createdAt:asc': 'Oldest first.',
  'name:asc': 'Name, A to Z.',
  'name:desc': 'Name, Z to A.',
} as const;

const orders: Record<keyof typeof sorts, OrderInput> = {
  'createdAt:desc': { field: 'createdAt', direction: 'desc' },
  'createdAt:asc': { field: 'createdAt', direction: 'asc' },
  'name:asc': { field: 'name', direction: 'asc' },
  'name:desc': { field: 'name', direction: 'desc' },
};

const listQuery = z.object({
  cursor,
  limit,
  sort: word(sorts)
    .optional()
    .meta({ description: 'Order of the list.', override: { default: 'createdAt:desc' } }),
  q: z
    .string()
    .optional()
    .meta({
      description:
        'Search text, matched case-insensitively anywhere in name, displayName and labels (keys and values). Text of fewer ' +
        'than two characters is ignored, and so are spaces around it.',
      override: { maxLength: 200 },
    }),
  anchor: word({ end: true }).optional().meta({
    description: 'Returns the end of the list. Only with a sort by createdAt and without a cursor.',
  }),
});

const example = {
  metadata: {
    name: 'customs-classifier',
    displayName: 'Customs classifier',
    labels: { team: 'border-crossing' },
    plan: 'enterprise',
    url: 'https://run.example.com/meridian-production/agents/customs-classifier',
    workspace: 'meridian-production',
    createdAt: '2026-11-20T09:30:00.000Z',
    updatedAt: '2026-11-20T09:30:00.000Z',
  },
  spec: {
    enabled: true,
    public: false,
    region: 'eu-frankfurt-1',
    runtime: { generation: 'mk3', memory: 2048 },
  },
  status: 'DEPLOYED',
  events: [],
};

export const agentRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/agents',
    operation: 'ListAgents',
    summary: 'Lists agents of the workspace, with status, runtime configuration and endpoint URL.',
    scope: 'agents:list',
    isInWorkspace: true,
    parameters: noParameters,
    query: listQuery,
    body: z.object({ data: z.array(agent), meta: paginationMeta }),
    example: { data: [example], meta: { hasMore: false, nextCursor: '', total: 1 } },
    unpaged: { body: z.array(agent), example: [example] },
    errors: [],
    answer: async ({ ctx, query, version }) => {
      if (!hasPagedLists(version)) return { items: agentsOf(listAllAgents(ctx)) };
      const parameters = query();
      const page = await listWholeAgents(ctx, listInputFrom(parameters, version));
      const hasMore = parameters.anchor === undefined && page.hasNext;
      const last = page.items.at(-1);
      const nextCursor = hasMore && last !== undefined ? page.cursors.encode(last.position) : '';
      const meta = { hasMore, nextCursor, total: page.total };
      return { body: { data: page.items.map(specifiedAgent), meta } };
    },
  }),
];

/** An agent with the fields of the specification. */
function specifiedAgent(row: Resource<AgentRow>): Agent {
  const specified = agentFromRow(row);
  specified.metadata.protected = undefined;
  return specified;
}

async function* agentsOf(chunks: AsyncIterable<Resource<AgentRow>[]>): AsyncGenerator<Agent[]> {
  for await (const agents of chunks) yield agents.map(specifiedAgent);
}

function listInputFrom(query: z.output<typeof listQuery>, version: string): ListInput {
  const { cursor, sort, anchor } = query;
  if (anchor !== undefined && cursor !== undefined) throw invalidParameter('anchor', 'cannot be combined with cursor');
  if (anchor !== undefined && sort?.startsWith('name:')) {
    throw invalidParameter('anchor', 'can only be used with a sort by createdAt');
  }
  return {
    orderBy: sort && orders[sort],
    search: query.q,
    size: query.limit,
    direction: anchor === undefined ? 'forward' : 'backward',
    cursor,
    fields: { search: 'q', cursor: 'cursor' },
    version,
  };
}
