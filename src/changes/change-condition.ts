// Conditions on changes, in two forms: in SQL for reads, and as a function for changes that are published to many
// watchers.
import { Prisma } from '../database/client/client.js';
import type { Change } from './change.js';

export interface ChangeCondition {
  /** Identifies the condition. */
  text: string;
  /** SQL condition on a row `c`. */
  sql: Prisma.Sql;
  isMet: (change: Change) => boolean;
}

/** The fields that conditions compare, with their columns. */
const columnsByField = {
  workspaceId: Prisma.sql`c."workspace_id"`,
  kind: Prisma.sql`c."kind"`,
  verb: Prisma.sql`c."verb"`,
  resourceId: Prisma.sql`c."resource_id"`,
  name: Prisma.sql`c."name"`,
  actorName: Prisma.sql`c."actor_name"`,
  client: Prisma.sql`c."client"`,
  address: Prisma.sql`c."address"`,
} as const satisfies Partial<Record<keyof Change, Prisma.Sql>>;

/** A field of the change has one of these values. */
export function oneOf(field: keyof typeof columnsByField, values: readonly string[]): ChangeCondition {
  const column = columnsByField[field];
  const type = Prisma.raw(field.endsWith('Id') ? 'uuid' : 'text');
  const [only, ...others] = values;
  const accepted = new Set(values);
  return {
    text: JSON.stringify([field, values]),
    // For a single value the index returns the rows in order.
    sql:
      only !== undefined && others.length === 0
        ? Prisma.sql`${column} = ${only}::${type}`
        : Prisma.sql`${column} = ANY(${[...values]}::${type}[])`,
    isMet: (change) => {
      const value = change[field];
      return value !== null && accepted.has(value);
    },
  };
}

/** The change has one of these sequence numbers. */
export function numbered(sequences: readonly number[]): ChangeCondition {
  const accepted = new Set(sequences);
  return {
    text: JSON.stringify(['sequence', sequences]),
    sql: Prisma.sql`c."sequence" = ANY(${[...sequences]}::bigint[])`,
    isMet: ({ sequence }) => accepted.has(sequence),
  };
}

/** The change was made at this time or later. */
export function notBefore(time: string): ChangeCondition {
  const from = roundedUp(time);
  return {
    text: JSON.stringify(['from', from]),
    sql: Prisma.sql`c."time" >= ${from}::timestamptz`,
    isMet: (change) => change.time >= from,
  };
}

/** The change was made before this time. */
export function before(time: string): ChangeCondition {
  const to = roundedUp(time);
  return {
    text: JSON.stringify(['to', to]),
    sql: Prisma.sql`c."time" < ${to}::timestamptz`,
    isMet: (change) => change.time < to,
  };
}

const lastMs = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The first whole millisecond at or after a time, up to the year 9999. Changes have whole milliseconds, so the same ones
 * are before both.
 */
function roundedUp(time: string): string {
  const isBetween = /\.\d{3}\d*[1-9]/.test(time);
  return new Date(Math.min(Date.parse(time) + (isBetween ? 1 : 0), lastMs)).toISOString();
}
