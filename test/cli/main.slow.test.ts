// The command line in separate processes, with and without a gateway.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runCommandLine } from '../../src/cli/run.js';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/database/open.js';
import { createLog, createProcessServices } from '../../src/server/create-services.js';
import { onServer } from '../global-setup.js';
import { isCluster, isEmbedded } from '../database-kind.js';
import { freshDatabase } from '../harness.js';
import { briefDatabaseFlags } from '../program-flags.js';
import { usageEvent } from '../metering/usage-samples.js';

const gateways: ChildProcess[] = [];
const databases: { remove: () => Promise<void> }[] = [];

afterEach(async () => {
  for (const gateway of gateways.splice(0)) await end(gateway, 'SIGKILL');
  for (const { remove } of databases.splice(0)) await remove();
});

async function end(gateway: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (gateway.exitCode !== null || gateway.signalCode !== null) return;
  const exit = once(gateway, 'exit');
  gateway.kill(signal);
  await exit;
}

async function database(): Promise<Record<string, string>> {
  const { settings, remove } = await freshDatabase();
  databases.push({ remove });
  return settings;
}

/** A database without a table: a folder that is not there yet, or one of the server's. */
async function emptyDatabase(): Promise<Record<string, string>> {
  const settings = await database();
  const { DATABASE_URL: url, DATA_DIR: folder } = settings;
  if (url === undefined) return { DATA_DIR: join(folder ?? '', 'fresh') };
  await onServer(url, 'DROP SCHEMA public CASCADE');
  await onServer(url, 'CREATE SCHEMA public');
  return settings;
}

function start(program: string, argv: string[], environment: Record<string, string>) {
  const { PATH = '' } = process.env;
  return spawn(process.execPath, [...briefDatabaseFlags, program, ...argv], {
    env: { PATH, PORT: '0', PUBLIC_URL: 'http://localhost:4000', SHUTDOWN_DELAY_MS: '0', ...environment },
    stdio: 'pipe',
  });
}

/** Runs one command to its end. */
async function admin(
  settings: Record<string, string>,
  line: string,
  standardInput = '',
): Promise<{ stdout: string; stderr: string; code: unknown }> {
  const command = start('dist/cli/main.js', line.split(' '), settings);
  command.stdin.end(standardInput);
  const [stdout, stderr, [code]] = await Promise.all([
    text(command.stdout),
    text(command.stderr),
    once(command, 'exit'),
  ]);
  return { stdout, stderr, code };
}

async function done(settings: Record<string, string>, line: string): Promise<string> {
  const { stdout, stderr, code } = await admin(settings, line);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const hasScript = existsSync('/usr/bin/script') && process.platform === 'linux';

/** Runs one command on a terminal, and types an answer to its question. */
async function onTerminal(
  settings: Record<string, string>,
  line: string,
  answer: string,
): Promise<{ output: string; code: unknown }> {
  const { PATH = '' } = process.env;
  const program = [process.execPath, ...briefDatabaseFlags, 'dist/cli/main.js', line].join(' ');
  const command = spawn('script', ['-qec', program, '/dev/null'], { env: { PATH, TERM: 'dumb', ...settings } });
  let output = '';
  command.stdout.on('data', (chunk: Buffer) => {
    const isAsking = !output.includes('[y/N]');
    output += chunk.toString();
    if (isAsking && output.includes('[y/N]')) command.stdin.write(`${answer}\r`);
  });
  const [code] = await once(command, 'exit');
  return { output, code };
}

/** Runs one command in this process, which is faster. */
async function within(settings: Record<string, string>, line: string): Promise<string> {
  const config = readConfig(settings);
  const database = await openDatabase(config);
  const services = createProcessServices(config, database, () => new Date(), createLog('silent'));
  const { stdout, exitCode } = await runCommandLine({ ...services, folder: '/' }, line.split(' '));
  await database.close();
  expect(exitCode).toBe(0);
  return stdout;
}

/** Starts a gateway, and waits until it listens. */
async function startGateway(settings: Record<string, string>): Promise<{ gateway: ChildProcess; origin: string }> {
  const gateway = start('dist/main.js', [], settings);
  gateways.push(gateway);
  let log = '';
  for await (const chunk of gateway.stdout) {
    log += String(chunk);
    const origin = /"origin":"([^"]+)"/.exec(log)?.[1];
    if (origin !== undefined) return { gateway, origin };
  }
  throw new Error(`the gateway did not start: ${log}`);
}

