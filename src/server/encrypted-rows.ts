// The columns with encrypted values, their format, and the row that each value is bound to.
import { signingKeyPurpose } from '../auth/signing-keys.js';
import { keyOfResponse, responsePurpose } from '../changes/idempotent-change.js';
import { secretPurpose, urlPurpose } from '../webhooks/webhook.js';
import { Prisma } from '../database/client/client.js';
import { withSecrets } from '../store/write/encrypted-spec.js';
import type { Database } from '../database/open.js';
import { readJson } from '../database/read-json.js';
import type { SecretSpec, TranslateSecret } from '../store/write/encrypted-spec.js';
import { isWorkKind } from '../lifecycle/work-kinds.js';
import { isEncryptedTable, isInClear } from '../encryption.js';
import type { Encryption, EncryptedTable } from '../encryption.js';
import { resourceKinds } from '../resource-kinds.js';

/** The rows of a table with encrypted values. */
export interface EncryptedRows {
  table: string;
  /** The key columns that order them. */
  key: { name: string; type: 'uuid' | 'text' }[];
  columns: EncryptedColumn[];
  /** Further columns that identify the row that the values are bound to. */
  beside: string[];
  /** The row that the values are bound to, or undefined without encrypted values. */
  ownerOf: (read: { key: string[]; beside: string[] }) => { table: EncryptedTable; key: string } | undefined;
}

/** Conversion of a column to text and back. */
export interface EncryptedColumn {
  name: string;
  read: (column: Prisma.Sql) => Prisma.Sql;
  write: (text: string) => Prisma.Sql;
  /** Returns the text with each secret translated. */
  translated: (text: string, translate: TranslateSecret) => string;
}

const rowsByTable: Record<EncryptedTable, Omit<EncryptedRows, 'table'>> = {
  agent: { ...ownRows('agent'), columns: [specColumn('spec')] },
  sandbox: { ...ownRows('sandbox'), columns: [specColumn('spec')] },
  sandbox_preview: { ...ownRows('sandbox_preview'), columns: [specColumn('spec')] },
  job: { ...ownRows('job'), columns: [specColumn('spec')] },
  job_execution: { ...ownRows('job_execution'), columns: [specColumn('spec')] },
  webhook: {
    ...ownRows('webhook'),
    columns: [
      encryptedTextColumn('secret', secretPurpose),
      encryptedTextColumn('previous_secret', secretPurpose),
      encryptedTextColumn('url', urlPurpose),
    ],
  },
  idempotency_key: {
    key: [
      { name: 'account_id', type: 'uuid' },
      { name: 'principal_id', type: 'uuid' },
      { name: 'key', type: 'text' },
      { name: 'part', type: 'text' },
    ],
    columns: [encryptedTextColumn('answer', responsePurpose)],
    beside: [],
    ownerOf: ({ key: [accountId = '', principalId = '', key = '', part = ''] }) => ({
      table: 'idempotency_key',
      key: keyOfResponse({ accountId, principalId, key }, part),
    }),
  },
  signing_key: {
    ...ownRows('signing_key', 'text'),
    key: [{ name: 'kid', type: 'text' }],
    columns: [
      {
        ...encryptedTextColumn('encrypted_private_key', signingKeyPurpose),
        read: (column) => Prisma.sql`convert_from(${column}, 'UTF8')`,
        write: (text) => Prisma.sql`convert_to(${text}::text, 'UTF8')`,
      },
    ],
  },
};

/** The applied state of executors is stored encrypted, and bound to its resource. */
const assignments: EncryptedRows = {
  ...ownRows('job_execution'),
  table: 'assignment',
  columns: [carriedColumn('carried_out'), carriedColumn('gone')],
  beside: ['kind', 'resource_id'],
  ownerOf: ({ beside: [kind = '', id = ''] }) => {
    const table = isWorkKind(kind) ? resourceKinds[kind].table : 'job_execution';
    return isEncryptedTable(table) ? { table, key: id } : undefined;
  },
};

/**
 * All tables with encrypted values. The signing keys, which a start checks, come last: until the re-encryption has reached
 * them, no process starts without the old secret.
 */
export const allEncryptedRows: EncryptedRows[] = [
  assignments,
  ...Object.entries(rowsByTable).map(([table, rows]) => ({ table, ...rows })),
];

function ownRows(
  table: EncryptedTable,
  type: 'uuid' | 'text' = 'uuid',
): Pick<EncryptedRows, 'key' | 'beside' | 'ownerOf'> {
  return { key: [{ name: 'id', type }], beside: [], ownerOf: ({ key: [key = ''] }) => ({ table, key }) };
}

