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

/** The fields of every filter in addition to the criteria of its kind. */
export const filterBranchesMax = 10;

export class Filter {
  /**
   * @param text the filter in a canonical form, which identifies the query.
   * @param conditions conditions that must all hold.
   * @param branches further conditions: for each branch, one of its alternatives must hold, or none if negated.
   */
  constructor(
    readonly text: string,
    private readonly conditions: Condition[],
    private readonly branches: { alternatives: Condition[][]; isNegated: boolean }[],
  ) {}

  /**
   * The SQL condition on a row `r`.
   *
   * @param scope the workspace of the rows, if they are in one: its indexed values are compared first.
   * @param without a column whose bounds are left out.
   */
  sql(scope: IndexedValueScope | undefined, without?: string): Prisma.Sql[] {
    const left = this.conditions.filter(({ bounds }) => bounds === undefined || bounds !== without);
    return [
      ...left.flatMap((condition) => indexedValueSql(condition, scope)),
      ...left.map(({ exact }) => exact),
      ...this.branches.map((branch) => branchSql(branch, scope)),
    ];
  }

  /** The SQL of the indexed values that every match has. */
  indexedValues(scope: IndexedValueScope): Prisma.Sql[] {
    return this.conditions.flatMap((condition) => indexedValueSql(condition, scope));
  }

  /** The conditions whose row count the planner can estimate: on indexed values and columns, but not on the spec. */
  estimable(scope: IndexedValueScope): Prisma.Sql[] {
    return this.conditions.flatMap((each) => (each.words === undefined ? [each.exact] : indexedValueSql(each, scope)));
  }

  /** Whether it bounds another column than this one. */
  isBoundedBeside(column: string | undefined): boolean {
    return this.conditions.some(({ bounds }) => bounds !== undefined && bounds !== column);
  }

  /** The bounds of one column, for a list that is sorted by it. */
  boundsOf(column: string): Prisma.Sql[] {
    return this.conditions.filter(({ bounds }) => bounds === column).map(({ exact }) => exact);
  }
}

/**
 * Parses a filter by the criteria of its kind; undefined if it is empty.
 *
 * @param field the field name in the API, for errors.
 * @throws 400 `invalid_parameter` naming the first invalid criterion.
 */
export function readFilter(criteria: Criteria, field: string, given: unknown): Filter | undefined {
  if (given == null) return undefined;
  requireFew(field, given);
  const { and, or, not, ...own } = parts.parse(given);
  const read = (value: Record<string, unknown>, path: string) => conditionsOf(criteria, path, value);
  const conditions = [own, ...(and ?? [])].flatMap((each) => read(each, field));
  const branches = [
    ...(or == null ? [] : [{ alternatives: or.map((each) => read(each, `${field}.or`)), isNegated: false }]),
    ...(not == null ? [] : [{ alternatives: [read(not, `${field}.not`)], isNegated: true }]),
  ];
  if (conditions.length === 0 && branches.length === 0) return undefined;
  return new Filter(JSON.stringify(sorted(given)), conditions, branches);
}

/** A filter that a list defines itself; undefined without conditions. @param text identifies it in cursors. */
export function filterOf(text: string, conditions: Prisma.Sql[]): Filter | undefined {
  if (conditions.length === 0) return undefined;
  return new Filter(
    text,
    conditions.map((exact) => ({ exact })),
    [],
  );
}

/** The number of alternatives is checked before the alternatives. */
function requireFew(field: string, given: unknown): void {
  const lists =
    typeof given === 'object' && given !== null ? [Reflect.get(given, 'and'), Reflect.get(given, 'or')] : [];
  if (lists.some((list) => Array.isArray(list) && list.length > filterBranchesMax)) {
    throw invalidParameter(field, `must have at most ${filterBranchesMax} alternatives`);
  }
}

const set = z.record(z.string(), z.unknown());
const parts = z
  .object({ and: z.array(set).nullish(), or: z.array(set).nullish(), not: set.nullish() })
  .catchall(z.unknown());

function conditionsOf(criteria: Criteria, path: string, given: Record<string, unknown>): Condition[] {
  return Object.entries(given).flatMap(([name, value]) => {
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

function branchSql(
  { alternatives, isNegated }: { alternatives: Condition[][]; isNegated: boolean },
  scope: IndexedValueScope | undefined,
): Prisma.Sql {
  const each = alternatives.map((conditions) => {
    // A missing value (NULL) meets no criterion, and therefore meets every negated one.
    if (isNegated) return allOf(conditions.map(({ exact }) => Prisma.sql`(${exact}) IS TRUE`));
    return allOf([
      ...conditions.flatMap((one) => indexedValueSql(one, scope)),
      ...conditions.map(({ exact }) => exact),
    ]);
  });
  const any = each.length === 0 ? Prisma.sql`false` : Prisma.sql`(${Prisma.join(each, ' OR ')})`;
  return isNegated ? Prisma.sql`NOT ${any}` : any;
}

function indexedValueSql({ words }: Condition, scope: IndexedValueScope | undefined): Prisma.Sql[] {
  if (words === undefined || scope === undefined) return [];
  const keys = Prisma.sql`facet_keys(${scope.workspaceId}, ${words}::text[])`;
  return [scope.isPlanned ? Prisma.sql`r."facets" && ${keys}` : Prisma.sql`r."facets" && (SELECT ${keys})`];
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
