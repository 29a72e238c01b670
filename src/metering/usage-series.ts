// The dictionary of usage series. Series are never changed or deleted, so a process may cache them forever.
import { Prisma } from '../database/client/client.js';
import { arrayLiteral } from './sql-arrays.js';
import type { UsageEvent } from './usage-event.js';
import type { StoredEvent } from './usage-insertion.js';

/** The cache size at which it is cleared (about 100 MB). */
const cachedMax = 200_000;

/** The number of series of a resource up to which they are searched one by one. Above it they are indexed by key. */
const linearSearchMax = 16;

/** The fields that identify a series. */
type SeriesNames = Pick<
  UsageEvent,
  'workspace' | 'resourceType' | 'resourceName' | 'resourceUuid' | 'billingDimension'
>;

/** A cached series. */
interface Series {
  seriesId: string;
  of: SeriesNames;
}

/** The series of one resource. */
type ResourceSeries = Series[] | Map<string, string>;

/** A process's cache of series ids of one database. */
export class SeriesCache {
  readonly #accounts = new Map<string, Map<string, ResourceSeries>>();
  #count = 0;

  /** Sets the series ids of events of one account. Returns the unknown series, each once. */
  assign(accountId: string, events: readonly StoredEvent[]): MissingSeries[] {
    const known = this.#accounts.get(accountId);
    const missing = new Map<string, UsageEvent>();
    for (const each of events) {
      const seriesId = known && idIn(known.get(resourceOf(each.event)), each.event);
      if (seriesId === undefined) missing.set(keyOf(each.event), each.event);
      else each.seriesId = seriesId;
    }
    // All writers use the same order, to prevent deadlocks.
    const requested = Array.from(missing, ([key, event]) => ({ key, event }));
    return requested.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  }

  /** Caches series that were missing, and sets the ids of the events that need them. */
  add(
    accountId: string,
    events: readonly StoredEvent[],
    missing: readonly MissingSeries[],
    rows: readonly SeriesRow[],
  ): void {
    this.#count += rows.length;
    if (this.#count > cachedMax) {
      this.#accounts.clear();
      this.#count = rows.length;
    }
    const known = this.#accounts.get(accountId) ?? new Map<string, ResourceSeries>();
    this.#accounts.set(accountId, known);
    const byKey = new Map<string, string>();
    for (const [order, seriesId] of rows) {
      const { key, event } = missing[order - 1] ?? {};
      if (key === undefined || event === undefined) continue;
      byKey.set(key, seriesId);
      known.set(resourceOf(event), withSeries(known.get(resourceOf(event)) ?? [], { seriesId, of: namesOf(event) }));
    }
    for (const each of events) if (each.seriesId === '') each.seriesId = byKey.get(keyOf(each.event)) ?? '';
  }
}

/** Copies the fields, so that the cache does not keep the whole event in memory. */
function namesOf({ workspace, resourceType, resourceName, resourceUuid, billingDimension }: UsageEvent): SeriesNames {
  return { workspace, resourceType, resourceName, resourceUuid, billingDimension };
}

/** Most resources have a UUID. */
function resourceOf({ resourceUuid, resourceName }: UsageEvent): string {
  return resourceUuid === '' ? resourceName : resourceUuid;
}

function idIn(resourceSeries: ResourceSeries | undefined, event: UsageEvent): string | undefined {
  if (!Array.isArray(resourceSeries)) return resourceSeries?.get(keyOf(event));
  for (const { seriesId, of } of resourceSeries) if (isSame(of, event)) return seriesId;
  return undefined;
}

function isSame(one: SeriesNames, other: SeriesNames): boolean {
  return (
    one.resourceName === other.resourceName &&
    one.billingDimension === other.billingDimension &&
    one.resourceType === other.resourceType &&
    one.workspace === other.workspace &&
    one.resourceUuid === other.resourceUuid
  );
}

function withSeries(resourceSeries: ResourceSeries, { seriesId, of }: Series): ResourceSeries {
  if (!Array.isArray(resourceSeries)) return resourceSeries.set(keyOf(of), seriesId);
  if (resourceSeries.some((each) => isSame(each.of, of))) return resourceSeries;
  const more = [...resourceSeries, { seriesId, of }];
  return more.length <= linearSearchMax ? more : new Map(more.map((each) => [keyOf(each.of), each.seriesId]));
}

/** A series with an unknown id, and an event of it. */
export interface MissingSeries {
  key: string;
  event: UsageEvent;
}

/** The position of a missing series, from 1, and its id. */
export type SeriesRow = [order: number, id: string];

function keyOf({ workspace, resourceType, resourceName, resourceUuid, billingDimension }: SeriesNames): string {
  return `${resourceUuid}\n${resourceName}\n${workspace}\n${resourceType}\n${billingDimension}`;
}

/**
 * Finds series and creates missing ones. A series that another writer creates concurrently is only found by the next
 * call.
 */
export function seriesStatement(accountId: string, series: readonly MissingSeries[]): Prisma.Sql {
  const column = (read: (event: UsageEvent) => string) => arrayLiteral(series.map(({ event }) => read(event)));
  // A left join, because Citus does not support a correlated subquery next to a common table expression.
  return Prisma.sql`
    WITH requested AS MATERIALIZED (
      SELECT * FROM unnest(
        ${column((event) => event.resourceUuid)}::text::text[], ${column((event) => event.resourceName)}::text::text[],
        ${column((event) => event.workspace)}::text::text[], ${column((event) => event.resourceType)}::text::text[],
        ${column((event) => event.billingDimension)}::text::text[])
      WITH ORDINALITY AS a("resource_uuid", "resource_name", "workspace", "resource_type", "billing_dimension", "n")),
    account AS (
      INSERT INTO "usage_account" ("account_id") VALUES (${accountId}::uuid) ON CONFLICT DO NOTHING RETURNING "account_id"),
    inserted AS (
      INSERT INTO "usage_series"
        ("account_id", "resource_uuid", "resource_name", "workspace", "resource_type", "billing_dimension")
      SELECT ${accountId}::uuid, requested."resource_uuid", requested."resource_name", requested."workspace", requested."resource_type",
        requested."billing_dimension"
      FROM requested LEFT JOIN "usage_series" s ON s."account_id" = ${accountId}::uuid
        AND (s."resource_uuid", s."resource_name", s."workspace", s."resource_type", s."billing_dimension")
          = (requested."resource_uuid", requested."resource_name", requested."workspace", requested."resource_type", requested."billing_dimension")
      WHERE s."series_id" IS NULL
      ORDER BY "n" ON CONFLICT DO NOTHING
      RETURNING "series_id", "resource_uuid", "resource_name", "workspace", "resource_type", "billing_dimension"),
    known AS (
      SELECT * FROM inserted UNION ALL
      SELECT s."series_id", "resource_uuid", "resource_name", "workspace", "resource_type", "billing_dimension"
      FROM "usage_series" s
      JOIN requested USING ("resource_uuid", "resource_name", "workspace", "resource_type", "billing_dimension")
      WHERE s."account_id" = ${accountId}::uuid)
    SELECT coalesce(json_agg(json_build_array("n", "series_id"::text)), '[]')::text FROM requested
    JOIN known USING ("resource_uuid", "resource_name", "workspace", "resource_type", "billing_dimension")`;
}
