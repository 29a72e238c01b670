// What the compiler leaves behind: files that the program reads as they are. They are carried to where it looks for them.
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Folders, as they stand in src/ and in dist/. */
const folders = ['demo/platform', 'api/graphiql/queries', 'api/mcp/documents'];

export function carryFiles() {
  for (const folder of folders) {
    // What is no longer there must not be read.
    rmSync(`${root}dist/${folder}`, { recursive: true, force: true });
    cpSync(`${root}src/${folder}`, `${root}dist/${folder}`, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) carryFiles();
