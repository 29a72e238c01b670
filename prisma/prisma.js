#!/usr/bin/env node
// `npm run prisma -- COMMAND`: `generate` is done here. Everything else is the Prisma command line's, a
// package of its own in prisma/cli that is installed at its first use: who runs the service never needs it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generateClient } from './generate.js';

const folder = fileURLToPath(new URL('cli', import.meta.url));
const program = fileURLToPath(new URL('cli/node_modules/prisma/build/index.js', import.meta.url));

const words = process.argv.slice(2);
if (words.length === 1 && words[0] === 'generate') await generateClient();
else process.exitCode = runCommandLine();

function runCommandLine() {
  if (!existsSync(program)) {
    const installed = spawnSync('npm', ['ci', '--prefix', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
    if (installed.status !== 0) return 1;
  }
  return spawnSync(process.execPath, [program, ...words], { stdio: 'inherit' }).status ?? 1;
}
