import type { ArgType, SqlQueryable } from '@prisma/driver-adapter-utils';
import type { Prisma } from './client/client.js';

/**
 * Runs one statement whose first column of its first row is a text. It goes through Prisma's own driver adapter, past the
 * client, which would spend a sixth of a small request on a value that needs none of its work.
 */
export function textReader(
  reader: SqlQueryable,
  onStatement: (sql: string) => void = () => {},
): (statement: Prisma.Sql) => Promise<string> {
  return async ({ text: sql, values }) => {
    onStatement(sql);
    const argTypes = values.map((value) => (Array.isArray(value) ? textList : text));
    const { rows } = await reader.queryRaw({ sql, args: values, argTypes });
    const [value] = rows[0] ?? [];
    return typeof value === 'string' ? value : '';
  };
}

const text: ArgType = { scalarType: 'string', arity: 'scalar' };
const textList: ArgType = { scalarType: 'string', arity: 'list' };
