// Streams the change log as text.
import type { RequestContext } from '../auth/context.js';
import { allColumns, changeId, readOf } from '../changes/change.js';
import type { ChangeColumn, ReadChange } from '../changes/change.js';
import type { ChangeFilter } from '../changes/change-filter.js';
import { listChanges } from '../changes/changes.js';
import type { ChangesPage } from '../changes/changes.js';
import { findAccount } from '../accounts/find-tenant.js';
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { readJson } from '../database/read-json.js';
import { ApiError } from '../errors.js';
import { pageSizeMax } from '../pagination/page.js';
import type { Admin } from './command.js';
import { frameContext } from './operator/operator-context.js';
import type { Print } from './print.js';
import { csvCell, csvLine, rawCell } from '../billing/csv.js';
import type { CellOf } from '../billing/csv.js';
import { writeOut } from './write-out.js';

export const auditFormats = ['jsonl', 'csv'] as const;

/** One change of the export. */
type AuditRecord = ReturnType<typeof recordOf>;

interface WhichChanges {
  /** Name, or undefined for all accounts. */
  account?: string | undefined;
  since?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
  /** The actor, credential and address, as in the records. */
  actor?: string | undefined;
  client?: string | undefined;
  address?: string | undefined;
}

export interface AuditExport extends WhichChanges {
  format: (typeof auditFormats)[number];
  /** Whether CSV has texts unchanged, without the guard against formulas. */
  isRaw: boolean;
  /** A file, or undefined for standard output. */
  output: string | undefined;
}

/** The columns of the CSV file, in order. */
const columns = [
  'id',
  'time',
  'account',
  'workspace',
  'kind',
  'verb',
  'name',
  'resourceId',
  'version',
  'actorKind',
  'actor',
  'client',
  'requestId',
  'address',
  'fields',
  'status',
  'message',
  'count',
  'before',
  'after',
] as const satisfies readonly (keyof AuditRecord)[];

/** @throws {UsageError} if the file exists or cannot be created; 404 for an unknown account. */
export async function exportAudit(
  admin: Admin,
  { output, format, isRaw, ...which }: AuditExport,
  print: Print,
): Promise<void> {
  const accounts = await accountsWithHistory(admin.db, which.account);
  const pieces = recordsOf(await frameContext(admin), accounts, filterOf(which));
  await writeOut(admin, format === 'csv' ? csvOf(pieces, isRaw ? rawCell : csvCell) : linesOf(pieces), output, print);
}

function filterOf({ since, until, actor, client, address }: WhichChanges): ChangeFilter {
  return {
    time: { from: since?.toISOString(), to: until?.toISOString() },
    actors: actor === undefined ? undefined : [actor],
    clients: client === undefined ? undefined : [client],
    addresses: address === undefined ? undefined : [address],
  };
}

async function accountsWithHistory(
  db: Database,
  named: string | undefined,
): Promise<{ id: string; name: string | null }[]> {
  if (named !== undefined) return [await findAccount(db, named)];
  return readJson(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(json_build_object('id', h."account_id", 'name', a."name") ORDER BY a."name", h."account_id"), '[]')::text
      FROM "change_head" AS h LEFT JOIN "account" AS a ON a."id" = h."account_id"`,
  );
}

/** The changes by account, in commit order, in pages, so that memory does not depend on their number. */
async function* recordsOf(
  ctx: RequestContext,
  accounts: readonly { id: string; name: string | null }[],
  filter: ChangeFilter,
): AsyncGenerator<AuditRecord[]> {
  for (const { id: accountId, name } of accounts) {
    for await (const changes of pagesOf(ctx, name ?? accountId, filter)) {
      if (changes.length > 0) yield changes.map((change) => recordOf(readOf(change, allColumns), name));
    }
  }
}

async function* pagesOf(ctx: RequestContext, account: string, filter: ChangeFilter): AsyncGenerator<ReadChange[]> {
  const wanted = { items: true, columns: allColumns, total: false, filtered: false };
  let cursor: string | undefined;
  for (;;) {
    const input = {
      account,
      filter,
      size: pageSizeMax,
      direction: 'forward' as const,
      cursor,
      fields: { cursor: 'cursor' },
    };
    const page: ChangesPage | string = await listChanges(ctx, { ...input, wanted }).catch(resumeFrom);
    if (typeof page === 'string') {
      cursor = page;
      continue;
    }
    yield page.items;
    if (!page.hasNext) return;
    cursor = page.endCursor ?? undefined;
  }
}

/** The cursor after changes that the retention deleted since the page before. */
function resumeFrom(error: unknown): string {
  if (error instanceof ApiError && error.resumeFrom !== undefined) return error.resumeFrom;
  throw error;
}

/** @param account its name, or null if it was deleted. */
function recordOf(change: ReadChange<ChangeColumn>, account: string | null) {
  return {
    id: changeId(change),
    time: change.time,
    account,
    /** Name, or null if there is none or it was deleted. */
    workspace: change.workspaceName,
    kind: change.kind,
    verb: change.verb,
    name: change.name,
    resourceId: change.resourceId,
    version: change.version,
    actorKind: change.actorKind,
    actor: change.actorName,
    client: change.client,
    requestId: change.requestId,
    address: change.address,
    fields: change.fields,
    status: change.status,
    message: change.message,
    /** Number of occurrences: repeated denied requests are one record. */
    count: change.count ?? 1,
    before: change.before ?? null,
    after: change.after ?? null,
  };
}

async function* linesOf(pages: AsyncIterable<AuditRecord[]>): AsyncGenerator<string> {
  for await (const records of pages) yield records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

async function* csvOf(pages: AsyncIterable<AuditRecord[]>, cellOf: CellOf): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const records of pages) yield records.map((record) => csvLine(textsOf(record), cellOf)).join('');
}

function textsOf(record: AuditRecord): string[] {
  return columns.map((column) => {
    const value = record[column];
    if (value === null) return '';
    if (Array.isArray(value)) return value.join(' ');
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  });
}
