// Two clones give the same package, byte for byte, wherever they are and whenever they are built.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'clones-'));

afterAll(() => rmSync(folder, { recursive: true }));

function run(command: string, words: string[], cwd: string): string {
  const { PATH = '', HOME = '' } = process.env;
  const { status, stdout, stderr } = spawnSync(command, words, {
    cwd,
    env: { PATH, HOME },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** Copies the files of this repository with its installed packages. What a build has made stays behind. */
function cloneTo(clone: string): void {
  const files = run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], root).split('\0');
  for (const file of files.filter((name) => name !== '' && existsSync(join(root, name))))
    cpSync(join(root, file), join(clone, file));
  run('cp', ['--archive', join(root, 'node_modules'), clone], root);
  run(process.execPath, ['node_modules/prisma/build/index.js', 'generate'], clone);
}

/** The SHA-256 of each file of a folder. */
function digestsOf(path: string): Record<string, string> {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ name, parentPath }) => {
      const file = join(parentPath, name);
      return [file.slice(path.length), createHash('sha256').update(readFileSync(file)).digest('hex')];
    }),
  );
}

it('two clones give the same package', { timeout: 900_000 }, () => {
  const packages = ['clone', 'another-clone-elsewhere'].map((name) => {
    const clone = join(folder, name);
    cloneTo(clone);
    const target = join(folder, `${name}-package`);
    mkdirSync(target);
    run(process.execPath, ['build/package.js', target], clone);
    rmSync(clone, { recursive: true });
    const [file = ''] = readdirSync(target);
    const bytes = readFileSync(join(target, file));
    run('tar', ['--extract', '--gzip', '--file', file], target);
    const files = digestsOf(join(target, 'package'));
    rmSync(target, { recursive: true });
    return { files, digest: createHash('sha256').update(bytes).digest('hex') };
  });
  const [one, other] = packages;
  expect(Object.keys(one?.files ?? {}).length).toBeGreaterThan(100);
  expect(one?.files).toEqual(other?.files);
  expect(one?.digest).toBe(other?.digest);
});
