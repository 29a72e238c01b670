// Encrypted values can be re-encrypted with another secret during reads and writes and after interruptions, and a value
// copied into another row cannot be decrypted.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../src/cli/run.js';
import type { Database } from '../../../src/database/open.js';
import { reencryptSecrets } from '../../../src/cli/operator/reencrypt-secrets.js';
import { requireSecrets, tokenSettings } from '../../../src/server/create-services.js';
import { createEncryption, encryptedTables } from '../../../src/encryption.js';
import { createToken, freshDatabase, graphql, rest, startOn, withDatabase } from '../../harness.js';
import type { RunningApp, TestApp } from '../../harness.js';
import { programWords } from '../../program-flags.js';
import { anExecutor } from '../../lifecycle/executor.js';
import { mutate } from '../../resources/mutations.js';
import {
  callbackSecretOf,
  createEncryptedFixture,
  encryptedValues,
  unbindAll,
  workspace,
} from './encrypted-fixture.js';
import type { EncryptedFixture } from './encrypted-fixture.js';

const older = 'the older secret of this test that is long enough';
const newer = 'the newer secret of this test that is long enough';

const contents = [
  'of the agent',
  'https://example.com/of-the-callback',
  'of the sandbox',
  'of the request',
  'of the response',
  'of the job',
  'of the job before',
  'of the execution',
  'https://example.com/of-the-webhook',
];

let database: Awaited<ReturnType<typeof freshDatabase>>;
let ground: EncryptedFixture;
let running: RunningApp | undefined;

const settings = (...secrets: string[]) => ({ ...database.settings, SERVICE_SECRETS: secrets.join(',') });

/** The gateway as it runs from now on. */
async function restartWith(...secrets: string[]): Promise<TestApp> {
  await running?.stop();
  running = undefined;
  running = await startOn(settings(...secrets));
  return running.app;
}

beforeEach(async () => {
  database = await freshDatabase();
  await withDatabase(settings(older), async (app) => {
    ground = await createEncryptedFixture(app);
    await unbindAll(app.services.db, app.services.encryption);
  });
});

afterEach(async () => {
  await running?.stop();
  running = undefined;
  await database.remove();
});

/** Fails like a killed process instead of its next write after some. */
function failingAfter(db: Database, writes: number): Database {
  let left = writes;
  return new Proxy(db, {
    get: (target, name, receiver) => {
      const value: unknown = Reflect.get(target, name, receiver);
      if (name !== '$executeRaw' || typeof value !== 'function') return value;
      return (sql: unknown) => {
        if (left-- <= 0) throw new Error('killed');
        return Reflect.apply(value, target, [sql]);
      };
    },
  });
}

async function reencrypt({ services, config }: TestApp) {
  return runCommandLine({ ...services, tokens: tokenSettings(config), folder: '.' }, ['secrets', 'reencrypt']);
}

/** The values that a gateway with only the newer secret can decrypt. */
async function expectAllUnder(secret: string): Promise<void> {
  const app = await restartWith(secret);
  const values = await encryptedValues(app.services.db, app.services.encryption);
  expect(values.filter(({ content, isCurrent }) => content === undefined || !isCurrent)).toEqual([]);
  expect(values.map(({ content }) => content)).toEqual(expect.arrayContaining(contents));
  expect(await callbackSecretOf(app, ground.key)).toBe(ground.callbackSecret);
  const { replay, key, tenant } = ground;
  const again = await graphql(app, key, replay.query, {}, { 'idempotency-key': replay.idempotencyKey });
  expect(JSON.stringify(again.body.data)).toBe(replay.answer);
  const { token } = await createToken(app, tenant, 'admin');
  expect((await rest(app, '/agents', { key: token, headers: { 'x-service-workspace': workspace } })).status).toBe(200);
}

