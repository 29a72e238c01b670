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

/**
 * Returns a text of all contents. The labels are not part of them: those of an event whose time was ahead of the clock
 * can have changed before it is sent again.
 */
export function contentOf({ event }: StoredEvent): string {
  const { workspace, resourceType, resourceName, resourceUuid, billingDimension, hour, nano, usage, cost } = event;
  return [workspace, resourceType, resourceName, resourceUuid, billingDimension, hour, nano, usage, cost].join('\n');
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
    SELECT coalesce(json_agg(json_build_array("source", "id", concat_ws(E'\\n', s."workspace", s."resource_type",
        s."resource_name", s."resource_uuid", s."billing_dimension", "hour", "nano", e."usage", e."cost"),
      CASE WHEN "voided" THEN 'voided'
        WHEN EXISTS (SELECT FROM "usage_correction" AS c WHERE c."account_id" = ${accountId}::uuid
          AND c."source" = e."source" AND c."id" = e."id") THEN 'amended'
        ELSE 'active' END)), '[]')::text
    FROM "usage_event" AS e
    JOIN unnest(${arrayLiteral(events.map(({ event }) => event.source))}::text::text[],
      ${arrayLiteral(events.map(({ event }) => event.id))}::text::text[]) AS requested("source", "id") USING ("source", "id")
    JOIN "usage_series" AS s ON s."account_id" = ${accountId}::uuid AND s."series_id" = e."series_id"
    WHERE e."account_id" = ${accountId}::uuid`;
}
