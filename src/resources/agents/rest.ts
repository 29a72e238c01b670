import { invalidParameter } from '../../errors.js';
import { limitFrom, wordFrom } from '../../rest/input.js';
import type { QueryParameters } from '../../rest/input.js';
import type { Route } from '../../rest/route.js';
import { hasPagedLists } from '../../rest/version.js';
import { agentSorts, countAgents, listAgents, listAllAgents } from './agents.js';
import type { AgentListInput } from './agents.js';

export const agentRoutes: Route[] = [
  {
    method: 'GET',
    path: '/agents',
    operation: 'ListAgents',
    scope: 'agents:list',
    answer: async ({ ctx, query, version }) => {
      if (!hasPagedLists(version)) return { items: listAllAgents(ctx) };
      const [page, total] = await Promise.all([listAgents(ctx, listInputFrom(query, version)), countAgents(ctx)]);
      const isTail = query.get('anchor') === 'end';
      const hasMore = !isTail && page.hasNext;
      const last = page.items.at(-1);
      const nextCursor = hasMore && last !== undefined ? page.cursors.seal(last.position) : '';
      return { body: { data: page.items.map((item) => item.resource), meta: { hasMore, nextCursor, total } } };
    },
  },
];

function listInputFrom(query: QueryParameters, version: string): AgentListInput {
  const sort = wordFrom(query, 'sort', agentSorts);
  const cursor = query.get('cursor');
  const anchor = wordFrom(query, 'anchor', { end: true });
  if (anchor !== undefined && cursor !== undefined) throw invalidParameter('anchor', 'cannot be combined with cursor');
  if (anchor !== undefined && sort?.startsWith('name:')) {
    throw invalidParameter('anchor', 'can only be used with a sort by createdAt');
  }
  return {
    sort,
    search: query.get('q'),
    size: limitFrom(query),
    direction: anchor === undefined ? 'forward' : 'backward',
    cursor,
    fields: { search: 'q', cursor: 'cursor' },
    version,
  };
}
