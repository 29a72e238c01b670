// The package works in an empty folder; a missing file would be missing for every user.
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { version } from '../src/server/version.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'installed-'));
const clones = mkdtempSync(join(tmpdir(), 'clones-'));
const installed = join(folder, 'node_modules/workload-control-plane');
const program = join(folder, 'node_modules/.bin/control-plane');
const { PATH = '', HOME = '' } = process.env;

/** The environment of a new user, without test settings. */
const environment = { PATH, HOME, DATA_DIR: join(folder, 'data'), PORT: '0', SHUTDOWN_DELAY_MS: '0' };

function run(command: string, words: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, words, {
    cwd,
    env: environment,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

const started: ChildProcess[] = [];

/** Starts a program and waits for a line of its output. */
async function startUntil(line: RegExp, words: string[]): Promise<{ child: ChildProcess; found: string[] }> {
  const child = spawn(program, words, { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  let output = '';
  for await (const chunk of child.stdout) {
    output += String(chunk);
    const found = line.exec(output);
    if (found !== null) return { child, found: [...found] };
  }
  throw new Error(`${words.join(' ')} ended: ${output}`);
}

async function stop(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null) return child.exitCode;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  return (await exit)[0];
}

/** Copies the files of this repository with its installed packages. What a build has made stays behind. */
function cloneTo(clone: string): void {
  const files = run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], root).split('\0');
  for (const file of files.filter((name) => name !== '' && existsSync(join(root, name))))
    cpSync(join(root, file), join(clone, file));
  // Hard links take no time. Another disk can have none.
  const copied = ['--archive', join(root, 'node_modules'), clone];
  if (spawnSync('cp', ['--link', ...copied]).status !== 0) run('cp', copied, root);
  run(process.execPath, ['node_modules/prisma/build/index.js', 'generate'], clone);
}

/** Builds the package in a folder from a new clone. @param leftOver a file in the clone that an earlier build has made. */
function packageFrom(clone: string, target: string, leftOver?: string): void {
  cloneTo(clone);
  if (leftOver !== undefined) {
    mkdirSync(dirname(join(clone, leftOver)), { recursive: true });
    writeFileSync(join(clone, leftOver), '');
  }
  mkdirSync(target, { recursive: true });
  run(process.execPath, ['build/package.js', target], clone);
  rmSync(clone, { recursive: true });
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

const packageName = `workload-control-plane-${version}.tgz`;

beforeAll(() => {
  packageFrom(join(clones, 'clone'), folder);
  run('npm', ['install', '--no-audit', '--no-fund', `./${packageName}`], folder);
}, 600_000);

// A failed test leaves its program running, which has the database locked.
afterEach(async () => {
  await Promise.all(started.splice(0).map(stop));
});

afterAll(() => {
  for (const each of [folder, clones]) rmSync(each, { recursive: true });
});

describe('The package', () => {
  it(
    'is the same, byte for byte, from another clone at another time, also after earlier builds',
    { timeout: 600_000 },
    () => {
      const target = join(clones, 'package');
      packageFrom(join(clones, 'another-clone-elsewhere'), target, 'dist/server/left-over.js');
      const [one, other] = [folder, target].map((place) => {
        const unpacked = mkdtempSync(join(clones, 'unpacked-'));
        run('tar', ['--extract', '--gzip', '--file', join(place, packageName), '--directory', unpacked], place);
        const digest = createHash('sha256').update(readFileSync(join(place, packageName)));
        return { files: digestsOf(unpacked), digest: digest.digest('hex') };
      });
      expect(Object.keys(one?.files ?? {}).length).toBeGreaterThan(100);
      expect(one).toEqual(other);
    },
  );
});

describe('The installed package', () => {
  it('contains the console, the schema and the OpenAPI documents, and nothing to compile', () => {
    expect(readFileSync(join(installed, 'dist/console/web/index.html'), 'utf8')).toContain('<script');
    expect(readFileSync(join(installed, 'schema.graphql'), 'utf8')).toContain('type Query');
    const document = z.object({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) });
    for (const name of ['2026-04-27', '2026-04-28']) {
      const text = readFileSync(join(installed, 'openapi', `${name}.json`), 'utf8');
      expect(Object.keys(document.parse(JSON.parse(text)).paths)).toContain('/agents');
    }
    for (const name of ['docs/operations.md', 'docs/deploy/workload-control-plane.service', 'docs/deploy/compose.yaml'])
      expect(readFileSync(join(installed, name), 'utf8')).toBe(readFileSync(join(root, name), 'utf8'));
    for (const name of ['docs/deploy/kubernetes', 'docs/monitoring', 'examples'])
      expect(readdirSync(join(installed, name))).toEqual(readdirSync(join(root, name)));
    const file = z.looseObject({ version: z.literal(version) });
    const fields = Object.keys(file.parse(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))));
    expect(fields).not.toEqual(expect.arrayContaining(['scripts']));
    expect(fields).not.toEqual(expect.arrayContaining(['devDependencies']));
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      '@node-rs',
      'workload-control-plane',
    ]);
  });

  it('has a migrated database, so that a first start applies no migration', () => {
    expect(run(program, ['migrate'], folder)).toContain('The database is up to date.');
    expect(run(program, ['migrate', '--check'], folder)).toContain('The database is up to date.');
  });

  it('is one program with one help', () => {
    const help = run(program, ['--help'], folder);
    for (const name of ['serve', 'demo', 'migrate', 'apply', 'get', 'login', 'accounts create']) {
      expect(help).toContain(`  ${name}`);
    }
  });

  it('runs the demo with console and API', { timeout: 240_000 }, async () => {
    const { child, found } = await startUntil(/REST +(http:\S+)\/v0\n *API key +(\S+)/, ['demo']);
    const [, origin = '', key = ''] = found;
    expect((await fetch(`${origin}/`, { headers: { accept: 'text/html' } })).status).toBe(200);
    const headers = { authorization: `Bearer ${key}`, 'x-service-workspace': 'meridian-production' };
    const agents = await fetch(`${origin}/v0/agents?limit=1`, { headers });
    expect(agents.status).toBe(200);
    expect(run(program, ['accounts', 'list'], folder)).toContain('meridian');
    expect(await stop(child)).toBe(0);
  });

  it('serves, and the health check of the image succeeds', async () => {
    const { child, found } = await startUntil(/"origin":"[^"]+:(\d+)"/, ['serve']);
    const check = /HEALTHCHECK[^[]*(\[.*\])/.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'));
    const [, ...words] = z.array(z.string()).parse(JSON.parse(check?.[1] ?? ''));
    const health = (port = '') => spawnSync(process.execPath, words, { env: { PATH, PORT: port } }).status;
    expect(health(found[1])).toBe(0);
    expect(health('9')).toBe(1);
    expect(await stop(child)).toBe(0);
  });
});
