// A backup of an embedded database during writes, and the responses of the restored database.
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { packTar as packEntries } from 'modern-tar';
import { packTar } from 'modern-tar/fs';
import type { TarSource } from 'modern-tar/fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Admin } from '../../src/cli/command.js';
import { runRestore } from '../../src/cli/restore.js';
import { runCommandLine } from '../../src/cli/run.js';
import { askGateway, openAdminSocket } from '../../src/cli/socket.js';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/database/open.js';
import type { OpenDatabase } from '../../src/database/open.js';
import { createLog, createProcessServices } from '../../src/server/create-services.js';
import { afterRestore, lastNumbers, rowsOfTables } from '../database/table-rows.js';
import {
  addAgents,
  anAgent,
  createKey,
  createTenant,
  createToken,
  frozenNow,
  rest,
  useApp,
  withDatabase,
} from '../harness.js';

const folder = mkdtempSync(join(tmpdir(), 'backup-'));
const original = { DATA_DIR: join(folder, 'original'), PUBLIC_URL: 'http://localhost:4000' };
const backup = join(folder, 'backup.tar.gz');

/** The responses before the backup, and the number of accounts acknowledged before and after it. */
let before: { agents: unknown; key: string; token: string };
let answer: unknown;
let acknowledged = 0;
let begun = 0;

function adminOf(database: OpenDatabase): Admin {
  const config = readConfig(original);
  const services = createProcessServices(config, database, () => frozenNow, createLog('silent'));
  return { ...services, backUp: database.backUp, folder };
}

async function restore(file: string, target: string) {
  return runRestore(['restore', file], () => readConfig({ DATA_DIR: target }));
}

const version = { 'service-version': '2026-04-28' };

beforeAll(async () => {
  await withDatabase(original, async (app) => {
    const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
    const { key } = await createKey(app, tenant);
    const { token } = await createToken(app, tenant, 'admin');
    await addAgents(
      app,
      tenant.workspaces['main'],
      Array.from({ length: 30 }, (_, index) => anAgent(`agent-${index}`)),
    );
    before = { agents: (await rest(app, '/agents', { key, headers: version })).body, key, token };
    const { db } = app.services;
    const socket = join(folder, 'admin.sock');
    const listening = await openAdminSocket(socket, { ...app.services, ...adminOf(app.database) });
    const writing = new AbortController();
    const write = async () => {
      for (let n = 0; !writing.signal.aborted; n++) {
        await db.account.create({ data: { name: `during-${n}`, plan: 'free' } });
        // The engine runs in this thread, and answers without letting anything else have its turn.
        await setImmediate();
      }
      return db.account.count();
    };
    const written = write();
    while (begun < 20) {
      await setImmediate();
      begun = await db.account.count();
    }
    answer = await askGateway(socket, ['backup', backup]);
    writing.abort();
    acknowledged = await written;
    await listening.close();
  });
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('backup', () => {
  it('is written by the gateway to a single file with permissions for its owner only', () => {
    expect(answer).toEqual({
      stdout: expect.stringMatching(/^Backed up \d+\.\d MiB in \d+ files into .*backup\.tar\.gz\.\n$/),
      stderr: '',
      exitCode: 0,
    });
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.startsWith('backup'))).toEqual(['backup.tar.gz']);
    expect(readdirSync(original.DATA_DIR)).not.toContain('snapshot');
  });

  it('is copied in a private folder', async () => {
    const database = await openDatabase(readConfig(original));
    const watching = new Worker(
      `const { statSync } = require('node:fs');
       const { parentPort, workerData } = require('node:worker_threads');
       parentPort.postMessage('ready');
       let found;
       while (found === undefined) found = statSync(workerData, { throwIfNoEntry: false });
       parentPort.postMessage(found.mode & 0o777);`,
      { eval: true, workerData: join(original.DATA_DIR, 'snapshot') },
    );
    await once(watching, 'message');
    const first = once(watching, 'message');
    await runCommandLine(adminOf(database), ['backup', 'watched.tar.gz']);
    expect(await first).toEqual([0o700]);
    await database.close();
  });

  it('overwrites no file, and requires an existing folder', async () => {
    const database = await openDatabase(readConfig(original));
    const admin = adminOf(database);
    const size = statSync(backup).size;
    expect(await runCommandLine(admin, ['backup', 'backup.tar.gz'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('backup.tar.gz already exists'),
    });
    expect(statSync(backup).size).toBe(size);
    const nowhere = await runCommandLine(admin, ['backup', 'nowhere/backup.tar.gz']);
    expect(nowhere).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('backup.tar.gz cannot be written (ENOENT)'),
    });
    expect(await runCommandLine(admin, ['backup'])).toMatchObject({ exitCode: 2, stderr: '"backup" requires FILE\n' });
    expect(await runCommandLine(admin, ['backup', '--file', 'a'])).toMatchObject({ exitCode: 2 });
    writeFileSync(join(folder, 'killed.tar.gz.part'), '');
    expect(await runCommandLine(admin, ['backup', 'killed.tar.gz'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/killed\.tar\.gz\.part already exists\. .* delete it\.$/m),
    });
    // Two at a time would copy over each other.
    const two = await Promise.all(['one', 'other'].map((name) => runCommandLine(admin, ['backup', `${name}.tar.gz`])));
    expect(two.map(({ exitCode }) => exitCode).toSorted()).toEqual([0, 1]);
    await database.close();
  });
});

