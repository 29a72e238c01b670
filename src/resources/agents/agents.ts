import DataLoader from 'dataloader';
import { authorizeWorkspace, requireScope } from '../../access/caller.js';
import type { ReachableWorkspace } from '../../access/caller.js';
import { perRequest } from '../../context.js';
import type { RequestContext } from '../../context.js';
import { Prisma } from '../../database/client/client.js';
import { selectPage, selectRows } from '../../database/select-page.js';
import type { ListOrder } from '../../database/select-page.js';
import { notFound } from '../../errors.js';
import { queryCursors } from '../../paging/cursor.js';
import type { QueryCursors } from '../../paging/cursor.js';
import { pageFromRows, searchTerm } from '../../paging/page.js';
import type { Listed, Page, Slice } from '../../paging/page.js';
import { resourceName } from '../resource.js';
import { agentColumns, everyAgentColumn, listedAgent } from './agent-row.js';
import type { Agent, AgentRow } from './agent-row.js';

/** The orders of the specification; the first one is the default. */
export const agentSorts = {
  'createdAt:desc': 'Newest first.',
  'createdAt:asc': 'Oldest first.',
  'name:asc': 'By name, a to z.',
  'name:desc': 'By name, z to a.',
} as const;

export type AgentSort = keyof typeof agentSorts;

export interface AgentListInput {
  workspace?: string | null | undefined;
  sort?: AgentSort | null | undefined;
  /** Looked for in name, displayName and labels, in any case; under two characters: no filter. */
  search?: string | null | undefined;
  size: number;
  direction: 'forward' | 'backward';
  /** A cursor of the same query: the slice starts behind it. */
  cursor?: string | null | undefined;
  /** What the door calls its parameters, so that an error names what the caller wrote. */
  fields: { search: string; cursor: string };
  /** Bound into cursors: a cursor of one version is refused by another. */
  version: string;
  columns?: ReadonlySet<string> | undefined;
  /** Reads no rows: for those who ask for the total alone. */
  isEmpty?: boolean | undefined;
}

export interface AgentPage extends Page<Agent> {
  cursors: QueryCursors;
  workspace: ReachableWorkspace;
}

/**
 * One page of a workspace's agents.
 *
 * @throws 400 for a cursor or a search that breaks a rule; 403 without `agents:list` or out of reach.
 */
export async function listAgents(ctx: RequestContext, input: AgentListInput): Promise<AgentPage> {
  const workspace = authorizeWorkspace(ctx, 'agents:list', input.workspace);
  const sort = input.sort ?? 'createdAt:desc';
  const search = searchTerm(input.fields.search, input.search);
  const cursors = queryCursors(ctx.seal, ctx.now, {
    list: 'agents',
    workspace: workspace.id,
    sort,
    search,
    version: input.version,
  });
  const from = input.cursor == null ? undefined : cursors.open(input.fields.cursor, input.cursor);
  const slice: Slice = { size: input.size, direction: input.direction, from };
  if (input.isEmpty) return { items: [], hasPrevious: false, hasNext: false, cursors, workspace };
  const page = await readAgentPage(ctx, workspace, { sort, search, slice, columns: input.columns });
  return { ...page, cursors, workspace };
}

/** How many agents the workspace holds, whatever a search narrows (decision 13). */
export async function countAgents(ctx: RequestContext, workspaceName?: string | null): Promise<number> {
  const workspace = authorizeWorkspace(ctx, 'agents:list', workspaceName);
  return agentCountByWorkspaceId(ctx).load(workspace.id);
}

/** Larger chunks are no faster, and leave more behind in memory than is collected in time. */
const chunkSize = 50;

/** All agents of a workspace, newest first, page by page, so that their number never shows in memory. */
export async function* listAllAgents(ctx: RequestContext): AsyncGenerator<Agent[]> {
  const workspace = authorizeWorkspace(ctx, 'agents:list');
  let from: Slice['from'];
  for (;;) {
    const slice: Slice = { size: chunkSize, direction: 'forward', from };
    const page = await readAgentPage(ctx, workspace, { sort: 'createdAt:desc', slice });
    yield page.items.map((item) => item.resource);
    from = page.items.at(-1)?.position;
    if (!page.hasNext) return;
  }
}

/**
 * One agent by its name.
 *
 * @throws 404 for an unknown name; 403 without `agents:get` or out of reach.
 */
export async function getAgent(
  ctx: RequestContext,
  input: { workspace?: string | null; name: string; columns?: ReadonlySet<string> },
): Promise<Listed<Agent>> {
  const workspace = authorizeWorkspace(ctx, 'agents:get', input.workspace);
  if (!resourceName.safeParse(input.name).success) throw notFound('agent', input.name);
  const agent = await agentByName(ctx).load({
    workspace,
    name: input.name,
    columns: input.columns ?? everyAgentColumn,
  });
  if (agent === null) throw notFound('agent', input.name);
  return agent;
}

