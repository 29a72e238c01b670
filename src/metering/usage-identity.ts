// An event is identified by its source and id (decision 38). Finds which events are new, duplicates or conflicts. Pure.
import { Prisma } from '../database/client/client.js';
import { arrayLiteral } from './sql-arrays.js';
import type { StoredEvent } from './usage-insertion.js';
import type { UsageEventState } from './usage-event-filter.js';
import { compareIdentities } from './usage-chunk.js';
import type { PlacedEvent } from './usage-chunk.js';

/** An event that repeats the identity of an earlier one in the same batch. */
export interface Repeated {
  first: PlacedEvent;
  each: PlacedEvent;
}

/** Splits events into the first of each identity and its repetitions. */
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

/** Returns a text of all contents. The series covers everything except time and amounts. */
export function contentOf({ seriesId, event: { hour, nano, usage, cost } }: StoredEvent): string {
  return `${seriesId} ${hour} ${nano} ${usage} ${cost}`;
}

/** What is stored of an event. */
export interface StoredContent {
  /** As contentOf(). */
  content: string;
  state: UsageEventState;
}

/** The stored content of an identity. */
export type ContentRow = [source: string, id: string, content: string, state: UsageEventState];

/** SQL that returns the stored contents of events' identities, as rows. */
export function contentsStatement(accountId: string, events: readonly StoredEvent[]): Prisma.Sql {
  return Prisma.sql`
    SELECT coalesce(json_agg(json_build_array("source", "id", concat_ws(' ', "series_id", "hour", "nano", "usage", "cost"),
      CASE WHEN "voided" THEN 'voided'
        WHEN EXISTS (SELECT FROM "usage_correction" AS c WHERE c."account_id" = ${accountId}::uuid
          AND c."source" = e."source" AND c."id" = e."id") THEN 'amended'
        ELSE 'active' END)), '[]')::text
    FROM "usage_event" AS e
    JOIN unnest(${arrayLiteral(events.map(({ event }) => event.source))}::text::text[],
      ${arrayLiteral(events.map(({ event }) => event.id))}::text::text[]) AS requested("source", "id") USING ("source", "id")
    WHERE "account_id" = ${accountId}::uuid`;
}