function encryptedTextColumn(name: string, purpose: string): EncryptedColumn {
  return {
    name,
    read: (column) => column,
    write: (text) => Prisma.sql`${text}::text`,
    translated: (text, translate) => translate(purpose, text) ?? text,
  };
}

function specColumn(name: string): EncryptedColumn {
  return jsonColumn(name, (spec, translate) => withSecrets(spec, translate));
}

/** A spec within a report of an executor, or of a deleted resource. */
function carriedColumn(name: string): EncryptedColumn {
  return jsonColumn(name, ({ spec, ...rest }: { spec?: SecretSpec | null }, translate) =>
    spec === null || spec === undefined ? { spec, ...rest } : { ...rest, spec: withSecrets(spec, translate) },
  );
}

function jsonColumn<Stored extends object>(
  name: string,
  change: (stored: Stored, translate: TranslateSecret) => object,
): EncryptedColumn {
  return {
    name,
    read: (column) => Prisma.sql`${column}::text`,
    write: (text) => Prisma.sql`${text}::json`,
    translated: (text, translate) => JSON.stringify(change(JSON.parse(text), translate)),
  };
}

const pageSize = 200;

export interface ReadRow {
  key: string[];
  beside: string[];
  /** In the order of the columns. */
  texts: (string | null)[];
}

/** The next page of rows by key. @param after the last key of the page before. @param only the key of a single row. */
export async function readRows(
  db: Database,
  rows: EncryptedRows,
  after?: string[],
  only?: string[],
): Promise<ReadRow[]> {
  const { table, columns, beside } = rows;
  const keys = keyColumns(rows);
  const from =
    only !== undefined
      ? Prisma.sql`WHERE (${keys}) = (${keyValues(rows, only)})`
      : after === undefined
        ? Prisma.empty
        : Prisma.sql`WHERE (${keys}) > (${keyValues(rows, after)})`;
  const texts = columns.map(({ name, read }) => read(qualifiedColumn(name)));
  const others = beside.map((name) => Prisma.sql`${qualifiedColumn(name)}::text`);
  const row = Prisma.sql`json_build_object(
    'key', json_build_array(${keys}), 'texts', json_build_array(${Prisma.join(texts)}),
    'beside', json_build_array(${others.length === 0 ? Prisma.empty : Prisma.join(others)}))`;
  return readJson(
    db,
    Prisma.sql`
    SELECT coalesce(json_agg(${row} ORDER BY ${keys}), '[]')::text
    FROM (SELECT * FROM ${Prisma.raw(`"${table}"`)} AS r ${from} ORDER BY ${keys} LIMIT ${pageSize}::int) AS r`,
  );
}

/**
 * Whether the secrets of this process decrypt the data in the database. It checks the first encrypted value only,
 * because a process encrypts everything with the same secret.
 */
export async function opensEncryptedRows(db: Database, encryption: Encryption): Promise<boolean> {
  for (const rows of allEncryptedRows) {
    let after: string[] | undefined;
    do {
      const page = await readRows(db, rows, after);
      for (const row of page) {
        const opens = decryptsRow(encryption, rows, row);
        if (opens !== undefined) return opens;
      }
      after = page.at(-1)?.key;
    } while (after !== undefined);
  }
  return true;
}

/** @returns undefined for a row without encrypted values. */
function decryptsRow(encryption: Encryption, rows: EncryptedRows, row: ReadRow): boolean | undefined {
  const owner = rows.ownerOf(row);
  if (owner === undefined) return undefined;
  const ofRow = encryption.ofRow(owner.table, owner.key);
  let opens: boolean | undefined;
  translatedTexts(rows, row, (purpose, encrypted) => {
    if (!isInClear(purpose, encrypted)) opens = ofRow.decrypt(purpose, encrypted) !== undefined;
    return encrypted;
  });
  return opens;
}

/** The columns of a row, with each encrypted value in them translated. */
export function translatedTexts(
  { columns }: EncryptedRows,
  { texts }: ReadRow,
  translate: TranslateSecret,
): (string | null)[] {
  return columns.map(({ translated }, index) => {
    const text = texts[index] ?? null;
    return text === null ? null : translated(text, translate);
  });
}

export function keyColumns({ key }: EncryptedRows): Prisma.Sql {
  return Prisma.join(key.map(({ name }) => qualifiedColumn(name)));
}

export function keyValues({ key }: EncryptedRows, values: string[]): Prisma.Sql {
  return Prisma.join(key.map(({ type }, index) => Prisma.sql`${values[index] ?? ''}::${Prisma.raw(type)}`));
}

export function qualifiedColumn(name: string): Prisma.Sql {
  return Prisma.raw(`r."${name}"`);
}