describe('A backup that is interrupted', () => {
  it('leaves no file and no copy, and the next one succeeds', async () => {
    const database = await openDatabase(readConfig(original));
    const before = readdirSync(folder);
    const interrupting = new AbortController();
    const admin = { ...adminOf(database), interrupted: interrupting.signal };
    const running = runCommandLine(admin, ['backup', 'interrupted.tar.gz']);
    await expect.poll(() => existsSync(join(original.DATA_DIR, 'snapshot', 'PG_VERSION')), { interval: 1 }).toBe(true);
    interrupting.abort();
    expect(await running).toEqual({ stdout: '', stderr: 'Interrupted. Nothing was written.\n', exitCode: 1 });
    expect(readdirSync(folder)).toEqual(before);
    expect(readdirSync(original.DATA_DIR)).not.toContain('snapshot');
    expect(await runCommandLine(adminOf(database), ['backup', 'interrupted.tar.gz'])).toMatchObject({ exitCode: 0 });
    await database.close();
  });
});

describe('restore', () => {
  const target = join(folder, 'restored', 'data');

  it('creates a database with everything acknowledged before the backup, and the same responses', async () => {
    expect(await restore(backup, target)).toEqual({
      stdout: `Restored the backup of ${frozenNow.toISOString()} into ${target}.\n`,
      stderr: '',
      exitCode: 0,
    });
    expect(readdirSync(target).toSorted()).toEqual(['gateway.lock', 'postgres', 'secret']);
    expect(readFileSync(join(target, 'secret'))).toEqual(readFileSync(join(original.DATA_DIR, 'secret')));
    await withDatabase({ ...original, DATA_DIR: target }, async (app) => {
      const { body } = await rest(app, '/agents', { key: before.key, headers: version });
      expect(body).toEqual(before.agents);
      // It is signed with a key that the folder's secret opens.
      expect((await rest(app, '/agents', { key: before.token, headers: version })).status).toBe(200);
      const names = (await app.services.db.account.findMany({ where: { plan: 'free' } })).map(({ name }) => name);
      expect(names.length).toBeGreaterThanOrEqual(begun - 1);
      expect(names.length).toBeLessThan(acknowledged);
      // A snapshot: sequential writes have no gap.
      expect(new Set(names)).toEqual(new Set(names.map((_, n) => `during-${n}`)));
      await app.services.db.account.create({ data: { name: 'afterwards', plan: 'free' } });
    });
  });

  it('has every row of every table, gives no number twice, and its indexes have every row', async () => {
    const into = join(folder, 'equal');
    const database = await openDatabase(readConfig(original));
    await database.db.$queryRaw`SELECT nextval('assignment_fence')::text`;
    const [rows, numbers] = [await rowsOfTables(database), await lastNumbers(database)];
    await runCommandLine(adminOf(database), ['backup', 'equal.tar.gz']);
    await database.close();
    expect(await restore(join(folder, 'equal.tar.gz'), into)).toMatchObject({ exitCode: 0 });
    const restored = await openDatabase(readConfig({ ...original, DATA_DIR: into }));
    expect(rows.length).toBeGreaterThan(70);
    expect(rows.find(({ table }) => table === 'agent')?.rows).toHaveLength(30);
    expect(await rowsOfTables(restored)).toEqual(afterRestore(rows));
    const later = await lastNumbers(restored);
    expect(later.map(({ name }) => name)).toEqual(numbers.map(({ name }) => name));
    expect(later.filter(({ last }, index) => last < (numbers[index]?.last ?? 0))).toEqual([]);
    // Executors may have been given numbers since the backup.
    expect(later.find(({ name }) => name === 'assignment_fence')?.last).toBe(1_000_000_002);
    // Fails if an index has a value twice that is unique.
    await restored.db.$executeRaw`REINDEX SCHEMA public`;
    await restored.close();
  });

  it('rejects a folder that is not empty, and leaves it unchanged', async () => {
    const held = readdirSync(target);
    const refusal = await restore(backup, target);
    expect(refusal).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^DATA_DIR: .* is not empty \(/) });
    const foreign = join(folder, 'foreign');
    mkdirSync(foreign);
    writeFileSync(join(foreign, 'notes'), '');
    expect(await restore(backup, foreign)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('(notes)') });
    expect([readdirSync(target), readdirSync(foreign)]).toEqual([held, ['notes']]);
  });

  it('rejects a file in place of the folder in one line', async () => {
    expect(await restore(backup, backup)).toEqual({
      stdout: '',
      stderr: `DATA_DIR: cannot use ${backup} as a folder: it is a file, or is in one\n`,
      exitCode: 1,
    });
  });

  it('accepts an empty folder, such as a volume', async () => {
    const empty = join(folder, 'empty');
    mkdirSync(join(empty, 'lost+found'), { recursive: true });
    expect(await restore(backup, empty)).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(empty, 'postgres', 'PG_VERSION'))).toBe(true);
  });

  it.each([
    ['unpacks', []],
    ['has moved the secret', ['secret']],
  ])(
    'is completed by the next one if it was killed while it %s; until then, no gateway starts',
    async (_when, moved) => {
      const into = mkdtempSync(join(folder, 'killed-'));
      mkdirSync(join(into, 'restoring', 'postgres'), { recursive: true });
      writeFileSync(join(into, 'restoring', 'postgres', 'PG_VERSION'), '');
      for (const name of moved) writeFileSync(join(into, name), 'a secret of another backup');
      const settings = readConfig({ ...original, DATA_DIR: into });
      await expect(openDatabase(settings)).rejects.toThrow(
        `DATA_DIR: a restore into ${into} did not finish. Run it again`,
      );
      expect(await restore(backup, into)).toMatchObject({ exitCode: 0 });
      expect(readdirSync(into).toSorted()).toEqual(['gateway.lock', 'postgres', 'secret']);
      expect(readFileSync(join(into, 'secret'))).toEqual(readFileSync(join(original.DATA_DIR, 'secret')));
      // Killed at its very end.
      mkdirSync(join(into, 'restoring'));
      expect(await restore(backup, into)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('(postgres)') });
      const database = await openDatabase(settings);
      expect(await database.db.account.count()).toBeGreaterThanOrEqual(begun);
      await database.close();
      expect(readdirSync(into)).not.toContain('restoring');
    },
  );

  async function packed(...sources: TarSource[]): Promise<Buffer> {
    return gzipSync(await text(packTar(sources)));
  }

  const content = (target: string, text = ''): TarSource => ({ type: 'content', content: text, target });
  const manifest = {
    format: 'workload-control-plane embedded 1',
    createdAt: frozenNow.toISOString(),
    files: 9,
    bytes: 9,
  };

  it.each<[string, () => Buffer | Promise<Buffer>, RegExp]>([
    ['half of one', () => readFileSync(backup).subarray(0, statSync(backup).size / 2), /is truncated/],
    ['one without its last byte', () => readFileSync(backup).subarray(0, -1), /is truncated/],
    ['nothing', () => Buffer.alloc(0), /is truncated|contains no backup\.json/],
    ['something else', () => Buffer.from('hello, world'), /is damaged or not a backup/],
    ['another archive', () => packed(content('etc/passwd')), /is not a backup: it contains etc\/passwd/],
    [
      'a way out',
      async () => gzipSync(await packEntries([{ header: { name: 'postgres/../../escaped', size: 0 }, body: '' }])),
      /is not a backup: it contains postgres\/\.\.\/\.\.\/escaped/,
    ],
    [
      'an archive without a word of itself',
      () => packed(content('secret')),
      /is not a backup: it contains no backup\.json/,
    ],
    [
      'a later kind',
      () => packed(content('backup.json', '{"format":"2"}')),
      /is a backup in a format that this version does not support/,
    ],
    [
      'one of which files are missing',
      () => packed(content('backup.json', JSON.stringify(manifest)), content('postgres/one')),
      /is incomplete: it contains 1 of 9 files/,
    ],
  ])('rejects %s, and leaves no database', async (_name, make, reason) => {
    const file = join(folder, 'wrong.tar.gz');
    const into = join(folder, 'wrong');
    writeFileSync(file, await make());
    const answer = await restore(file, into);
    expect([answer?.exitCode, answer?.stderr]).toEqual([1, expect.stringMatching(reason)]);
    expect(readdirSync(into)).toEqual(['gateway.lock']);
    expect(existsSync(join(folder, 'escaped'))).toBe(false);
    rmSync(into, { recursive: true });
  });

  it('requires one existing file, and no database server', async () => {
    expect(await restore(join(folder, 'none'), join(folder, 'none-such'))).toMatchObject({ exitCode: 1 });
    expect(existsSync(join(folder, 'none-such'))).toBe(false);
    const config = () =>
      readConfig({ DATABASE_URL: 'postgres://a/b', SERVICE_SECRETS: 'a secret that is long enough for this' });
    expect(await runRestore(['restore', backup], config)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('pg_restore'),
    });
    expect(await runRestore(['restore'], config)).toMatchObject({ exitCode: 2 });
    expect(await runRestore(['backup', 'a'], config)).toBeUndefined();
  });
});

describe('backup of a server', () => {
  const running = useApp();

  it.skipIf(process.env['TEST_DATABASE_URL'] === undefined)(
    'is left to PostgreSQL’s own tools, which the message names',
    async () => {
      const answer = await runCommandLine({ ...adminOf(running.app.database), folder }, ['backup', 'server.tar.gz']);
      expect(answer).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('pg_dump') });
    },
  );
});
