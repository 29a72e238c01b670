// Lists and resource kinds, with their loaders. A request reads the pages of many parents with one statement: the
// number of statements depends only on the shape of the query.
import DataLoader from 'dataloader';
import { authorizeScope } from '../../auth/authorize.js';
import { perRequest } from '../../auth/context.js';
import type { RequestContext } from '../../auth/context.js';
import { notFound } from '../../errors.js';
import { resourceKinds } from '../../resource-kinds.js';
import type { ResourceKindName, ResourceTable } from '../../resource-kinds.js';
import type {
  CountKey,
  Keyed,
  KindDefinition,
  ListDefinition,
  NameKey,
  PageKey,
  PartRow,
  PlacedRow,
} from './list-definition.js';
import type { Criteria } from './filter.js';
import { loadByQuery } from '../../database/load-by-query.js';
import { readPages } from './page-strategies.js';
import { preparedPages } from './prepared-page.js';
import type { PreparedPages } from './prepared-page.js';
import { readByIds, readCounts, readNamed } from './read-rows.js';

/** A list, with the loaders of one request and the statements that are prepared for it. */
export interface List<Row extends object> extends ListDefinition<Row> {
  pages: (ctx: RequestContext) => DataLoader<PageKey, PartRow<Row>[], string>;
  counts: (ctx: RequestContext) => DataLoader<CountKey, number, string>;
  named: (ctx: RequestContext) => DataLoader<NameKey, PartRow<Row> | undefined, string>;
  prepared: PreparedPages;
}

export interface ResourceKind<Row extends object> extends List<Row> {
  name: ResourceKindName;
  table: ResourceTable;
  isCounted: boolean;
  hasSearchIndex: boolean;
  criteria: Criteria;
  /** The path before the name in the URL of its endpoint, for the kinds that have one (decision 23). */
  endpointPath?: 'agents' | 'sandboxes';
  /** Whole rows by id, in the workspaces that the caller may access. */
  rows: (ctx: RequestContext) => DataLoader<string, PlacedRow<Row> | undefined>;
}

/** The whole row of a resource that was read in part. */
export async function wholeRow<Row extends object>(
  ctx: RequestContext,
  kind: ResourceKind<Row>,
  id: string,
): Promise<Row> {
  const row = await kind.rows(ctx).load(id);
  if (row === undefined) throw notFound(kind.label, id);
  return row;
}

/** The row itself, if all columns of its list were read. @throws otherwise, because the code asked for too few. */
export function wholeRowOf<Row extends object>(list: ListDefinition<Row>, row: PartRow<Row>): Row & Keyed {
  if (isWhole(list, row)) return row;
  throw new Error(`A row of ${list.table} was not read with all its columns.`);
}

function isWhole<Row extends object>(list: ListDefinition<Row>, row: PartRow<Row>): row is PartRow<Row> & Row {
  const part: Partial<Record<string, unknown>> = row;
  for (const column in list.columns) if (part[column] === undefined) return false;
  return true;
}

/** Resource kinds by table. */
const kindsOfTables = new Map<string, ResourceKind<object>>();

/** The resource kind that is stored in a table. */
export function kindOfTable(table: string): ResourceKind<object> {
  const kind = kindsOfTables.get(table);
  if (kind === undefined) throw new Error(`The table ${table} is not of a resource kind.`);
  return kind;
}

/** Creates a list, with the loaders by which one request reads it. */
export function defineList<Row extends object>(definition: ListDefinition<Row>): List<Row> {
  const db = (ctx: RequestContext) => authorizeScope(ctx).db;
  const reads = (ctx: RequestContext) => authorizeScope(ctx).reads;
  const prepared = preparedPages();
  const list = { ...definition, prepared };
  return {
    ...list,
    pages: perRequest(
      (ctx) =>
        new DataLoader<PageKey, PartRow<Row>[], string>(
          (keys) => loadByQuery(keys, pageQuery, (same) => readPages<Row, Partial<Row>>(reads(ctx), list, same)),
          // A request asks for a page once; caching it would only keep its rows in memory.
          { cache: false },
        ),
    ),
    counts: perRequest(
      (ctx) =>
        new DataLoader<CountKey, number, string>(
          (keys) => loadByQuery(keys, countQuery, (same) => readCounts(reads(ctx), list, same)),
          { cacheKeyFn: (key) => JSON.stringify([key.parent.id, countQuery(key)]) },
        ),
    ),
    named: perRequest(
      (ctx) =>
        new DataLoader<NameKey, PartRow<Row> | undefined, string>((keys) => readNamed(db(ctx), list, keys), {
          cacheKeyFn: ({ parent, name, columns }) => JSON.stringify([parent.id, name, columns && [...columns]]),
        }),
    ),
  };
}

/** Defines the list of a resource kind, with the loaders by which one request reads it. */
export function resourceKind<Row extends object>(
  name: ResourceKindName,
  definition: KindDefinition<Row>,
): ResourceKind<Row> {
  const { label, table, isCounted } = resourceKinds[name];
  const { view, ...rest } = definition;
  const list = { ...rest, label, table: view ?? table, isCounted };
  const kind: ResourceKind<Row> = {
    ...defineList(list),
    ...list,
    name,
    rows: perRequest(
      (ctx) =>
        new DataLoader<string, PlacedRow<Row> | undefined>((ids) =>
          readByIds(authorizeScope(ctx).db, list, workspaceIds(ctx), ids),
        ),
    ),
  };
  if (kind.condition === undefined) kindsOfTables.set(kind.table, kind);
  return kind;
}

function pageQuery({ order, search, filter, slice, limit, ranking, columns, accessible }: PageKey): string {
  const by = ranking === undefined ? [order.field, order.direction] : [ranking.text, ranking.snapshot];
  const access = [accessible?.sql, accessible?.values];
  return JSON.stringify([by, search, filter?.text, slice, limit, columns && [...columns], access]);
}

function countQuery({ search, filter, accessible }: CountKey): string {
  return JSON.stringify([search, filter?.text, accessible?.sql, accessible?.values]);
}

function workspaceIds(ctx: RequestContext): string[] {
  return Array.from(ctx.caller.workspaces.values(), ({ id }) => id);
}
