// What `npm ci` ends with: the database's client, and everything compiled, so that no start compiles again. Where only
// what production needs is installed there is nothing to do it with: it was done before, and came along as dist/.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { compile } from './compile.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const prisma = `${root}node_modules/prisma/build/index.js`;
const compiler = `${root}node_modules/typescript/bin/tsc`;

if (existsSync(prisma) && existsSync(compiler)) {
  // The console needs no client: both are made at the same time.
  const codes = await Promise.all([
    compile({ withProgram: false, withConsole: true }),
    generateClient().then((code) => (code === 0 ? compile({}) : code)),
  ]);
  process.exitCode = codes.find((code) => code !== 0) ?? 0;
}

/** @returns {Promise<number>} 0, or the exit code of `prisma generate`, whose output is printed if it failed. */
async function generateClient() {
  const child = spawn(process.execPath, [prisma, 'generate'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, problems, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  if (code !== 0) process.stderr.write(output + problems);
  return code ?? 1;
}
