import { hash } from 'node:crypto';
import type { ActorKind, ChangeKind, ChangeAction } from './change-subjects.js';
import { Prisma } from '../database/client/client.js';
import type { Position } from '../pagination/page.js';

/** A change of an account in its change log. */
export interface Change {
  accountId: string;
  /** Incremented with each change of the account, in commit order. */
  sequence: number;
  /** RFC 3339, UTC, milliseconds. */
  time: string;
  workspaceId: string | null;
  /** Null if the change is in no workspace, or if the workspace is deleted. */
  workspaceName: string | null;
  kind: ChangeKind;
  verb: ChangeAction;
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
  /** The number of occurrences that the record summarizes. */
  count: number | null;
  /** The resource before and after, with secrets masked; absent if these columns were not read. */
  before?: object | null;
  after?: object | null;
  position: Position;
}

/** SQL of the columns of a change `c`, without those that identify it, which are always read. */
const columns = {
  time: 'c."time"',
  workspaceId: 'c."workspace_id"',
  workspaceName: '(SELECT w."name" FROM "workspace" AS w WHERE w."id" = c."workspace_id")',
  kind: 'c."kind"',
  verb: 'c."verb"',
  resourceId: 'c."resource_id"',
  name: 'c."name"',
  version: 'c."version"',
  actorKind: 'c."actor_kind"',
  actorName: 'c."actor_name"',
  client: 'c."client"',
  requestId: 'c."request_id"',
  address: 'c."address"',
  fields: 'c."fields"',
  status: 'c."status"',
  message: 'c."message"',
  count: 'c."count"',
  before: 'c."before"',
  after: 'c."after"',
} as const satisfies Partial<Record<keyof Change, string>>;

export type ChangeColumn = keyof typeof columns;

const isColumn = (name: string): name is ChangeColumn => Object.hasOwn(columns, name);

export const allColumns: readonly ChangeColumn[] = Object.keys(columns).filter(isColumn);

/** All columns except `before` and `after`. */
export const plainColumns = allColumns.filter((column) => column !== 'before' && column !== 'after');

/** A change with the columns that were read. */
export type ReadChange<Column extends ChangeColumn = never> = Pick<
  Change,
  'accountId' | 'sequence' | 'position' | Column
> &
  Partial<Change>;

/** SQL of the columns of a change `c`. */
export function changeColumns(names: readonly ChangeColumn[]): Prisma.Sql {
  const named = names.map((name) => `, ${columns[name]} AS "${name}"`);
  return Prisma.raw(`c."sequence"${named.join('')}`);
}

/** A change in the JSON form of the database. */
export type ChangeJson<Read extends ReadChange = Change> = Omit<Read, 'accountId' | 'position'>;

export function changeFromJson(accountId: string, row: ChangeJson): Change {
  return { ...row, ...placeOf(accountId, row), time: timeFromJson(row.time) };
}

/** A change with some of its columns, from the JSON form of the database. */
export function changePartFromJson(accountId: string, row: ChangeJson<ReadChange>): ReadChange {
  const { time } = row;
  return { ...row, ...placeOf(accountId, row), ...(time === undefined ? {} : { time: timeFromJson(time) }) };
}

/**
 * The columns of a change that was read in part.
 *
 * @throws {Error} if a column was not read: a GraphQL field does not declare its columns.
 */
export function readOf<Column extends ChangeColumn>(
  change: ReadChange,
  columns: readonly Column[],
): ReadChange<Column> {
  if (hasRead(change, columns)) return change;
  throw new Error(`not read of a change: ${columns.filter((column) => change[column] === undefined).join(', ')}`);
}

function hasRead<Column extends ChangeColumn>(
  change: ReadChange,
  columns: readonly Column[],
): change is ReadChange<Column> {
  return columns.every((column) => change[column] !== undefined);
}

function placeOf(accountId: string, { sequence }: Pick<Change, 'sequence'>) {
  return { accountId, position: { key: String(sequence), id: accountId } };
}

function timeFromJson(time: string): string {
  return new Date(time).toISOString();
}

/** The id of a change. It is always the same, so that a client can detect a change that is delivered twice. */
export function changeId({ accountId, sequence }: Pick<Change, 'accountId' | 'sequence'>): string {
  const digest = hash('sha256', `${accountId} ${sequence}`, 'hex');
  const parts = [digest.slice(0, 8), digest.slice(8, 12), digest.slice(12, 16), digest.slice(16, 20)];
  return [...parts, digest.slice(20, 32)].join('-');
}