/** Agents by id, in the order of the ids; null for what does not exist or is out of reach. */
export async function findAgents(ctx: RequestContext, ids: readonly string[]): Promise<(Listed<Agent> | null)[]> {
  requireScope(ctx.caller, 'agents:get');
  return Promise.all(ids.map((id) => agentById(ctx).load(id)));
}

const agentById = perRequest(
  (ctx) =>
    new DataLoader<string, Listed<Agent> | null>(async (ids) => {
      const workspaces = new Map(Array.from(ctx.caller.workspaces.values(), (each) => [each.id, each]));
      const rows = await selectAgents(
        ctx,
        Prisma.sql`r."id" = ANY(${ids}::uuid[]) AND r."workspace_id" = ANY(${[...workspaces.keys()]}::uuid[])`,
        everyAgentColumn,
      );
      const rowsById = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => {
        const row = rowsById.get(id);
        const workspace = workspaces.get(row?.workspaceId ?? '');
        return row === undefined || workspace === undefined ? null : listedAgent(ctx, workspace, row);
      });
    }),
);

const agentByName = perRequest(
  (ctx) =>
    new DataLoader<AgentName, Listed<Agent> | null, string>(
      async (keys) => {
        const workspaceIds = keys.map(({ workspace }) => workspace.id);
        const names = keys.map(({ name }) => name);
        const rows = await selectAgents(
          ctx,
          Prisma.sql`(r."workspace_id", r."name") IN (SELECT * FROM unnest(${workspaceIds}::uuid[], ${names}::text[]))`,
          new Set(keys.flatMap(({ columns }) => [...columns])),
        );
        return keys.map(({ workspace, name }) => {
          const row = rows.find((each) => each.workspaceId === workspace.id && each.name === name);
          return row === undefined ? null : listedAgent(ctx, workspace, row);
        });
      },
      { cacheKeyFn: ({ workspace, name, columns }) => `${workspace.id} ${name} ${[...columns].join()}` },
    ),
);

const agentCountByWorkspaceId = perRequest(
  (ctx) =>
    new DataLoader<string, number>(async (workspaceIds) => {
      const totals: Record<string, number> = JSON.parse(
        await ctx.db.$text(Prisma.sql`
          SELECT coalesce(json_object_agg("workspace_id", "total"), '{}')::text FROM "resource_count"
          WHERE "resource" = 'agent' AND "workspace_id" = ANY(${[...workspaceIds]}::uuid[])`),
      );
      return workspaceIds.map((id) => totals[id] ?? 0);
    }),
);

interface AgentName {
  workspace: ReachableWorkspace;
  name: string;
  columns: ReadonlySet<string>;
}

function selectAgents(ctx: RequestContext, condition: Prisma.Sql, wanted: ReadonlySet<string>): Promise<AgentRow[]> {
  return selectRows<AgentRow>(ctx.db, {
    table: Prisma.sql`"agent"`,
    condition,
    columns: { ...columnsOf(wanted), workspaceId: Prisma.sql`r."workspace_id"`, key: Prisma.sql`r."created_at"` },
  });
}

interface AgentPageQuery {
  sort: AgentSort;
  search?: string | undefined;
  slice: Slice;
  columns?: ReadonlySet<string> | undefined;
}

async function readAgentPage(
  ctx: RequestContext,
  workspace: ReachableWorkspace,
  query: AgentPageQuery,
): Promise<Page<Agent>> {
  const rows = await selectPage<AgentRow>(ctx.db, {
    table: Prisma.sql`"agent"`,
    workspaceId: workspace.id,
    order: agentOrders[query.sort],
    slice: query.slice,
    search: query.search,
    columns: columnsOf(query.columns ?? everyAgentColumn),
  });
  return pageFromRows(
    query.slice,
    rows.map((row) => listedAgent(ctx, workspace, row)),
  );
}

/** What is wanted of each row, and the name, which everything else is made from. */
function columnsOf(wanted: ReadonlySet<string>): Record<string, Prisma.Sql> {
  const columns = Object.entries(agentColumns).filter(([name]) => name === 'name' || wanted.has(name));
  return Object.fromEntries(columns);
}

const byCreation = { column: Prisma.sql`r."created_at"`, keyType: Prisma.sql`timestamptz`, walkRowsMax: 15_000 };
const byName = { column: Prisma.sql`r."name"`, keyType: Prisma.sql`text`, walkRowsMax: 5_000 };

const agentOrders: Record<AgentSort, ListOrder> = {
  'createdAt:desc': { ...byCreation, descending: true },
  'createdAt:asc': { ...byCreation, descending: false },
  'name:asc': { ...byName, descending: false },
  'name:desc': { ...byName, descending: true },
};
