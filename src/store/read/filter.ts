// The filter of a list: criteria that must all be met, and nested filters in `and`, `or` and `not`.
import { z } from 'zod';
import { Prisma } from '../../database/client/client.js';
import { invalidParameter } from '../../errors.js';
import type { Condition, Criterion } from './criterion.js';

/** The filter criteria of a resource kind. */
export type Criteria = Readonly<Record<string, Criterion>>;

/** The workspace whose indexed filter values are compared. */
export interface IndexedValueScope {
  workspaceId: Prisma.Sql;
  /**
   * Whether the planner sees the values, so that it chooses its plan by how frequent they are. Such a statement is planned
   * each time (statementNames); in other statements the values are computed once, and not for each row.
   */
  isPlanned: boolean;
}

/** The maximum number of alternatives in each `and` and `or`. */
export const filterBranchesMax = 10;
/** How deep filters can be nested in `and`, `or` and `not`. */
export const filterDepthMax = 3;
/** The maximum number of values and nested filters in a filter. */
export const filterItemsMax = 1_000;

/** A filter in a form that SQL follows from. All conditions must hold, and all branches. */
interface FilterNode {
  conditions: Condition[];
  branches: FilterBranch[];
}

/** One of the alternatives must hold, or none if negated. */
interface FilterBranch {
  alternatives: FilterNode[];
  isNegated: boolean;
}

export class Filter {
  /** @param text the filter in a canonical form, which identifies the query. */
  constructor(
    readonly text: string,
    private readonly root: FilterNode,
  ) {}

  /**
   * The SQL condition on a row `r`.
   *
   * @param scope the workspace of the rows, if they are in one: its indexed values are compared first.
   * @param without a column whose bounds are left out.
   */
  sql(scope: IndexedValueScope | undefined, without?: string): Prisma.Sql[] {
    const { conditions, branches } = this.root;
    const remaining = conditions.filter(({ bounds }) => bounds === undefined || bounds !== without);
    return nodeSql({ conditions: remaining, branches }, scope);
  }

  /** The SQL of the indexed values that every match has. */
  indexedValues(scope: IndexedValueScope): Prisma.Sql[] {
    return this.root.conditions.flatMap((condition) => indexedValueSql(condition, scope));
  }

  /** The conditions whose row count the planner can estimate: on indexed values and columns, but not on the spec. */
  estimable(scope: IndexedValueScope): Prisma.Sql[] {
    return this.root.conditions.flatMap((each) =>
      each.words === undefined ? [each.exact] : indexedValueSql(each, scope),
    );
  }

  /** Whether it bounds another column than this one. */
  isBoundedBeside(column: string | undefined): boolean {
    return this.root.conditions.some(({ bounds }) => bounds !== undefined && bounds !== column);
  }

  /** The bounds of one column, for a list that is sorted by it. */
  boundsOf(column: string): Prisma.Sql[] {
    return this.root.conditions.filter(({ bounds }) => bounds === column).map(({ exact }) => exact);
  }
}

/**
 * Parses a filter by the criteria of its kind; undefined if it is empty.
 *
 * @param field the field name in the API, for errors.
 * @throws 400 `invalid_parameter` naming the first invalid criterion, and for a filter that is too large or too deep.
 */
export function readFilter(criteria: Criteria, field: string, value: unknown): Filter | undefined {
  if (value == null) return undefined;
  const items = itemsIn(value);
  if (items > filterItemsMax) {
    const exceeded = { limit: filterItemsMax, actual: items };
    throw invalidParameter(
      field,
      `must have at most ${filterItemsMax} values and nested filters (got ${items})`,
      exceeded,
    );
  }
  const root = readNode(criteria, field, set.parse(value), 0);
  if (root.conditions.length === 0 && root.branches.length === 0) return undefined;
  return new Filter(JSON.stringify(sorted(value)), root);
}

/** A filter that a list defines itself; undefined without conditions. @param text identifies it in cursors. */
export function filterOf(text: string, conditions: Prisma.Sql[]): Filter | undefined {
  if (conditions.length === 0) return undefined;
  return new Filter(text, { conditions: conditions.map((exact) => ({ exact })), branches: [] });
}

