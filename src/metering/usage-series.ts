// The dictionary of usage series. Series are never changed or deleted, so a process may cache them forever.
import { Prisma } from '../database/client/client.js';
import { arrayLiteral } from './sql-arrays.js';
import type { LabelSet } from './label-sets.js';
import type { UsageEvent } from './usage-event.js';
import type { StoredEvent } from './usage-insertion.js';

/** The cache size at which it is cleared (about 100 MB). */
const cachedMax = 200_000;

/** The number of series of a resource up to which they are searched one by one. Above it they are indexed by key. */
const linearSearchMax = 16;

/** The names that identify a series, together with its labels. */
type SeriesNames = Pick<
  UsageEvent,
  'workspace' | 'resourceType' | 'resourceName' | 'resourceUuid' | 'billingDimension'
> &
  Pick<StoredEvent, 'labelSetId'>;

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
    const missing = new Map<string, StoredEvent>();
    for (const each of events) {
      const seriesId = known && idIn(known.get(resourceOf(each.event)), each);
      if (seriesId === undefined) missing.set(keyOf(namesOf(each)), each);
      else each.seriesId = seriesId;
    }
    // All writers use the same order, to prevent deadlocks.
    const requested = Array.from(missing, ([key, each]) => ({ key, of: namesOf(each) }));
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
    const ofKey = new Map(missing.map(({ key, of }) => [key, of]));
    for (const [key, seriesId] of rows) {
      const of = ofKey.get(key);
      if (of === undefined) continue;
      byKey.set(key, seriesId);
      known.set(resourceOf(of), withSeries(known.get(resourceOf(of)) ?? [], { seriesId, of }));
    }
    for (const each of events) if (each.seriesId === '') each.seriesId = byKey.get(keyOf(namesOf(each))) ?? '';
  }
}

/** Copies the fields, so that the cache does not keep the whole event in memory. */
function namesOf({ event, labelSetId }: StoredEvent): SeriesNames {
  const { workspace, resourceType, resourceName, resourceUuid, billingDimension } = event;
  return { workspace, resourceType, resourceName, resourceUuid, billingDimension, labelSetId };
}

/** Most resources have a UUID. */
function resourceOf({ resourceUuid, resourceName }: Pick<SeriesNames, 'resourceUuid' | 'resourceName'>): string {
  return resourceUuid === '' ? resourceName : resourceUuid;
}

function idIn(resourceSeries: ResourceSeries | undefined, { event, labelSetId }: StoredEvent): string | undefined {
  if (!Array.isArray(resourceSeries)) return resourceSeries?.get(keyOf(namesOf({ event, labelSetId, seriesId: '' })));
  for (const { seriesId, of } of resourceSeries) {
    if (of.labelSetId === labelSetId && hasSameNames(of, event)) return seriesId;
  }
  return undefined;
}

function hasSameNames(one: SeriesNames, other: Omit<SeriesNames, 'labelSetId'>): boolean {
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
  if (resourceSeries.some((each) => each.of.labelSetId === of.labelSetId && hasSameNames(each.of, of))) {
    return resourceSeries;
  }
  const more = [...resourceSeries, { seriesId, of }];
  return more.length <= linearSearchMax ? more : new Map(more.map((each) => [keyOf(each.of), each.seriesId]));
}

/** A series with an unknown id. */
export interface MissingSeries {
  key: string;
  of: SeriesNames;
}

/** The key of a missing series, and its id. */
export type SeriesRow = [key: string, id: string];

function keyOf({
  workspace,
  resourceType,
  resourceName,
  resourceUuid,
  billingDimension,
  labelSetId,
}: SeriesNames): string {
  return `${resourceUuid}\n${resourceName}\n${workspace}\n${resourceType}\n${billingDimension}\n${labelSetId}`;
}

/**
 * SQL of the series of all accounts that have an event, rolled up or waiting. The series of events that were rejected stay
 * without one. It reads all waiting events.
 */
export const usedSeriesSql = Prisma.sql`(
  SELECT s."account_id", s."resource_type", s."billing_dimension" FROM "usage_series" AS s WHERE s."last_day" IS NOT NULL
  UNION ALL
  SELECT s."account_id", s."resource_type", s."billing_dimension"
  FROM "usage_batch" AS b CROSS JOIN LATERAL unnest(b."series_ids") AS e("series_id")
  JOIN "usage_series" AS s ON s."account_id" = b."account_id" AND s."series_id" = e."series_id"
  WHERE b."rollup_id" IS NULL)`;

/** The columns that identify a series. */
const identity = Prisma.sql`
  "resource_uuid", "resource_name", "workspace", "resource_type", "billing_dimension", "label_set_id"`;

/** keyOf() in SQL. */
const seriesKey = Prisma.sql`concat_ws(chr(10), ${identity})`;

/**
 * Finds series and creates missing ones. A series that another writer creates concurrently is only found by the next
 * call. Rows are matched by key here: PostgreSQL, which cannot estimate their number, would compare each with each.
 *
 * @param labelSets the labels of the series, in the order of their ids.
 */
export function seriesStatement(
  accountId: string,
  series: readonly MissingSeries[],
  labelSets: readonly LabelSet[],
): Prisma.Sql {
  const column = (read: (names: SeriesNames) => string) => arrayLiteral(series.map(({ of }) => read(of)));
  const sets = arrayLiteral(labelSets.map(([id]) => id));
  const labels = arrayLiteral(labelSets.map(([, each]) => each));
  // A left join, because Citus does not support a correlated subquery next to a common table expression.
  return Prisma.sql`
    WITH requested AS MATERIALIZED (
      SELECT * FROM unnest(
        ${column((names) => names.resourceUuid)}::text::text[], ${column((names) => names.resourceName)}::text::text[],
        ${column((names) => names.workspace)}::text::text[], ${column((names) => names.resourceType)}::text::text[],
        ${column((names) => names.billingDimension)}::text::text[], ${column((names) => names.labelSetId)}::text::uuid[])
      WITH ORDINALITY AS a(${identity}, "n")),
    account AS (
      INSERT INTO "usage_account" ("account_id") VALUES (${accountId}::uuid) ON CONFLICT DO NOTHING RETURNING "account_id"),
    label_set AS (
      INSERT INTO "usage_label_set" ("account_id", "label_set_id", "labels")
      SELECT ${accountId}::uuid, unnest(${sets}::text::uuid[]), unnest(${labels}::text::text[])::jsonb ON CONFLICT DO NOTHING),
    inserted AS (
      INSERT INTO "usage_series"
        ("account_id", ${identity})
      SELECT ${accountId}::uuid, requested."resource_uuid", requested."resource_name", requested."workspace", requested."resource_type",
        requested."billing_dimension", requested."label_set_id"
      FROM requested LEFT JOIN "usage_series" s ON s."account_id" = ${accountId}::uuid
        AND (s."resource_uuid", s."resource_name", s."workspace", s."resource_type", s."billing_dimension", s."label_set_id")
          = (requested."resource_uuid", requested."resource_name", requested."workspace", requested."resource_type", requested."billing_dimension", requested."label_set_id")
      WHERE s."series_id" IS NULL
      ORDER BY "n" ON CONFLICT DO NOTHING
      RETURNING "series_id", ${identity}),
    known AS (
      SELECT "series_id", ${seriesKey} AS "key" FROM inserted UNION ALL
      SELECT s."series_id", ${seriesKey}
      FROM "usage_series" s
      JOIN requested USING (${identity})
      WHERE s."account_id" = ${accountId}::uuid)
    SELECT coalesce(json_agg(json_build_array("key", "series_id"::text)), '[]')::text FROM known`;
}