async function statusWith(origin: string, key: string): Promise<number> {
  const response = await fetch(`${origin}/v0/agents`, { headers: { authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  return response.status;
}

describe('the command line', () => {
  it('shows help without a database or valid settings', async () => {
    const help = await admin({ PORT: 'eighty' }, '--help');
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('keys create');
  });

  it.each([
    [{ DATABASE_URL: 'mysql://x' }, /^DATABASE_URL: must be a postgres:.*\n$/],
    [
      { DATABASE_URL: 'postgres://u:pa55word@127.0.0.1:9/x', SERVICE_SECRETS: 'a secret that is long enough for this' },
      /^On x on 127\.0\.0\.1:9 \(DATABASE_URL\):\nThe database is not reachable\. Try again\.\n$/,
    ],
  ])('reports in one line the problem of %j', async (settings, line) => {
    const { stderr, code } = await admin(settings, 'accounts list');
    expect(stderr).toMatch(line);
    expect(code).toBe(1);
  });

  it('creates no database if the settings name none, and says where it looked', async () => {
    const folder = join(tmpdir(), `control-plane-none-${process.pid}`);
    const { stderr, stdout, code } = await admin({ DATA_DIR: folder }, 'accounts create acme');
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toContain(`No database found: DATABASE_URL is not set, and ${folder} (DATA_DIR) contains none.`);
    expect(existsSync(folder)).toBe(false);
  });

  // Citus lives in the schema of a cluster's tables, which cannot be emptied.
  it.skipIf(isCluster)(
    'lists missing migrations, and applies them on request',
    async () => {
      const settings = await emptyDatabase();
      const before = await admin(settings, 'migrate --check');
      expect(before).toMatchObject({ code: 3, stdout: expect.stringContaining('_schema is missing.\n') });
      const applied = await admin(settings, 'migrate');
      expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining('_schema was applied.\n') });
      const after = await admin(settings, 'migrate --check');
      expect(after).toEqual({ code: 0, stdout: 'The database is up to date.\n', stderr: '' });
      expect((await admin(settings, 'migrate --chekc')).code).toBe(2);
      expect(JSON.parse(await done(settings, 'accounts list --json'))).toEqual([]);
    },
    60_000,
  );

  it('stops if its secrets do not decrypt the stored values, before it encrypts anything', async () => {
    const settings = await database();
    const encryptedText = { ...settings, SERVICE_SECRETS: 'one secret that is long enough for a test' };
    expect((await admin(encryptedText, 'signing-keys rotate')).code).toBe(0);
    const mistyped = { ...settings, SERVICE_SECRETS: 'another secret that is long enough for it' };
    const { stderr, code } = await admin(mistyped, 'signing-keys rotate');
    expect(stderr).toMatch(
      /^(On .*\n)?SERVICE_SECRETS: none of the secrets decrypts the data in this database. Set the secrets that encrypted it\n$/,
    );
    expect(code).toBe(1);
    const { stdout } = await admin(encryptedText, 'signing-keys list --json');
    expect(JSON.parse(stdout)).toHaveLength(1);
  });

  it.skipIf(!hasScript)(
    'asks on a terminal before it deletes usage, with and without a running gateway',
    async () => {
      const settings = await database();
      await within(settings, 'accounts create acme');
      await within(settings, 'workspaces create main --account acme');
      const line = 'usage drop --before 2026-07';
      const declined = await onTerminal(settings, line, 'n');
      expect(declined.output).toContain('Would delete 0 events before 2026-07, from 0 months.');
      expect(declined.output).toContain('Nothing was deleted.');
      expect(declined.code).toBe(1);
      const ended = await onTerminal(settings, line, '\u0004');
      expect(ended.output).toContain('Nothing was deleted.');
      if (isEmbedded) await startGateway(settings);
      const confirmed = await onTerminal(settings, line, 'yes');
      expect(confirmed.output).toContain('Deleted 0 events before 2026-07, from 0 months.');
      expect(confirmed.code).toBe(0);
      const piped = await admin(settings, line, 'yes\n');
      expect(piped).toMatchObject({ stdout: '', code: 2 });
      expect(piped.stderr).toContain('"usage drop" requires --yes without a terminal.');
    },
    120_000,
  );

  it('imports usage from standard input, with and without a running gateway', async () => {
    const settings = await database();
    await within(settings, 'accounts create northwind');
    await within(settings, 'workspaces create main --account northwind');
    const events = Array.from({ length: 500 }, (_, n) => `${JSON.stringify(usageEvent(n))}\n`);
    const some = await admin(settings, 'usage import -', events.slice(0, 300).join(''));
    expect(some.stdout).toBe('300 accepted, 0 duplicate, 0 conflicting, 0 invalid.\n');
    await startGateway(settings);
    const all = await admin(settings, 'usage import -', events.join(''));
    expect(all).toEqual({
      stdout: '200 accepted, 300 duplicate, 0 conflicting, 0 invalid.\n',
      stderr: expect.stringMatching(/^On .* \((DATABASE_URL|DATA_DIR)\):\n$/),
      code: 0,
    });
  });

  it.skipIf(!isEmbedded)('leaves no copy of standard input behind when it is interrupted while it reads', async () => {
    const settings = await database();
    await startGateway(settings);
    const TMPDIR = mkdtempSync(join(tmpdir(), 'interrupted-'));
    const command = start('dist/cli/main.js', ['usage', 'import', '-'], { ...settings, TMPDIR });
    const exit = once(command, 'exit');
    command.stdin.write(`${JSON.stringify(usageEvent(0))}\n`);
    const copy = () => readdirSync(TMPDIR).find((name) => existsSync(join(TMPDIR, name, 'standard-input')));
    await vi.waitFor(() => expect(copy()).toBeDefined(), 30_000);
    command.kill('SIGINT');
    expect(await exit).toEqual([null, 'SIGINT']);
    expect(copy()).toBeUndefined();
    rmSync(TMPDIR, { recursive: true });
  });

  it('exports to a reader that closes early, with and without a running gateway', async () => {
    const settings = await database();
    await within(settings, 'accounts create northwind');
    await within(settings, 'workspaces create main --account northwind');
    const read = async () => {
      const command = start('dist/cli/main.js', ['audit', 'export'], settings);
      // Like "| head", which may end before the command writes.
      command.stdout.destroy();
      const [stderr, [code]] = await Promise.all([text(command.stderr), once(command, 'exit')]);
      return { stderr: stderr.replace(/^On .*:\n/, ''), code };
    };
    expect(await read()).toEqual({ stderr: '', code: 0 });
    await startGateway(settings);
    expect(await read()).toEqual({ stderr: '', code: 0 });
  });

  it.runIf(existsSync('/dev/full'))('says in one line that its output is on a full disk', async () => {
    const settings = await database();
    await within(settings, 'accounts create northwind');
    const write = async (line: string) => {
      const words = [process.execPath, ...briefDatabaseFlags, 'dist/cli/main.js', ...line.split(' ')];
      const { PATH = '' } = process.env;
      const command = spawn('sh', ['-c', 'exec "$@" > /dev/full', 'sh', ...words], { env: { PATH, ...settings } });
      const [stderr, [code]] = await Promise.all([text(command.stderr), once(command, 'exit')]);
      return { stderr: stderr.replace(/^On .*:\n/, ''), code };
    };
    const expected = { stderr: expect.stringMatching(/^The output cannot be written: ENOSPC.*\n$/), code: 1 };
    expect(await write('completion bash')).toEqual(expected);
    expect(await write('audit export')).toEqual(expected);
    await startGateway(settings);
    expect(await write('audit export')).toEqual(expected);
  });

  it('finishes a command whose standard error nobody reads', async () => {
    const settings = await database();
    const command = start('dist/cli/main.js', ['accounts', 'create', 'northwind'], settings);
    command.stderr.destroy();
    const [stdout, [code]] = await Promise.all([text(command.stdout), once(command, 'exit')]);
    expect({ stdout, code }).toEqual({ stdout: 'Created the account northwind.\n', code: 0 });
  });

  it('creates a key before the first gateway, which every gateway accepts until it is revoked', async () => {
    const settings = await database();
    await within(settings, 'accounts create acme');
    await within(settings, 'workspaces create production --account acme');
    await within(settings, 'users create ada@example.com --account acme --role admin');
    const created = await done(settings, 'keys create --owner ada@example.com --account acme --name ci --scope admin');
    const key = created.trimEnd().split('\n').at(-1) ?? '';
    const origins = [(await startGateway(settings)).origin];
    if (!isEmbedded) origins.push((await startGateway(settings)).origin);
    for (const origin of origins) expect(await statusWith(origin, key)).toBe(200);
    await done(settings, `keys revoke ${key.slice(0, 10)}`);
    for (const origin of origins) {
      await expect.poll(() => statusWith(origin, key), { timeout: 1_000, interval: 50 }).toBe(401);
    }
  });

  it.runIf(isEmbedded)(
    'connects to the gateway over a socket, and falls back to the database when the gateway was killed',
    async () => {
      const settings = await database();
      const { gateway } = await startGateway(settings);
      const socket = statSync(join(settings['DATA_DIR'] ?? '', 'admin.sock'));
      expect(socket.isSocket()).toBe(true);
      expect(socket.mode & 0o777).toBe(0o600);
      expect(await done(settings, 'accounts create acme')).toBe('Created the account acme.\n');
      await end(gateway, 'SIGKILL');
      expect(JSON.parse(await done(settings, 'accounts list --json'))).toMatchObject([{ name: 'acme' }]);
    },
    60_000,
  );

  it.runIf(isEmbedded)(
    'waits for another command that uses the folder',
    async () => {
      const settings = await database();
      await Promise.all([done(settings, 'accounts create one'), done(settings, 'accounts create two')]);
      expect(JSON.parse(await within(settings, 'accounts list --json'))).toMatchObject([
        { name: 'one' },
        { name: 'two' },
      ]);
    },
    60_000,
  );
});
