import type { ArgType, SqlQueryable } from '@prisma/driver-adapter-utils';
import type { Prisma } from './client/client.js';

/**
 * Runs one statement, and returns the text in the first column of its first row. It uses Prisma's driver adapter
 * directly, because the client would take a sixth of the time of a small request for a value that needs no mapping.
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
