// Streams the change log as text.
import { exportChanges } from './operator/all-changes.js';
import type { AuditRecord, WhichChanges } from './operator/all-changes.js';
import type { Admin } from './command.js';
import { csvTextCell } from '../billing/csv.js';
import { writeOut } from './write-out.js';

export const auditFormats = ['jsonl', 'csv'] as const;

export interface AuditExport extends WhichChanges {
  format: (typeof auditFormats)[number];
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
export async function exportAudit(admin: Admin, { output, format, ...which }: AuditExport): Promise<void> {
  const pieces = await exportChanges(admin.db, which);
  await writeOut(admin, format === 'csv' ? csvOf(pieces) : linesOf(pieces), output);
}

async function* linesOf(pages: AsyncIterable<AuditRecord[]>): AsyncGenerator<string> {
  for await (const records of pages) yield records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

async function* csvOf(pages: AsyncIterable<AuditRecord[]>): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`;
  for await (const records of pages) yield records.map((record) => `${rowOf(record)}\r\n`).join('');
}

function rowOf(record: AuditRecord): string {
  return columns
    .map((column) => {
      const value = record[column];
      if (value === null) return '';
      if (Array.isArray(value)) return csvTextCell(value.join(' '));
      return csvTextCell(typeof value === 'object' ? JSON.stringify(value) : String(value));
    })
    .join(',');
}
