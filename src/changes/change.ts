import { createHash } from 'node:crypto';
import type { ActorKind, ChangeKind, ChangeVerb } from './change-words.js';
import { Prisma } from '../database/client/client.js';
import type { Position } from '../paging/page.js';

/** One change of an account, as the history holds it. */
export interface Change {
  accountId: string;
  /** One more with each change of the account, in the order in which they were committed. */
  sequence: number;
  /** RFC 3339, UTC, milliseconds. */
  time: string;
  workspaceId: string | null;
  kind: ChangeKind;
  verb: ChangeVerb;
  resourceId: string | null;
  name: string | null;
  version: number | null;
  actorKind: ActorKind;
  actorName: string | null;
  client: string | null;
  requestId: string | null;
  address: string | null;
  fields: string[];
  status: string | null;
  message: string | null;
  /** How often it happened, where one record tells of many. */
  count: number | null;
  /** The resource before and after, secrets masked; absent where they were not read. */
  before?: object | null;
  after?: object | null;
  position: Position;
}

/** What is read of a change, but for the resource before and after. */
const columns = Prisma.sql`
  c."sequence", c."time", c."workspace_id" AS "workspaceId", c."kind", c."verb", c."resource_id" AS "resourceId",
  c."name", c."version", c."actor_kind" AS "actorKind", c."actor_name" AS "actorName", c."client",
  c."request_id" AS "requestId", c."address", c."fields", c."status", c."message", c."count"`;

const withRecords = Prisma.sql`${columns}, c."before", c."after"`;

/** SQL for the columns of a change `c`. */
export function changeColumns(hasRecords: boolean): Prisma.Sql {
  return hasRecords ? withRecords : columns;
}

/** A change as the database writes it into JSON. */
export type ChangeJson = Omit<Change, 'accountId' | 'position'>;

export function changeFromJson(accountId: string, row: ChangeJson): Change {
  const position = { key: String(row.sequence), id: accountId };
  return { ...row, accountId, position, time: new Date(row.time).toISOString() };
}

/** The id of a change: the same for good, wherever it is told, so that who is told twice can tell. */
export function changeId({ accountId, sequence }: Pick<Change, 'accountId' | 'sequence'>): string {
  const digest = createHash('sha256').update(`${accountId} ${sequence}`).digest('hex');
  const parts = [digest.slice(0, 8), digest.slice(8, 12), digest.slice(12, 16), digest.slice(16, 20)];
  return [...parts, digest.slice(20, 32)].join('-');
}
