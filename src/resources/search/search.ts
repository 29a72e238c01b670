// Searches the names of all kinds and workspaces. Exact matches come first, then names that start with the text, then
// other matches; each ordered by name (decision 144).
import { authorizeScope, authorizeWorkspace, requireScope } from '../../auth/authorize.js';
import type { AccessibleWorkspace } from '../../auth/caller.js';
import type { RequestContext } from '../../auth/context.js';
import type { Scope } from '../../auth/scopes.js';
import { scopeRequired } from '../../errors.js';
import type { Status } from '../../schema/resource.js';
import { queryCursors } from '../../pagination/cursor.js';
import type { QueryCursors } from '../../pagination/cursor.js';
import { pageFromRows, searchTerm } from '../../pagination/page.js';
import type { Page, Position, Slice } from '../../pagination/page.js';
import { kindsWith, resourceKinds } from '../../resource-kinds.js';
import type { KindWith } from '../../resource-kinds.js';
import { countHits, countSearched, readHits } from './search-statements.js';
import type { HitRow } from './search-statements.js';

/** Kinds that the search finds. */
export type SearchKind = KindWith<'isSearched'>;

/** A search result. */
export interface Hit {
  kind: SearchKind;
  id: string;
  name: string;
  displayName: string | null;
  /** Of the kinds that have one. */
  status: Status | null;
  workspace: AccessibleWorkspace;
  position: Position;
}

export interface SearchInput {
  text: string;
  /** All that the credential may list, unless some are named. */
  kinds?: readonly SearchKind[] | null | undefined;
  /** Name of one workspace; all accessible workspaces otherwise. */
  workspace?: string | null | undefined;
  size: number;
  direction: 'forward' | 'backward';
  cursor?: string | null | undefined;
  fields: { cursor: string };
  wanted: { items: boolean; hasMore: boolean; total: boolean; filtered: boolean };
}

export interface HitPage extends Page<Hit> {
  cursors: QueryCursors;
  /** How many things are looked through. */
  total: number;
  /** The number of results. */
  filtered: number;
}

/**
 * One page of search results.
 *
 * @throws 400 for an invalid text or cursor; 403 without the list scope of a requested kind, or of any kind,
 *   or for a workspace that is not accessible.
 */
export async function search(ctx: RequestContext, input: SearchInput): Promise<HitPage> {
  const kinds = authorizedKinds(ctx, input.kinds);
  const { reads, caller } = authorizeScope(ctx);
  const workspaces = workspacesOf(ctx, kinds, input.workspace);
  const term = searchTerm('text', input.text);
  const { size, direction, wanted } = input;
  const cursors = queryCursors(ctx.encryption, ctx.now, {
    list: 'search',
    account: caller.accounts[0]?.id,
    workspace: input.workspace ?? undefined,
    kinds: kinds.join(' '),
    text: term,
  });
  const from = input.cursor == null ? undefined : cursors.decode(input.fields.cursor, input.cursor);
  const slice: Slice = { size, direction, from };
  const query = { kinds, workspaceIds: [...workspaces.keys()], term: term ?? '' };
  const [rows, total, filtered] = await Promise.all([
    wanted.items && term !== undefined ? readHits(reads, query, slice, size + (wanted.hasMore ? 1 : 0)) : [],
    wanted.total ? countSearched(reads, query) : 0,
    wanted.filtered && term !== undefined ? countHits(reads, query) : 0,
  ]);
  const hits = rows.flatMap((row) => hitFromRow(row, workspaces.get(row.workspaceId)));
  return { ...pageFromRows(slice, hits), cursors, total, filtered };
}

function hitFromRow(row: HitRow, workspace: AccessibleWorkspace | undefined): Hit[] {
  const { kind, id, name, displayName, status, position } = row;
  return workspace === undefined ? [] : [{ kind, id, name, displayName, status, workspace, position }];
}

function authorizedKinds({ caller }: RequestContext, named: readonly SearchKind[] | null | undefined): SearchKind[] {
  if (named != null) {
    for (const kind of named) requireScope(caller, resourceKinds[kind].scopes.list);
    return kindsWith('isSearched').filter((kind) => named.includes(kind));
  }
  const has = (scope: Scope) => caller.scopes.has('admin') || caller.scopes.has(scope);
  const visible = kindsWith('isSearched').filter((kind) => has(resourceKinds[kind].scopes.list));
  if (visible.length === 0) throw scopeRequired('agents:list');
  return visible;
}

/** By id. */
function workspacesOf(
  ctx: RequestContext,
  [kind = 'AGENT']: SearchKind[],
  named: string | null | undefined,
): ReadonlyMap<string, AccessibleWorkspace> {
  const within =
    named == null
      ? [...ctx.caller.workspaces.values()]
      : [authorizeWorkspace(ctx, resourceKinds[kind].scopes.list, named).workspace];
  return new Map(within.map((workspace) => [workspace.id, workspace]));
}
