// Everything that is sealed in the database, sealed again under the first secret and bound to its row, while others read
// and write. A row is written only as it was read: whoever changes it meanwhile comes first, and it is read again.
import { Prisma } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import type { TranslateSecret } from '../../store/write/sealed-spec.js';
import type { Seal } from '../../encryption.js';
import {
  allSealedRows,
  keyColumns,
  keyValues,
  qualifiedColumn,
  readRows,
  translatedTexts,
} from '../../server/encrypted-rows.js';
import type { ReadRow, SealedRows } from '../../server/encrypted-rows.js';

/** How often all is looked through, as somebody may have sealed something with another secret meanwhile. */
const passesMax = 3;

export interface Resealing {
  /** Values that were sealed again. */
  resealed: number;
  /** Rows with a value that no secret opens, by table and key. They are left as they are. */
  unopened: Set<string>;
  /** Whether the last pass found nothing more to do. */
  isDone: boolean;
}

export interface ResealWatcher {
  /** Told how many rows are to be looked at in a pass, and then after each page how many were. */
  onProgress?: (looked: number, ofAll: number, resealed: number) => void;
  interrupted?: AbortSignal | undefined;
}

/** Seals what is not under the first secret, or not bound to its row. To be run again where it was stopped. */
export async function resealSecrets(db: Database, seal: Seal, watcher: ResealWatcher = {}): Promise<Resealing> {
  const outcome: Resealing = { resealed: 0, unopened: new Set(), isDone: false };
  for (let pass = 1; pass <= passesMax && !outcome.isDone; pass++) {
    const before = outcome.resealed;
    await passOver(db, seal, outcome, watcher);
    if (watcher.interrupted?.aborted === true) return outcome;
    outcome.isDone = outcome.resealed === before;
  }
  return outcome;
}

async function passOver(db: Database, seal: Seal, outcome: Resealing, watcher: ResealWatcher): Promise<void> {
  const ofAll = await countRows(db);
  let looked = 0;
  for (const rows of allSealedRows) {
    let after: string[] | undefined;
    do {
      const page = await readRows(db, rows, after);
      for (const row of page) await resealRow(db, seal, rows, row, outcome);
      looked += page.length;
      after = page.at(-1)?.key;
      watcher.onProgress?.(looked, ofAll, outcome.resealed);
      if (watcher.interrupted?.aborted === true) return;
    } while (after !== undefined);
  }
}

async function countRows(db: Database): Promise<number> {
  const counts = allSealedRows.map(({ table }) => Prisma.sql`(SELECT count(*) FROM ${Prisma.raw(`"${table}"`)})`);
  return Number(await db.$text(Prisma.sql`SELECT (${Prisma.join(counts, ' + ')})::text`));
}

async function resealRow(db: Database, seal: Seal, rows: SealedRows, row: ReadRow, outcome: Resealing): Promise<void> {
  let read: ReadRow | undefined = row;
  while (read !== undefined) {
    const { texts } = read;
    const next = resealed(seal, rows, read, outcome);
    if (next.changed === 0) return;
    if (await writeRow(db, rows, read, next.texts)) {
      outcome.resealed += next.changed;
      return;
    }
    // Somebody has changed it, or it is gone.
    [read] = await readRows(db, rows, undefined, row.key);
    if (read !== undefined && read.texts.every((text, index) => text === texts[index])) {
      throw new Error(`a row of ${rows.table} cannot be written`);
    }
  }
}

function resealed(
  seal: Seal,
  rows: SealedRows,
  read: ReadRow,
  outcome: Resealing,
): { texts: (string | null)[]; changed: number } {
  const owner = rows.ownerOf(read);
  if (owner === undefined) return { texts: read.texts, changed: 0 };
  const ofRow = seal.ofRow(owner.table, owner.key);
  let changed = 0;
  const translate: TranslateSecret = (purpose, sealed) => {
    const content = ofRow.open(purpose, sealed);
    if (content === undefined) outcome.unopened.add(`${rows.table} ${read.key.join(' ')}`);
    if (content === undefined || ofRow.isCurrent(purpose, sealed)) return sealed;
    changed++;
    return ofRow.seal(purpose, content);
  };
  const texts = translatedTexts(rows, read, translate);
  return { texts, changed };
}

/** @returns false when the row is no longer as it was read. */
async function writeRow(db: Database, rows: SealedRows, read: ReadRow, texts: (string | null)[]): Promise<boolean> {
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