describe('secrets reencrypt', () => {
  it(
    're-encrypts the values of every table with the first secret, bound to their rows',
    { timeout: 120_000 },
    async () => {
      const app = await restartWith(newer, older);
      const before = await encryptedValues(app.services.db, app.services.encryption);
      // The fixture must contain one of each, or the test proves nothing.
      expect(new Set(before.map(({ table }) => table))).toEqual(new Set([...encryptedTables, 'assignment']));
      expect(before.every(({ content, isCurrent }) => content !== undefined && !isCurrent)).toBe(true);
      expect(await callbackSecretOf(app, ground.key)).toBe(ground.callbackSecret);
      const state = await app.services.db.job.findFirstOrThrow();
      const changes = await app.services.db.change.count();
      expect(await reencrypt(app)).toEqual({
        stdout: `Re-encrypted ${before.length} values. Everything is encrypted with the first of SERVICE_SECRETS.\n`,
        stderr: '',
        exitCode: 0,
      });
      expect(await reencrypt(app)).toMatchObject({
        stdout: expect.stringContaining('Re-encrypted 0 values'),
        exitCode: 0,
      });
      // Nothing changed: no version, no time, no record.
      const after = await app.services.db.job.findFirstOrThrow();
      expect({ ...after, spec: undefined }).toEqual({ ...state, spec: undefined });
      expect(await app.services.db.change.count()).toBe(changes);
      await expectAllUnder(newer);
    },
  );

  it('continues after it was killed', { timeout: 240_000 }, async () => {
    const run = async (statements: number) => {
      const child = spawn(process.execPath, [...programWords('cli/operator/killed-reencryption'), String(statements)], {
        env: { ...process.env, ...settings(newer, older), LOG_LEVEL: 'silent' },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const [code]: (number | null)[] = await once(child, 'close');
      return code;
    };
    const left = () =>
      withDatabase(settings(newer, older), async ({ services: { db, encryption } }) => {
        const values = await encryptedValues(db, encryption);
        expect(values.filter(({ content }) => content === undefined)).toEqual([]);
        return values.filter(({ isCurrent }) => !isCurrent).length;
      });
    const before = await left();
    expect(await run(6)).toBe(null);
    const first = await left();
    expect(first).toBeLessThan(before);
    expect(first).toBeGreaterThan(0);
    expect(await run(9)).toBe(null);
    expect(await left()).toBeLessThan(first);
    expect(await run(Number.MAX_SAFE_INTEGER)).toBe(0);
    expect(await left()).toBe(0);
    await expectAllUnder(newer);
  });

  it('overwrites no value that a gateway writes meanwhile', async () => {
    const app = await restartWith(newer, older);
    const { services } = app;
    const write = async (value: string) => {
      const spec = { runtime: { envs: [{ name: 'TOKEN', value, secret: true }] } };
      const { agent } = await mutate(app, ground.key, 'updateAgent', 'agent { version }', {
        workspace,
        name: 'agent',
        spec,
      });
      expect(agent.version).toBeGreaterThan(1);
    };
    // A concurrent change between the read and the write of a row.
    let raced = 0;
    const db = new Proxy(services.db, {
      get: (target, name, receiver) => {
        const value: unknown = Reflect.get(target, name, receiver);
        if (name !== '$executeRaw' || typeof value !== 'function') return value;
        return async (sql: { sql: string }) => {
          if (sql.sql.includes('"agent"') && raced++ === 0) await write('written meanwhile');
          return Reflect.apply(value, target, [sql]);
        };
      },
    });
    const outcome = await reencryptSecrets(db satisfies Database, services.encryption);
    expect(raced).toBeGreaterThan(1);
    expect(outcome).toMatchObject({ isDone: true, unopened: new Set() });
    const found = (await encryptedValues(services.db, services.encryption)).map(({ content }) => content);
    expect(found).toContain('written meanwhile');
    expect(found).not.toContain('of the agent');
    // And while many are written, which an unbroken run would find no end of.
    const stop = new AbortController();
    const writing = (async () => {
      for (let count = 0; !stop.signal.aborted; count++) await write(`value ${count}`);
    })();
    await unbindAll(services.db, createEncryption([older, newer]));
    const last = await reencryptSecrets(services.db, services.encryption).finally(() => stop.abort());
    await writing;
    expect(last.unopened).toEqual(new Set());
    const values = await encryptedValues(services.db, services.encryption);
    expect(values.filter(({ content, isCurrent }) => content === undefined || !isCurrent)).toEqual([]);
  });

  it('runs in two processes at once', async () => {
    const app = await restartWith(newer, older);
    const { db, encryption } = app.services;
    const outcomes = await Promise.all([1, 2].map(() => reencryptSecrets(db, encryption)));
    expect(outcomes.map(({ isDone, unopened }) => ({ isDone, unopened }))).toEqual([
      { isDone: true, unopened: new Set() },
      { isDone: true, unopened: new Set() },
    ]);
    await expectAllUnder(newer);
  });

  it(
    'reports values that no secret decrypts, keeps them, and stops on interruption',
    { timeout: 120_000 },
    async () => {
      const app = await restartWith(newer, older);
      const { services } = app;
      const { id } = await services.db.webhook.findFirstOrThrow();
      await services.db.webhook.updateMany({
        data: { secret: createEncryption(['a secret that nobody has any more by now']).encrypt('webhook secret', 'x') },
      });
      const { stderr, stdout, exitCode } = await reencrypt(app);
      expect(stderr).toBe(`webhook ${id}: none of SERVICE_SECRETS decrypts it. It was not changed.\n`);
      expect({ exitCode, stdout }).toEqual({
        exitCode: 1,
        stdout: expect.stringMatching(/^Re-encrypted \d+ values\.\n$/),
      });
      await unbindAll(services.db, createEncryption([older, newer]));
      const interrupted = AbortSignal.abort();
      const admin = { ...services, tokens: tokenSettings(app.config), folder: '.', interrupted };
      const stopped = await runCommandLine(admin, ['secrets', 'reencrypt']);
      expect(stopped.stderr).toContain('Interrupted. Run the command again to continue');
      expect(stopped.exitCode).toBe(1);
    },
  );

  it('does not report completion while a gateway encrypts with another secret', async () => {
    const app = await restartWith(newer, older);
    const { db, encryption } = app.services;
    const old = createEncryption([older, newer]);
    let passes = 0;
    const outcome = await reencryptSecrets(db, encryption, {
      onProgress: () => void passes++,
    });
    expect(outcome.isDone).toBe(true);
    const stubborn = new Proxy(db, {
      get: (target, name, receiver) => {
        const value: unknown = Reflect.get(target, name, receiver);
        if (name !== '$text' || typeof value !== 'function') return value;
        return async (sql: { sql: string }) => {
          if (sql.sql.includes('count(*)')) await unbindAll(db, old);
          return Reflect.apply(value, target, [sql]);
        };
      },
    });
    expect((await reencryptSecrets(stubborn, encryption)).isDone).toBe(false);
    expect(passes).toBeGreaterThan(0);
  });
});

describe('A start with other secrets', () => {
  it(
    'is rejected until everything is re-encrypted, wherever the command was killed',
    { timeout: 240_000 },
    async () => {
      const { db, encryption } = (await restartWith(newer, older)).services;
      const onlyNewer = createEncryption([newer]);
      const states: { left: number; starts: boolean }[] = [];
      let isDone = false;
      for (let writes = 0; !isDone; writes++) {
        await unbindAll(db, createEncryption([older, newer]));
        isDone = await reencryptSecrets(failingAfter(db, writes), encryption).then(
          () => true,
          () => false,
        );
        const values = await encryptedValues(db, onlyNewer);
        const starts = await requireSecrets(db, onlyNewer, new Date()).then(
          () => true,
          () => false,
        );
        states.push({ left: values.filter(({ content }) => content === undefined).length, starts });
      }
      expect(states.length).toBeGreaterThan(encryptedTables.length);
      expect(states.filter(({ left, starts }) => starts === left > 0)).toEqual([]);
    },
  );

  it('is rejected before anything is created, also without a signing key', async () => {
    const { db } = (await restartWith(older)).services;
    await db.signingKey.deleteMany();
    await requireSecrets(db, createEncryption([newer, older]), new Date());
    for (const table of [...encryptedTables, 'assignment']) {
      await expect(requireSecrets(db, createEncryption([newer]), new Date())).rejects.toThrow(
        /^SERVICE_SECRETS: none of/,
      );
      if (table === 'job' || table === 'webhook') continue;
      await db.$executeRawUnsafe(`DELETE FROM "${table}"`);
    }
    expect(await db.signingKey.count()).toBe(0);
  });
});

describe('An encrypted value in another row', () => {
  it('cannot be decrypted', async () => {
    const app = await restartWith(newer, older);
    const { db } = app.services;
    await reencrypt(app);
    const spec = { triggers: [{ id: 'hook', type: 'HTTP_ASYNC', configuration: { path: '/hook' } }] };
    await mutate(app, ground.key, 'createAgent', 'agent { id }', { workspace, metadata: { name: 'thief' }, spec });
    await mutate(app, ground.key, 'createJob', 'job { id }', { workspace, metadata: { name: 'thief' } });
    await db.$executeRaw`UPDATE "agent" SET "spec" = (SELECT "spec" FROM "agent" WHERE "name" = 'agent') WHERE "name" = 'thief'`;
    await db.$executeRaw`UPDATE "job" SET "spec" = (SELECT "spec" FROM "agent" WHERE "name" = 'agent') WHERE "name" = 'thief'`;
    expect(await callbackSecretOf(app, ground.key, 'agent')).toBe(ground.callbackSecret);
    expect(await callbackSecretOf(app, ground.key, 'thief')).toBe('***');
    const executor = await anExecutor(app, 'second', { kinds: ['AGENT', 'JOB'] });
    for (const [mutation, name] of [
      ['updateAgent', 'agent'],
      ['updateAgent', 'thief'],
      ['updateJob', 'thief'],
    ] as const) {
      await mutate(app, ground.key, mutation, '__typename', {
        workspace,
        name,
        metadata: { displayName: 'Again' },
        spec: { enabled: false },
      });
      await mutate(app, ground.key, mutation, '__typename', { workspace, name, spec: { enabled: true } });
    }
    const { assignments } = await executor.claim();
    const told = assignments.map(
      ({
        kind,
        desired,
      }: {
        kind: string;
        desired: { metadata: { name: string }; spec: { runtime: { envs: { value?: string }[] } } };
      }) => [`${kind} ${desired.metadata.name}`, desired.spec.runtime.envs[0]?.value],
    );
    expect(Object.fromEntries(told)).toEqual({
      'AGENT agent': 'of the agent',
      'AGENT thief': undefined,
      'JOB thief': undefined,
      'JOB job': 'of the job',
    });
    // The command does not bind the value to the row that it was moved to.
    expect((await reencrypt(app)).stderr).toMatch(/^agent \S+: none of SERVICE_SECRETS decrypts .*\njob \S+: none /);
  });
});
