// Counts the rows of a list by value.
import DataLoader from 'dataloader';
import { authorizeScope } from '../../auth/authorize.js';
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { perRequest } from '../../auth/context.js';
import type { ReadStatements } from '../../database/open.js';
import { invalidParameter } from '../../errors.js';
import { searchTerm } from '../../pagination/page.js';
import { canBeName } from '../../schema/resource.js';
import { readFilter } from './filter.js';
import { byFrequency, groupValue } from './grouping.js';
import type { GroupCount, Grouping } from './grouping.js';
import { loadByQuery } from '../../database/load-by-query.js';
import { groupCounts, isNarrowed, keptStatusCounts } from './page-statement.js';
import { listQuery } from './list-query.js';
import { pagesBy } from './page-strategies.js';
import type { CountKey } from './list-definition.js';
import { newestFirst } from './list-input.js';
import type { ResourceKind } from './resource-kind.js';

/** The list to count, and the grouping. */
export interface GroupsInput {
  by: Grouping;
  /** The label key, for a grouping by label. */
  label?: string | null | undefined;
  search?: string | null | undefined;
  filter?: unknown;
}

/** The input for a list of the workspace that is named here or in the request's header. */
export interface WorkspaceGroupsInput extends GroupsInput {
  workspace?: string | null | undefined;
}

interface GroupsKey extends CountKey {
  kind: ResourceKind<object>;
  by: Grouping;
  label: string;
}

/**
 * The number of rows with each value, most frequent first, then by value; rows without a value are counted as null.
 *
 * @param parentId the resource that the list belongs to; the workspace by default.
 * @throws 400 for an invalid search, filter or label, or if `label` is missing or given with another grouping.
 */
export async function readGroups<Row extends object>(
  { ctx, reads, workspace, isInTransaction }: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  { by, label, search, filter }: GroupsInput,
  parentId: string = workspace.id,
): Promise<GroupCount[]> {
  if (by === 'label' && (label == null || label === '')) throw invalidParameter('label', 'is required by LABEL');
  if (by !== 'label' && label != null) throw invalidParameter('label', 'is only allowed with LABEL');
  if (label != null && !canBeName(label)) throw invalidParameter('label', 'must not contain control characters');
  const key: GroupsKey = {
    kind,
    by,
    label: label ?? '',
    parent: { workspaceId: workspace.id, id: parentId },
    search: searchTerm('search', search),
    filter: readFilter(kind.criteria, 'filter', filter),
  };
  if (!isInTransaction) return groups(ctx).load(key);
  const [own = []] = await readAlike(reads, [key]);
  return own;
}

const groups = perRequest(
  (ctx) =>
    new DataLoader<GroupsKey, GroupCount[], string>(
      (keys) => loadByQuery(keys, queryOf, (alike) => readAlike(authorizeScope(ctx).reads, alike)),
      { cacheKeyFn: (key) => `${key.parent.id} ${queryOf(key)}` },
    ),
);

function queryOf({ kind, by, label, search, filter }: GroupsKey): string {
  return JSON.stringify([kind.table, by, label, search, filter?.text]);
}

/** The groups of lists that differ only in their parents, by one statement, in the order of the keys. */
async function readAlike(reads: ReadStatements, keys: readonly GroupsKey[]): Promise<GroupCount[][]> {
  const [key] = keys;
  if (key === undefined) return [];
  const { kind, by, label } = key;
  const slice = { size: 0, direction: 'forward' } as const;
  const query = listQuery(kind, { ...key, order: newestFirst, slice, limit: 0, columns: new Set() });
  const isKept = by === 'status' && kind.isCounted && !isNarrowed(key);
  const found = await pagesBy<GroupCount>(
    reads,
    keys.map(({ parent }) => parent),
    isKept ? keptStatusCounts(kind.table) : groupCounts(query, groupValue(by, label)),
  );
  return found.map((rows) => rows.map(({ value, count }) => ({ value, count })).toSorted(byFrequency));
}
