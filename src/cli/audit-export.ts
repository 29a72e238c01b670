// Streams the change log as text.
import { exportChanges } from './operator/all-changes.js';
import type { AuditRecord, WhichChanges } from './operator/all-changes.js';
import type { Admin } from './command.js';
import { csvCell, csvLine, rawCell } from '../billing/csv.js';
import type { CellOf } from '../billing/csv.js';
import { writeOut } from './write-out.js';

export const auditFormats = ['jsonl', 'csv'] as const;

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
export async function exportAudit(admin: Admin, { output, format, isRaw, ...which }: AuditExport): Promise<void> {
  const pieces = await exportChanges(admin.db, which);
  await writeOut(admin, format === 'csv' ? csvOf(pieces, isRaw ? rawCell : csvCell) : linesOf(pieces), output);
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
