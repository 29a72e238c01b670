// The dictionary of what usage is of. A series is never changed or removed, so what a process has seen of it
// stays true.
import { Prisma } from '../database/client/client.js';
import { arrayLiteral } from './sql-arrays.js';
import type { UsageEvent } from './usage-event.js';

/** About 100 MB when it is full; then it starts anew. */
const rememberedMax = 200_000;

/** An event, and the series that it is of; empty while that is not known. */
type Told<Each> = Each & { seriesId: string };

/** What one process has seen of the dictionary of one database: ids of series by what they are of. */
export class KnownSeries {
  readonly #ids = new Map<string, string>();

  /** Tells each event of one account which series it is of. Those that are not known are missing, each once. */
  tell<Each extends { event: UsageEvent }>(
    accountId: string,
    events: readonly Each[],
  ): { told: Told<Each>[]; missing: MissingSeries[] } {
    const missing = new Map<string, UsageEvent>();
    const told = events.map((each) => {
      const key = keyOf(accountId, each.event);
      const seriesId = this.#ids.get(key);
      if (seriesId === undefined) missing.set(key, each.event);
      return { ...each, seriesId: seriesId ?? '' };
    });
    // One order for all, so that two writers never wait for each other in a circle.
    const asked = Array.from(missing, ([key, event]) => ({ key, event }));
    return { told, missing: asked.toSorted((one, other) => (one.key < other.key ? -1 : 1)) };
  }

  /** Remembers what was missing and is found now, and tells the events that waited for it. */
  found<Each extends { event: UsageEvent }>(
    accountId: string,
    told: readonly Told<Each>[],
    missing: readonly MissingSeries[],
    rows: readonly SeriesRow[],
  ): void {
    if (this.#ids.size + rows.length > rememberedMax) this.#ids.clear();
    for (const [order, id] of rows) this.#ids.set(missing[order - 1]?.key ?? '', id);
    for (const each of told) {
      if (each.seriesId === '') each.seriesId = this.#ids.get(keyOf(accountId, each.event)) ?? '';
    }
  }
}

/** A series whose id is not known, as an event is of it. */
export interface MissingSeries {
  key: string;
  event: UsageEvent;
}

/** Which of those that were asked for, from one on, and its id. */
export type SeriesRow = [order: number, id: string];

function keyOf(accountId: string, event: UsageEvent): string {
  const { workspace, resourceType, resourceName, resourceUuid, billingDimension } = event;
  return `${accountId}\n${resourceUuid}\n${resourceName}\n${workspace}\n${resourceType}\n${billingDimension}`;
}

/**
 * Finds series, and makes those that are missing. What another writer makes at the same time is not seen: it is the
 * next time.
 */
export function seriesStatement(accountId: string, asked: readonly MissingSeries[]): Prisma.Sql {
  const column = (read: (event: UsageEvent) => string) => arrayLiteral(asked.map(({ event }) => read(event)));
  // A left join, as a cluster's router takes no correlated subquery beside a common table expression.
  return Prisma.sql`
    WITH asked AS MATERIALIZED (
      SELECT * FROM unnest(
        ${column((event) => event.resourceUuid)}::text::text[], ${column((event) => event.resourceName)}::text::text[],
        ${column((event) => event.workspace)}::text::text[], ${column((event) => event.resourceType)}::text::text[],
        ${column((event) => event.billingDimension)}::text::text[])
      WITH ORDINALITY AS a("resource_uuid", "resource_name", "workspace", "resource_type", "billing_dimension", "n")),
    account AS (
      INSERT INTO "usage_account" ("account_id") VALUES (${accountId}::uuid) ON CONFLICT DO NOTHING RETURNING "account_id"),
    made AS (
      INSERT INTO "usage_series"
        ("account_id", "resource_uuid", "resource_name", "workspace", "resource_type", "billing_dimension")
      SELECT ${accountId}::uuid, asked."resource_uuid", asked."resource_name", asked."workspace", asked."resource_type",
        asked."billing_dimension"
      FROM asked LEFT JOIN "usage_series" s ON s."account_id" = ${accountId}::uuid
        AND (s."resource_uuid", s."resource_name", s."workspace", s."resource_type", s."billing_dimension")
          = (asked."resource_uuid", asked."resource_name", asked."workspace", asked."resource_type", asked."billing_dimension")
      WHERE s."series_id" IS NULL
      ORDER BY "n" ON CONFLICT DO NOTHING
      RETURNING "series_id", "resource_uuid", "resource_name", "workspace", "resource_type", "billing_dimension"),
    known AS (
      SELECT * FROM made UNION ALL
      SELECT s."series_id", "resource_uuid", "resource_name", "workspace", "resource_type", "billing_dimension"
      FROM "usage_series" s
      JOIN asked USING ("resource_uuid", "resource_name", "workspace", "resource_type", "billing_dimension")
      WHERE s."account_id" = ${accountId}::uuid)
    SELECT coalesce(json_agg(json_build_array("n", "series_id"::text)), '[]')::text FROM asked
    JOIN known USING ("resource_uuid", "resource_name", "workspace", "resource_type", "billing_dimension")`;
}
