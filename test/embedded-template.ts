// The migrated embedded database that test files copy. Creating the files of a copy takes longer than opening it, so
// the template has only the necessary ones, and a worker reads them once.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { readConfig } from '../src/config.js';
import { clusterOf } from '../src/database/embedded-folder.js';
import { openDatabase } from '../src/database/open.js';

/** Creates the template. @returns its folder */
export async function makeTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'control-plane-template-'));
  const { db, close } = await openDatabase(readConfig({ DATA_DIR: folder }));
  // The earlier log is not needed: the next checkpoint begins a new file.
  await db.$queryRaw`SELECT pg_switch_wal()::text`;
  await db.$executeRaw`CHECKPOINT`;
  const [log] = await db.$queryRaw<{ name: string }[]>`SELECT redo_wal_file AS name FROM pg_control_checkpoint()`;
  const others = await db.$queryRaw<{ oid: bigint }[]>`
    SELECT oid::bigint FROM pg_database WHERE datname <> current_database()`;
  await close();
  if (log === undefined) throw new Error('the template has no checkpoint');
  const cluster = clusterOf(folder);
  rmSync(join(folder, 'gateway.lock'));
  for (const { oid } of others) rmSync(join(cluster, 'base', String(oid)), { recursive: true });
  keepLog(join(cluster, 'pg_wal'), log.name);
  return folder;
}

/** Leaves one file of the write-ahead log, and of that the pages that are written. */
function keepLog(folder: string, name: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() && entry.name !== name) rmSync(join(folder, entry.name));
  }
  const log = readFileSync(join(folder, name));
  const written = log.findLastIndex((byte) => byte !== 0) + 1;
  const page = 8192;
  truncateSync(join(folder, name), Math.ceil(written / page) * page);
}

/** Removes the template, and the copies that were used until the end of the run. */
export function removeTemplate(folder: string): void {
  for (const name of readdirSync(dirname(folder))) {
    if (name.startsWith(basename(folder))) rmSync(join(dirname(folder), name), { recursive: true });
  }
}

interface Content {
  folders: string[];
  files: { path: string; bytes: Buffer }[];
}

const contents = new Map<string, Content>();

/** Creates a folder with the content of the template. */
export function copyTemplate(template: string): string {
  const content = contents.get(template) ?? contentOf(template);
  contents.set(template, content);
  const folder = mkdtempSync(`${template}-`);
  for (const path of content.folders) mkdirSync(join(folder, path));
  for (const { path, bytes } of content.files) writeFileSync(join(folder, path), bytes);
  return folder;
}

function contentOf(folder: string): Content {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const pathOf = ({ parentPath, name }: (typeof entries)[number]) => relative(folder, join(parentPath, name));
  return {
    folders: entries.filter((entry) => entry.isDirectory()).map(pathOf),
    files: entries
      .filter((entry) => entry.isFile())
      .map((entry) => ({ path: pathOf(entry), bytes: readFileSync(join(folder, pathOf(entry))) })),
  };
}