const set = z.record(z.string(), z.unknown());
const sets = z.array(set);

/** @param depth how many filters contain this one. */
function readNode(criteria: Criteria, path: string, fields: Record<string, unknown>, depth: number): FilterNode {
  const { and, or, not, ...own } = fields;
  const nested = (field: string, value: unknown): FilterNode => {
    if (depth === filterDepthMax) {
      throw invalidParameter(field, `is nested too deep: and, or and not can be nested ${filterDepthMax} deep`);
    }
    return readNode(criteria, field, set.parse(value), depth + 1);
  };
  const several = (name: string, value: unknown): FilterNode[] => {
    const field = `${path}.${name}`;
    const filters = sets.parse(value);
    if (filters.length > filterBranchesMax) {
      const exceeded = { limit: filterBranchesMax, actual: filters.length };
      throw invalidParameter(field, `must have at most ${filterBranchesMax} filters`, exceeded);
    }
    return filters.map((each, index) => nested(`${field}.${index}`, each));
  };
  // The conditions of `and` are those of the filter itself, so that its values and bounds choose how the list is read.
  const all = [
    { conditions: conditionsOf(criteria, path, own), branches: [] },
    ...(and == null ? [] : several('and', and)),
  ];
  return {
    conditions: all.flatMap(({ conditions }) => conditions),
    branches: [
      ...all.flatMap(({ branches }) => branches),
      ...(or == null ? [] : [{ alternatives: several('or', or), isNegated: false }]),
      ...(not == null ? [] : [{ alternatives: [nested(`${path}.not`, not)], isNegated: true }]),
    ],
  };
}

/** The number of values and nested filters. */
function itemsIn(value: unknown): number {
  if (value == null) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + Math.max(itemsIn(each), 1), 0);
  if (typeof value !== 'object') return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + itemsIn(each), 0);
}

function conditionsOf(criteria: Criteria, path: string, fields: Record<string, unknown>): Condition[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const criterion = criteria[name];
    if (value == null || criterion === undefined) return [];
    try {
      return criterion.conditions(value);
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error;
      const [issue] = error.issues;
      throw invalidParameter([path, name, ...(issue?.path ?? [])].join('.'), issue?.message ?? 'is not valid');
    }
  });
}

function nodeSql({ conditions, branches }: FilterNode, scope: IndexedValueScope | undefined): Prisma.Sql[] {
  return [
    ...conditions.flatMap((condition) => indexedValueSql(condition, scope)),
    ...conditions.map(({ exact }) => exact),
    ...branches.map((branch) => branchSql(branch, scope)),
  ];
}

function branchSql({ alternatives, isNegated }: FilterBranch, scope: IndexedValueScope | undefined): Prisma.Sql {
  // An index does not find the rows without a value.
  const each = alternatives.map((node) => allOf(nodeSql(node, isNegated ? undefined : scope)));
  const any = each.length === 0 ? Prisma.sql`false` : Prisma.sql`(${Prisma.join(each, ' OR ')})`;
  // A missing value (NULL) meets no criterion, and therefore meets every negated one.
  return isNegated ? Prisma.sql`${any} IS NOT TRUE` : any;
}

function indexedValueSql({ words }: Condition, scope: IndexedValueScope | undefined): Prisma.Sql[] {
  if (words === undefined || scope === undefined) return [];
  const keys = Prisma.sql`filter_value_keys(${scope.workspaceId}, ${words}::text[])`;
  return [
    scope.isPlanned ? Prisma.sql`r."filter_values" && ${keys}` : Prisma.sql`r."filter_values" && (SELECT ${keys})`,
  ];
}

function allOf(conditions: Prisma.Sql[]): Prisma.Sql {
  return conditions.length === 0 ? Prisma.sql`true` : Prisma.sql`(${Prisma.join(conditions, ' AND ')})`;
}

/** A canonical form: the same filter has the same text, in whatever order its fields are given. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each != null);
  return Object.fromEntries(
    entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([name, each]) => [name, sorted(each)]),
  );
}
