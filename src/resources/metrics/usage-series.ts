// The dictionary of what usage is of. A series is never changed or removed, so what a process has seen of it
// stays true.
import { Prisma } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { arrayLiteral } from './sql-arrays.js';
import type { UsageEvent } from './usage-event.js';

/** About 100 MB when it is full; then it starts anew. */
const rememberedMax = 200_000;

const remembered = new WeakMap<Database, Map<string, string>>();

/** Tells each event of one account which series it is of. Those that are missing are made. */
export async function seriesIdsOf<Each extends { event: UsageEvent }>(
  db: Database,
  accountId: string,
  events: readonly Each[],
): Promise<(Each & { seriesId: string })[]> {
  const known = remembered.get(db) ?? new Map<string, string>();
  remembered.set(db, known);
  const missing = new Map<string, UsageEvent>();
  const told = events.map((each) => {
    const key = keyOf(accountId, each.event);
    const seriesId = known.get(key);
    if (seriesId === undefined) missing.set(key, each.event);
    return { ...each, seriesId: seriesId ?? '' };
  });
  if (missing.size === 0) return told;
  const found = await findOrMake(db, accountId, missing);
  if (known.size + found.size > rememberedMax) known.clear();
  for (const [key, id] of found) known.set(key, id);
  for (const each of told) {
    if (each.seriesId === '') each.seriesId = found.get(keyOf(accountId, each.event)) ?? '';
  }
  return told;
}

function keyOf(accountId: string, event: UsageEvent): string {
  const { workspace, resourceType, resourceName, resourceUuid, billingDimension } = event;
  return `${accountId}\n${resourceUuid}\n${resourceName}\n${workspace}\n${resourceType}\n${billingDimension}`;
}

/** In the order of keys, so that two writers never wait for each other in a circle. */
async function findOrMake(
  db: Database,
  accountId: string,
  missing: Map<string, UsageEvent>,
): Promise<Map<string, string>> {
  const entries = [...missing].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const column = (read: (event: UsageEvent) => string) => arrayLiteral(entries.map(([, event]) => read(event)));
  const statement = Prisma.sql`
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
      SELECT ${accountId}::uuid, "resource_uuid", "resource_name", "workspace", "resource_type", "billing_dimension"
      FROM asked WHERE NOT EXISTS (
        SELECT FROM "usage_series" s WHERE s."account_id" = ${accountId}::uuid
          AND (s."resource_uuid", s."resource_name", s."workspace", s."resource_type", s."billing_dimension")
            = (asked."resource_uuid", asked."resource_name", asked."workspace", asked."resource_type", asked."billing_dimension"))
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
  // What another writer makes at the same time is seen the next time.
  for (;;) {
    const rows: [number, string][] = JSON.parse(await db.$text(statement));
    if (rows.length >= entries.length) {
      return new Map(rows.map(([order, id]): [string, string] => [entries[order - 1]?.[0] ?? '', id]));
    }
  }
}
