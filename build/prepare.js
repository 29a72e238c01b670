// What `npm ci` ends with: the database's client, and everything compiled, so that no start compiles again. Where only
// what production needs is installed there is nothing to do it with: it was done before, and came along as dist/.
import { existsSync } from 'node:fs';
import { generateClient } from '../prisma/generate.js';
import { compile } from './compile.js';
import { fileURLToPath } from 'node:url';
import { trimPackages } from './trim.js';

const generator = new URL('../node_modules/@prisma/client-generator-ts', import.meta.url);

if (existsSync(generator)) {
  // The console needs no client: both are made at the same time.
  const codes = await Promise.all([
    compile({ withProgram: false, withConsole: true }),
    generateClient().then(() => compile({})),
  ]);
  process.exitCode = codes.find((code) => code !== 0) ?? 0;
} else {
  trimPackages(fileURLToPath(new URL('../node_modules', import.meta.url)));
}
