// Lists the changes of an account that the caller may see, in commit order.
import DataLoader from 'dataloader';
import { actsAsPlatform, authorizeScope, authorizeWorkspace } from '../auth/authorize.js';
import type { AccessibleWorkspace } from '../auth/caller.js';
import { noteChange, perRequest } from '../auth/context.js';
import type { RequestContext } from '../auth/context.js';
import { loadByQuery } from '../database/load-by-query.js';
import { pageFromRows } from '../pagination/page.js';
import type { Page } from '../pagination/page.js';
import { allColumns, plainColumns } from './change.js';
import type { ChangeColumn, ReadChange } from './change.js';
import { numbered } from './change-condition.js';
import { changeCursors, historyGone } from './change-cursor.js';
import type { ChangeCursors } from './change-cursor.js';
import { filterConditions } from './change-filter.js';
import type { ChangeFilter } from './change-filter.js';
import { countChanges, queryText, readChanges, readHistoryEnds } from './change-page.js';
import type { ChangePlace, ChangeQuery, ChangeRows } from './change-page.js';
import { authorizeAnyChanges, authorizeChanges, isAdminOfOwnAccount, readWithNewestAccess } from './change-access.js';
import type { ChangeKind } from './change-subjects.js';
import { changeSubjects } from './change-subjects.js';

export interface ChangesInput {
  size: number;
  direction: 'forward' | 'backward';
  cursor?: string | undefined;
  /** The name of the cursor argument in the API, for errors. */
  fields: { cursor: string };
  filter?: ChangeFilter | null | undefined;
  wanted: {
    items: boolean;
    /** The columns to read of each change. */
    columns: readonly ChangeColumn[];
    total: boolean;
    filtered: boolean;
  };
}

export interface ChangesPage extends Page<ReadChange> {
  cursors: ChangeCursors;
  /** The cursor to continue with: after the last item, or, if there are no more, after the last change in the log. */
  endCursor: string | null;
  /** The number of changes that the caller may see; 0 if it was not requested. */
  total: number;
  /** The number of changes that match the filter; 0 if it was not requested. */
  filtered: number;
}

/**
 * Changes of everything that the caller may access, or of an account that an admin of the platform names.
 *
 * @throws 400 for an invalid cursor or filter; 403; 404 for an unknown account.
 */
export async function listChanges(
  ctx: RequestContext,
  { account, ...input }: ChangesInput & { account?: string | null | undefined },
): Promise<ChangesPage> {
  if (account != null && actsAsPlatform(ctx, account)) {
    return pageOf(ctx, undefined, input, await authorizeAnyChanges(ctx, account, input.filter?.workspaces ?? []));
  }
  // The end cursor must not pass changes of a workspace that the caller just got access to. An admin sees all changes.
  const isFollowed = input.direction === 'forward' && input.wanted.items;
  if (!isFollowed || isAdminOfOwnAccount(ctx.caller)) {
    const page = await pageOf(ctx, undefined, input);
    // The resources of these changes can be in a workspace that another credential has just created.
    if (page.items.length > 0 && input.wanted.columns.includes('resourceId')) await ctx.renew(true);
    return page;
  }
  return readWithNewestAccess(ctx, ({ access }) => pageOf(ctx, undefined, input, access));
}

/** Changes in a workspace. @throws 400; 403. */
export async function listWorkspaceChanges(
  ctx: RequestContext,
  { id }: AccessibleWorkspace,
  input: ChangesInput,
): Promise<ChangesPage> {
  return pageOf(ctx, { of: 'workspace_id', id }, input);
}

/** Changes of a resource. @throws 400; 403 without the scope that reads resources of its kind. */
export async function listResourceChanges(
  ctx: RequestContext,
  resource: { id: string; kind: ChangeKind; workspace: AccessibleWorkspace },
  input: ChangesInput,
): Promise<ChangesPage> {
  authorizeWorkspace(ctx, changeSubjects[resource.kind].scope, resource.workspace.name);
  return pageOf(ctx, { of: 'resource_id', id: resource.id }, input);
}

