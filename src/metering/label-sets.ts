// The labels of usage: those that its resource had at its time. An event names its resource by UUID, otherwise by
// workspace, type and name. The labels are one set, which is part of the event's series.
import { Prisma } from '../database/client/client.js';
import { readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { msFromInstant } from './instant.js';
import { arrayLiteral, numbersLiteral } from './sql-arrays.js';
import type { UsageEvent } from './usage-event.js';

/** The id of the set without labels. */
export const noLabels = '00000000-0000-0000-0000-000000000000';

/** A resource that events name, and the times of its events. */
interface NamedResource extends Pick<UsageEvent, 'workspace' | 'resourceType' | 'resourceName' | 'resourceUuid'> {
  /** Milliseconds since 1970. */
  firstMs: number;
  lastMs: number;
}

/** The labels of a resource from a time on: the position of the resource, from 1, and the time (ms since 1970). */
type LabelRow = [order: number, sinceMs: number, labelSetId: string];

/** An event that has to get its labels. */
export interface LabeledEvent {
  event: UsageEvent;
  labelSetId: string;
}

/** The resources of some events, each once. */
class EventResources {
  readonly resources: NamedResource[] = [];
  readonly #orders = new Map<string, number>();

  constructor(private readonly events: readonly LabeledEvent[]) {
    for (const { event } of events) {
      const key = keyOf(event);
      const ms = msFromInstant(event);
      const order = this.#orders.get(key);
      const known = order === undefined ? undefined : this.resources[order];
      if (known === undefined) {
        this.#orders.set(key, this.resources.length);
        const { workspace, resourceType, resourceName, resourceUuid } = event;
        this.resources.push({ workspace, resourceType, resourceName, resourceUuid, firstMs: ms, lastMs: ms });
      } else {
        known.firstMs = Math.min(known.firstMs, ms);
        known.lastMs = Math.max(known.lastMs, ms);
      }
    }
  }

  /** Sets the labels of each event. @param rows by resource and time. */
  assign(rows: readonly LabelRow[]): void {
    if (rows.length === 0) return;
    const histories = new Map<number, LabelRow[]>();
    for (const row of rows) {
      const history = histories.get(row[0]);
      if (history === undefined) histories.set(row[0], [row]);
      else history.push(row);
    }
    for (const each of this.events) {
      const history = histories.get((this.#orders.get(keyOf(each.event)) ?? -1) + 1);
      const ms = msFromInstant(each.event);
      // Before its first labels, as of an event of a clock that is behind, a resource counts with these.
      const [, , labelSetId] = history?.findLast(([, sinceMs]) => sinceMs <= ms) ?? history?.[0] ?? [];
      each.labelSetId = labelSetId ?? noLabels;
    }
  }
}

function keyOf({ workspace, resourceType, resourceName, resourceUuid }: UsageEvent): string {
  return `${resourceUuid}\n${resourceName}\n${workspace}\n${resourceType}`;
}

/** SQL for the time of milliseconds since 1970. */
export function timeSql(ms: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`timestamptz '1970-01-01 00:00:00+00' + ${ms} * interval '1 millisecond'`;
}

/** SQL that returns the rows that the events of resources need, as a JSON array of LabelRow in the order of time. */
function labelRowsSql(accountId: string, resources: readonly NamedResource[]): Prisma.Sql {
  const texts = (read: (resource: NamedResource) => string) => arrayLiteral(resources.map(read));
  const numbers = (read: (resource: NamedResource) => number) => numbersLiteral(resources.map(read));
  const ofUuid = Prisma.sql`"account_id" = ${accountId}::uuid AND "resource_id" = r."uuid" AND "workspace" = r."workspace"`;
  const ofName = Prisma.sql`
    "account_id" = ${accountId}::uuid AND "workspace" = r."workspace" AND "resource_type" = r."type" AND "name" = r."name"
    AND NOT EXISTS (SELECT FROM "label_history" AS u WHERE u."account_id" = ${accountId}::uuid
      AND u."resource_id" = r."uuid" AND u."workspace" = r."workspace")`;
  // From the last row before the first event (or the first row) to the last event.
  const rowsOf = (own: Prisma.Sql) => Prisma.sql`
    SELECT h."since", h."label_set_id" FROM (
      SELECT coalesce(
        (SELECT max("since") FROM "label_history" WHERE ${own} AND "since" <= ${timeSql(Prisma.sql`r."first"`)}),
        (SELECT min("since") FROM "label_history" WHERE ${own})) AS "since") AS f, LATERAL (
      SELECT "since", "label_set_id" FROM "label_history"
      WHERE ${own} AND "since" >= f."since" AND "since" <= greatest(f."since", ${timeSql(Prisma.sql`r."last"`)})) AS h`;
  return Prisma.sql`(
    SELECT coalesce(json_agg(json_build_array(r."n", (extract(epoch FROM h."since") * 1000)::bigint, h."label_set_id")
      ORDER BY r."n", h."since"), '[]')
    FROM unnest(${texts(({ resourceUuid }) => resourceUuid)}::text::text[], ${texts(({ workspace }) => workspace)}::text::text[],
      ${texts(({ resourceType }) => resourceType)}::text::text[], ${texts(({ resourceName }) => resourceName)}::text::text[],
      ${numbers(({ firstMs }) => firstMs)}::text::bigint[], ${numbers(({ lastMs }) => lastMs)}::text::bigint[])
      WITH ORDINALITY AS r("uuid", "workspace", "type", "name", "first", "last", "n"),
      LATERAL (${rowsOf(ofUuid)} UNION ALL ${rowsOf(ofName)}) AS h)`;
}

/** A set of labels, as JSON. */
export type LabelSet = [id: string, labels: string];

/**
 * Reads sets of labels, in the order of their ids. A set that is not found was replaced since the history was read, by a
 * change at the same time.
 */
export async function readLabelSets(db: Statements, accountId: string, ids: ReadonlySet<string>): Promise<LabelSet[]> {
  if (ids.size === 0) return [];
  return readJson(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(json_build_array(h."label_set_id", h."labels"::text) ORDER BY h."label_set_id"), '[]')::text
      FROM unnest(${arrayLiteral([...ids])}::text::uuid[]) AS requested("id"), LATERAL (
        SELECT "label_set_id", "labels" FROM "label_history"
        WHERE "account_id" = ${accountId}::uuid AND "label_set_id" = requested."id" LIMIT 1) AS h`,
  );
}

/** SQL for whether a resource of an account has or had labels. */
export function hasLabelsSql(accountId: string): Prisma.Sql {
  return Prisma.sql`EXISTS (SELECT FROM "label_history" WHERE "account_id" = ${accountId}::uuid)`;
}

/** Sets the labels of events of one account. */
export async function assignLabels(db: Statements, accountId: string, events: readonly LabeledEvent[]): Promise<void> {
  const named = new EventResources(events);
  for (const each of events) each.labelSetId = noLabels;
  named.assign(await readJson(db, Prisma.sql`SELECT ${labelRowsSql(accountId, named.resources)}::text`));
}
