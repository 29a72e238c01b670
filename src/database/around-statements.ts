import type { SqlQueryable } from '@prisma/driver-adapter-utils';

/** A wrapper around each statement: it runs the statement, or fails in its place. */
export type Around = <Result>(sql: string, run: () => Promise<Result>) => Promise<Result>;

/** Wraps each statement of a driver's connection or transaction. */
export function aroundStatements<Queryable extends SqlQueryable>(
  queryable: Queryable,
  around: Around,
  more: PropertyDescriptorMap = {},
): Queryable {
  const queryRaw: SqlQueryable['queryRaw'] = (query) => around(query.sql, () => queryable.queryRaw(query));
  const executeRaw: SqlQueryable['executeRaw'] = (query) => around(query.sql, () => queryable.executeRaw(query));
  const own: Queryable = Object.create(queryable, {
    queryRaw: { value: queryRaw },
    executeRaw: { value: executeRaw },
    ...more,
  });
  return own;
}