/**
 * The cursor after the last change, once for each request. If it is read first, a client that resumes from it misses no
 * change that the rest of the response does not show. A read replica is not used for the rest of the request, nor for
 * later requests to this process until it has the changes before the cursor.
 *
 * @throws 403 without a scope for any change.
 */
export const readChangeCursor = perRequest((ctx): { cursor: () => Promise<string> } => {
  let reading: Promise<string> | undefined;
  const read = async () => {
    const { within } = authorizeChanges(ctx);
    within.reads.turnToPrimary();
    const { last } = await readHistoryEnds(within.db, within.account.id);
    noteChange(ctx);
    return changeCursors(ctx.encryption, within.account.id).after(last);
  };
  return { cursor: () => (reading ??= read()) };
});

/**
 * Changes by their sequence numbers in the caller's account; null for changes that the caller may not see or that were
 * deleted.
 */
export const changesByNumber = perRequest((ctx) => ({
  /** With `before` and `after`. */
  whole: numberLoader(ctx, allColumns),
  plain: numberLoader(ctx, plainColumns),
}));

function numberLoader(ctx: RequestContext, columns: readonly ChangeColumn[]): DataLoader<number, ReadChange | null> {
  return new DataLoader(async (sequences) => {
    const { within, access } = authorizeChanges(ctx);
    const { accountId } = access;
    const conditions = [...access.conditions, numbered(sequences)];
    const query = { accountId, place: undefined, direction: 'forward', from: undefined } as const;
    const [rows] = await readChanges(within.db, [{ ...query, conditions, limit: sequences.length, columns }]);
    const found = new Map(rows?.changes.map((change) => [change.sequence, change]));
    return sequences.map((sequence) => found.get(sequence) ?? null);
  });
}

/** One statement reads the pages that a request asks for of several workspaces or resources. */
const pages = perRequest(
  (ctx) =>
    new DataLoader<ChangeQuery, ChangeRows>(
      (queries) => loadByQuery(queries, queryText, (same) => readChanges(authorizeScope(ctx).db, same)),
      { cache: false },
    ),
);

const counts = perRequest(
  (ctx) =>
    new DataLoader<ChangeQuery, number>(
      (queries) => loadByQuery(queries, queryText, (same) => countChanges(authorizeScope(ctx).db, same)),
      { cache: false },
    ),
);

async function pageOf(
  ctx: RequestContext,
  place: ChangePlace | undefined,
  { size, direction, cursor, fields, filter, wanted }: ChangesInput,
  access = authorizeChanges(ctx).access,
): Promise<ChangesPage> {
  const { accountId } = access;
  const narrowing = filterConditions(filter, access);
  const cursors = changeCursors(ctx.encryption, accountId);
  const from = cursor === undefined ? undefined : cursors.sequenceOf(fields.cursor, cursor);
  const conditions = [...access.conditions, ...narrowing];
  const query = { accountId, place, conditions, direction, from, limit: size + 1, columns: wanted.columns };
  const counted = { ...query, from: undefined, limit: 0, columns: [] };
  const [rows, total, filtered] = await Promise.all([
    wanted.items ? pages(ctx).load(query) : undefined,
    wanted.total ? counts(ctx).load({ ...counted, conditions: access.conditions }) : 0,
    wanted.filtered ? counts(ctx).load(counted) : 0,
  ]);
  if (rows === undefined) {
    return { items: [], hasNext: false, hasPrevious: false, cursors, endCursor: cursor ?? null, total, filtered };
  }
  const { removed, last, isLost, changes } = rows;
  const isRemoved = from !== undefined && direction === 'forward' && from < removed;
  if (isLost || isRemoved) throw historyGone(cursors, fields.cursor, rows);
  const position = from === undefined ? undefined : { key: String(from), id: accountId };
  const page = pageFromRows({ size, direction, from: position }, changes);
  const end = page.items.at(-1)?.sequence;
  const reached = direction === 'forward' && !page.hasNext ? last : end;
  return { ...page, cursors, endCursor: reached === undefined ? null : cursors.after(reached), total, filtered };
}
