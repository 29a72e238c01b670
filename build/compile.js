// Makes what a start runs, when something that it is made from has changed since the last time. A start then costs no
// compiler, and an engineer's change is never forgotten. Types are not checked here: `npm run types` checks them.
//
//   node build/compile.js                the program
//   node build/compile.js with-console   the program, and the console's pages
//   node build/compile.js console        the console's pages alone
//   node build/compile.js with-tests     the program, and the programs that tests start
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { carryFiles } from './carry.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = join('src', 'console', 'web');

const program = {
  tool: 'node_modules/typescript/bin/tsc',
  words: ['-p', 'tsconfig.build.json', '--noCheck'],
  folder: 'src',
  isSource: (path) => !path.startsWith(pages),
  stamp: 'dist/.compiled',
  finish: carryFiles,
};

const consolePages = {
  tool: 'node_modules/vite/bin/vite.js',
  words: ['build', '--config', 'src/console/web/vite.config.ts', '--logLevel', 'warn'],
  folder: 'src',
  // The clocks of time zones are read there as the service reads them.
  isSource: (path) => path.startsWith(pages) || path === join('src', 'metering', 'time-zone.ts'),
  stamp: 'dist/console/.built',
};

const testPrograms = {
  tool: 'node_modules/typescript/bin/tsc',
  words: ['-p', 'test/tsconfig.programs.json', '--noCheck'],
  folder: 'test',
  isSource: (path) => !path.startsWith(join('test', 'clients')),
  stamp: 'dist/test-programs/.compiled',
  // What they import of src/ is what is started in production.
  finish: () => {
    const link = join(root, 'dist/test-programs/src');
    if (!existsSync(link)) symlinkSync('..', link);
  },
};

/** Does at the same time what is to be done. @returns {Promise<number>} 0, or the exit code of what failed. */
export async function compile({ withProgram = true, withConsole = false, withTests = false }) {
  const targets = [
    ...(withProgram ? [program] : []),
    ...(withConsole ? [consolePages] : []),
    ...(withTests ? [testPrograms] : []),
  ];
  const codes = await Promise.all(targets.filter(isStale).map(make));
  return codes.find((code) => code !== 0) ?? 0;
}

/** Where only what production needs is installed there is nothing to make it with: it came along. */
function isStale({ tool, folder, isSource, stamp }) {
  if (timeOf(tool) === 0) return false;
  const sources = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => isSource(path) && !path.endsWith('.d.ts'));
  const files = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'schema.graphql', ...sources];
  return Math.max(...files.map(timeOf)) > timeOf(stamp);
}

async function make({ tool, words, stamp, finish }) {
  const startedAt = new Date();
  const [code] = await once(
    spawn(process.execPath, [join(root, tool), ...words], { cwd: root, stdio: 'inherit' }),
    'exit',
  );
  if (code !== 0) return code ?? 1;
  finish?.();
  // What is changed while it is made is newer than this.
  writeFileSync(join(root, stamp), '');
  utimesSync(join(root, stamp), startedAt, startedAt);
  return 0;
}

/** When a file or folder was changed, or 0 when it is not there. */
function timeOf(path) {
  return statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const withProgram = !process.argv.includes('console');
  const withConsole = !withProgram || process.argv.includes('with-console');
  process.exitCode = await compile({ withProgram, withConsole, withTests: process.argv.includes('with-tests') });
}
