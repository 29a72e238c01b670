import type { SqlQueryable } from '@prisma/driver-adapter-utils';

/** What stands around a statement: it runs it, or fails in its place. */
export type Around = <Result>(sql: string, run: () => Promise<Result>) => Promise<Result>;

/** The same connection or transaction of a driver, with something around each of its statements. */
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
