// Re-encrypts every encrypted value of the database with the first secret, and binds it to its row, while gateways run.
// Values that earlier versions stored in clear are encrypted.
// A row is written only if it is unchanged since it was read. Otherwise it is read again.
import { Prisma } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import type { TranslateSecret } from '../../store/write/encrypted-spec.js';
import type { Encryption } from '../../encryption.js';
import {
  allEncryptedRows,
  keyColumns,
  keyValues,
  qualifiedColumn,
  readRows,
  translatedTexts,
} from '../../server/encrypted-rows.js';
import type { ReadRow, EncryptedRows } from '../../server/encrypted-rows.js';

/** Maximum number of passes. A gateway can encrypt with another secret during a pass. */
const passesMax = 3;

export interface Reencryption {
  /** Number of re-encrypted values. */
  reencrypted: number;
  /** Rows with a value that no secret decrypts, by table and key. They are not changed. */
  unopened: Set<string>;
  /** Whether the last pass changed nothing. */
  isDone: boolean;
}

export interface ReencryptionWatcher {
  /** Called after each page with the checked rows, all rows, and the re-encrypted values. */
  onProgress?: (looked: number, ofAll: number, reencrypted: number) => void;
  interrupted?: AbortSignal | undefined;
}

/**
 * Re-encrypts values that are not encrypted with the first secret, or not bound to their row. It is safe to run again.
 */
export async function reencryptSecrets(
  db: Database,
  encryption: Encryption,
  watcher: ReencryptionWatcher = {},
): Promise<Reencryption> {
  const outcome: Reencryption = { reencrypted: 0, unopened: new Set(), isDone: false };
  for (let pass = 1; pass <= passesMax && !outcome.isDone; pass++) {
    const before = outcome.reencrypted;
    await reencryptPass(db, encryption, outcome, watcher);
    if (watcher.interrupted?.aborted === true) return outcome;
    outcome.isDone = outcome.reencrypted === before;
  }
  return outcome;
}

async function reencryptPass(
  db: Database,
  encryption: Encryption,
  outcome: Reencryption,
  watcher: ReencryptionWatcher,
): Promise<void> {
  const ofAll = await countRows(db);
  let looked = 0;
  for (const rows of allEncryptedRows) {
    let after: string[] | undefined;
    do {
      const page = await readRows(db, rows, after);
      for (const row of page) await reencryptRow(db, encryption, rows, row, outcome);
      looked += page.length;
      after = page.at(-1)?.key;
      watcher.onProgress?.(looked, ofAll, outcome.reencrypted);
      if (watcher.interrupted?.aborted === true) return;
    } while (after !== undefined);
  }
}

async function countRows(db: Database): Promise<number> {
  const counts = allEncryptedRows.map(({ table }) => Prisma.sql`(SELECT count(*) FROM ${Prisma.raw(`"${table}"`)})`);
  return Number(await db.$text(Prisma.sql`SELECT (${Prisma.join(counts, ' + ')})::text`));
}

async function reencryptRow(
  db: Database,
  encryption: Encryption,
  rows: EncryptedRows,
  row: ReadRow,
  outcome: Reencryption,
): Promise<void> {
  let read: ReadRow | undefined = row;
  while (read !== undefined) {
    const { texts } = read;
    const next = reencrypted(encryption, rows, read, outcome);
    if (next.changed === 0) return;
    if (await writeRow(db, rows, read, next.texts)) {
      outcome.reencrypted += next.changed;
      return;
    }
    // The row was changed or deleted since it was read.
    [read] = await readRows(db, rows, undefined, row.key);
    if (read !== undefined && read.texts.every((text, index) => text === texts[index])) {
      throw new Error(`a row of ${rows.table} cannot be written`);
    }
  }
}

function reencrypted(
  encryption: Encryption,
  rows: EncryptedRows,
  read: ReadRow,
  outcome: Reencryption,
): { texts: (string | null)[]; changed: number } {
  const owner = rows.ownerOf(read);
  if (owner === undefined) return { texts: read.texts, changed: 0 };
  const ofRow = encryption.ofRow(owner.table, owner.key);
  let changed = 0;
  const translate: TranslateSecret = (purpose, encryptedText) => {
    const content = ofRow.open(purpose, encryptedText);
    if (content === undefined) outcome.unopened.add(`${rows.table} ${read.key.join(' ')}`);
    if (content === undefined || ofRow.isCurrent(purpose, encryptedText)) return encryptedText;
    changed++;
    return ofRow.encrypt(purpose, content);
  };
  const texts = translatedTexts(rows, read, translate);
  return { texts, changed };
}

/** @returns false if the row was changed since it was read. */
async function writeRow(db: Database, rows: EncryptedRows, read: ReadRow, texts: (string | null)[]): Promise<boolean> {
  const changes = rows.columns.flatMap((each, index) => {
    const text = texts[index] ?? null;
    return text === null || text === read.texts[index]
      ? []
      : [Prisma.sql`${Prisma.raw(`"${each.name}"`)} = ${each.write(text)}`];
  });
  const same = rows.columns.map(
    (each, index) =>
      Prisma.sql`${each.read(qualifiedColumn(each.name))} IS NOT DISTINCT FROM ${read.texts[index] ?? null}::text`,
  );
  const written = await db.$executeRaw(Prisma.sql`
    UPDATE ${Prisma.raw(`"${rows.table}"`)} AS r SET ${Prisma.join(changes)}
    WHERE (${keyColumns(rows)}) = (${keyValues(rows, read.key)}) AND ${Prisma.join(same, ' AND ')}`);
  return written === 1;
}
