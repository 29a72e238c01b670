// What the history keeps of rows that go with another, written by the database itself, so that however many there are
// none has to be read. It is the same as a deletion of one alone keeps of it.
import { Prisma } from '../../database/client/client.js';

/** A time of a row `r` as this API writes it. */
export function timeText(column: string): Prisma.Sql {
  return Prisma.raw(`to_char(r."${column}" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
}

/** An object of these values, without those that are null. */
export function objectOf(values: Readonly<Record<string, Prisma.Sql>>): Prisma.Sql {
  const pairs = Object.entries(values).map(([name, value]) => Prisma.sql`${name}::text, ${value}`);
  return Prisma.sql`json_strip_nulls(json_build_object(${Prisma.join(pairs)}))`;
}
