// The process from an operator's view: settings, the lock of its folder, and its shutdown.
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { freshDatabase } from '../harness.js';
import { briefDatabaseFlags, programWords } from '../program-flags.js';

const running: { process: ChildProcess; remove: () => Promise<void> }[] = [];

afterEach(async () => {
  for (const each of running.splice(0)) {
    if (each.process.exitCode === null && each.process.signalCode === null) {
      each.process.kill('SIGKILL');
      await once(each.process, 'exit');
    }
    await each.remove();
  }
});

const asDocumented = [process.execPath, 'dist/main.js'];
const briefly = [process.execPath, ...briefDatabaseFlags, 'dist/main.js'];

function run(environment: Record<string, string>, [command = '', ...words] = briefly): ChildProcess {
  const { PATH = '', HOME = '' } = process.env;
  return spawn(command, words, {
    env: { PATH, HOME, PORT: '0', SHUTDOWN_DELAY_MS: '300', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function start(
  environment: Record<string, string> = {},
  command = briefly,
): Promise<{ gateway: ChildProcess; origin: string; settings: Record<string, string> }> {
  const { settings, remove } = await freshDatabase();
  const gateway = run({ ...settings, ...environment }, command);
  running.push({ process: gateway, remove });
  return { gateway, settings, origin: await originOf(gateway) };
}

async function originOf(gateway: ChildProcess): Promise<string> {
  return (await startOf(gateway)).origin;
}

/** Reads the log until it says where the gateway listens. */
async function startOf(gateway: ChildProcess): Promise<{ origin: string; log: string }> {
  let log = '';
  for await (const chunk of gateway.stdout ?? []) {
    log += String(chunk);
    const origin = /"origin":"([^"]+)"/.exec(log)?.[1];
    if (origin !== undefined) return { origin, log };
  }
  throw new Error(`the gateway did not start: ${log}`);
}

async function failure(environment: Record<string, string>): Promise<{ code: unknown; stderr: string }> {
  const gateway = run(environment);
  const [stderr, [code]] = await Promise.all([text(gateway.stderr ?? Readable.from([])), once(gateway, 'exit')]);
  return { code, stderr };
}

describe('An invalid setting', () => {
  it.each([
    [{ PORT: 'eighty' }, /^PORT: .*\n$/],
    [{ PLATFORM_ACCOUNT: 'Acme' }, /^PLATFORM_ACCOUNT: must be the name of an account: .*\n$/],
    [{ DATABASE_URL: 'mysql://x' }, /^DATABASE_URL: must be a postgres:.*\n$/],
    [{ DATABASE_URL: 'postgres://127.0.0.1/x' }, /^SERVICE_SECRETS: must be set.*\n$/],
    [{ SERVICE_SECRETS: 'short' }, /^SERVICE_SECRETS: .*\n$/],
    [{ DEFAULT_API_VERSION: '2026-02-30' }, /^DEFAULT_API_VERSION: .*\n$/],
  ])('%j stops the start with one line that names it', async (environment, line) => {
    const { code, stderr } = await failure(environment);
    expect(stderr).toMatch(line);
    expect(code).toBe(1);
  });

  it('is never printed if it is a secret', async () => {
    const { stderr } = await failure({ SERVICE_SECRETS: 'hunter2', DATABASE_URL: 'postgres://u:pa55word@127.0.0.1/x' });
    expect(stderr).not.toMatch(/hunter2|pa55word/);
  });
});

describe('A port that is in use', () => {
  it('stops the start with one line that names it', async () => {
    const { origin } = await start();
    const { settings, remove } = await freshDatabase();
    const { code, stderr } = await failure({ ...settings, PORT: new URL(origin).port });
    await remove();
    expect(stderr).toMatch(/^PORT: \d+ on 127\.0\.0\.1 is already in use\n$/);
    expect(code).toBe(1);
  });

  it('stops the start with one line if it is that of the metrics', async () => {
    const { origin } = await start();
    const { settings, remove } = await freshDatabase();
    const { code, stderr } = await failure({ ...settings, METRICS_PORT: new URL(origin).port });
    await remove();
    expect(stderr).toMatch(/^METRICS_PORT: \d+ on 127\.0\.0\.1 is already in use\n$/);
    expect(code).toBe(1);
  });

  it('stops the process although a connection to Redis is open', async () => {
    const redis = createServer().listen(0, '127.0.0.1');
    await once(redis, 'listening');
    const address = redis.address();
    const redisPort = address !== null && typeof address === 'object' ? address.port : 0;
    const { origin } = await start();
    const { settings, remove } = await freshDatabase();
    const { code, stderr } = await failure({
      ...settings,
      PORT: new URL(origin).port,
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    });
    await remove();
    redis.close();
    expect(stderr).toMatch(/^PORT: /);
    expect(code).toBe(1);
  });
});

describe('The folder of an embedded database', () => {
  it.skipIf('server' in inject('template'))(
    'is used by one process, and a second one reports it and stops',
    async () => {
      const { settings, origin } = await start();
      const { code, stderr } = await failure(settings);
      expect(stderr).toMatch(/^DATA_DIR: the folder .* is in use by another gateway.*\n$/);
      expect(code).toBe(1);
      expect((await fetch(`${origin}/readyz`)).status).toBe(200);
    },
  );

  it.skipIf('server' in inject('template'))('is free again after the process was killed', async () => {
    const { gateway, settings } = await start();
    gateway.kill('SIGKILL');
    await once(gateway, 'exit');
    const next = run(settings);
    running.push({ process: next, remove: async () => {} });
    expect((await fetch(`${await originOf(next)}/readyz`)).status).toBe(200);
  });
});

describe('A platform account', () => {
  it.skipIf(!('server' in inject('template')))('that cannot be read does not stop the start', async () => {
    const { settings, remove } = await freshDatabase();
    const client = new pg.Client(settings['DATABASE_URL']);
    await client.connect();
    await client.query('BEGIN; LOCK TABLE "account"');
    const gateway = run({ ...settings, PLATFORM_ACCOUNT: 'platform' });
    running.push({ process: gateway, remove });
    const { log } = await startOf(gateway);
    await client.end();
    expect(log).toContain('cannot read the account of PLATFORM_ACCOUNT');
  });
});

describe('A platform account that does not exist', () => {
  it('is reported in one log line, and the gateway starts', async () => {
    const { settings, remove } = await freshDatabase();
    const gateway = run({ ...settings, PLATFORM_ACCOUNT: 'plattform' });
    running.push({ process: gateway, remove });
    const { origin, log } = await startOf(gateway);
    const told =
      'PLATFORM_ACCOUNT: the account "plattform" does not exist. Until it exists, there are no platform admins.';
    expect(log.split('\n').filter((line) => line.includes(JSON.stringify(told)))).toHaveLength(1);
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  });
});

describe('The secrets of the service', () => {
  it('stop the start with one line if none of them decrypts the stored values', async () => {
    const { gateway, settings, origin } = await start({ SERVICE_SECRETS: 'one secret that is long enough for a test' });
    expect(await (await fetch(`${origin}/v0/.well-known/jwks.json`)).json()).toMatchObject({ keys: [{ use: 'sig' }] });
    gateway.kill('SIGKILL');
    await once(gateway, 'exit');
    const { code, stderr } = await failure({
      ...settings,
      SERVICE_SECRETS: 'another secret that is long enough for it',
    });
    expect(stderr).toBe(
      'SERVICE_SECRETS: none of the secrets decrypts the data in this database. Set the secrets that encrypted it\n',
    );
    expect(code).toBe(1);
  });
});

describe('A port that the system chooses', () => {
  it('is in every address of the service', async () => {
    const { origin } = await start();
    const address = `${origin}/v0/.well-known/oauth-authorization-server`;
    const metadata: unknown = await (await fetch(address)).json();
    const { port } = new URL(origin);
    expect(metadata).toMatchObject({ issuer: `http://localhost:${port}/v0` });
  });
});

describe('A folder that is removed while the process runs', () => {
  it.skipIf('server' in inject('template'))('shuts it down in order', async () => {
    const { gateway, settings } = await start();
    const exit = once(gateway, 'exit');
    removeFolder(settings);
    expect((await exit)[0]).toBe(1);
  });

  it.skipIf('server' in inject('template'))('shuts it down during the start, too', async () => {
    const { settings, remove } = await freshDatabase();
    const { PATH = '' } = process.env;
    const preparing = spawn(process.execPath, [...programWords('server/long-preparation')], {
      env: { PATH, PORT: '0', ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.push({ process: preparing, remove });
    const exit = once(preparing, 'exit');
    for await (const chunk of preparing.stdout) if (String(chunk).includes('preparing')) break;
    removeFolder(settings);
    expect((await exit)[0]).toBe(1);
  });
});

/** Removes the folder. */
function removeFolder(settings: Record<string, string>): void {
  rmSync(String(settings['DATA_DIR']), { recursive: true });
}

/**
 * The first process of a container has no default signal handlers. Only users who may create such a namespace can test
 * it.
 */
const asFirstProcess = ['unshare', '--pid', '--fork', '--mount-proc', ...briefly];
const canBeFirst = spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0;
if (!canBeFirst) process.stderr.write('SIGTERM to a first process: skipped, because unshare is not allowed here\n');

/** The process that gets the signal: `unshare` itself passes none on. */
function signalled({ pid = 0 }: ChildProcess, command: string[]): number {
  if (command !== asFirstProcess) return pid;
  const child = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
  // A signal to 0 would go to this process, and to those that started it.
  expect(child).toBeGreaterThan(1);
  return child;
}

describe.each([
  ['the documented start', asDocumented],
  ['npm start', ['npm', 'start']],
  ...(canBeFirst ? [['a first process', asFirstProcess] as [string, string[]]] : []),
])('SIGTERM to %s', (_name, command) => {
  it('returns 503 for readiness, finishes requests in flight, and exits with 0', async () => {
    const { gateway, origin } = await start({}, command);
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
    const exit = once(gateway, 'exit');
    const slow = slowRequest(origin);
    await slow.started;
    process.kill(signalled(gateway, command), 'SIGTERM');
    // Still served while load balancers take notice, and not ready any more.
    let readiness = 200;
    while (readiness === 200) readiness = (await fetch(`${origin}/readyz`)).status;
    expect(readiness).toBe(503);
    slow.finish();
    expect(await slow.answer).toMatch(/^HTTP\/1\.1 401 /);
    expect((await exit)[0]).toBe(0);
  });
});

/** A request whose body is incomplete until `finish`. */
function slowRequest(origin: string): { started: Promise<unknown>; finish: () => void; answer: Promise<string> } {
  const { port } = new URL(origin);
  const socket = connect(Number(port), '127.0.0.1');
  const started = once(socket, 'connect').then(() =>
    socket.write('GET /v0/agents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n'),
  );
  return { started, finish: () => socket.write('\r\n'), answer: text(socket) };
}
