// An event is known by its source and id (decision 38). Which of those that came in are new, which are known, and
// which have the identity of another one. Pure.
import { Prisma } from '../database/client/client.js';
import { arrayLiteral } from './sql-arrays.js';
import type { StoredEvent } from './usage-insertion.js';
import { compareIdentities } from './usage-portion.js';
import type { PlacedEvent } from './usage-portion.js';

/** An event with the identity of another one beside it, which came before. */
export interface Repeated {
  first: PlacedEvent;
  each: PlacedEvent;
}

/** The first of each identity, and those that came after it. */
export function distinctEvents(sorted: readonly PlacedEvent[]): {
  firsts: readonly PlacedEvent[];
  repeated: Repeated[];
} {
  const firsts: PlacedEvent[] = [];
  const repeated: Repeated[] = [];
  for (const each of sorted) {
    const first = firsts.at(-1);
    if (first !== undefined && compareIdentities(first, each) === 0) repeated.push({ first, each });
    else firsts.push(each);
  }
  return { firsts, repeated };
}

export function identityOf({ event: { source, id } }: StoredEvent): string {
  return `${source}\n${id}`;
}

/** The series stands for everything but time and amounts. */
export function contentOf({ seriesId, event: { hour, nano, usage, cost } }: StoredEvent): string {
  return `${seriesId} ${hour} ${nano} ${usage} ${cost}`;
}

/** What was accepted under an identity. */
export type ContentRow = [source: string, id: string, content: string];

/** The contents of what was accepted under some identities. */
export function contentsStatement(accountId: string, asked: readonly StoredEvent[]): Prisma.Sql {
  return Prisma.sql`
    SELECT coalesce(json_agg(json_build_array("source", "id", concat_ws(' ', "series_id", "hour", "nano", "usage", "cost"))), '[]')::text
    FROM "usage_event"
    JOIN unnest(${arrayLiteral(asked.map(({ event }) => event.source))}::text::text[],
      ${arrayLiteral(asked.map(({ event }) => event.id))}::text::text[]) AS asked("source", "id") USING ("source", "id")
    WHERE "account_id" = ${accountId}::uuid`;
}
