// `login` and `logout`: the command line as an OAuth client, and its credential file.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashOpaqueToken } from '../../src/auth/grants/opaque-token.js';
import { runIfForGateway } from '../../src/cli/gateway-command-line.js';
import type { CommandResult } from '../../src/cli/print.js';
import { createTenant, useApp } from '../harness.js';
import { givePassword, Visitor } from '../api/oauth/visitor.js';
import { openLossyNetwork, portOf } from './command.js';

const running = useApp();
let email: string;

beforeAll(async () => {
  // The command line compares with the time that it is.
  running.app.clock.now = new Date();
  await createTenant(running.app, { account: 'northwind', workspaces: ['northwind-main'] });
  email = await givePassword(running.app, 'northwind');
});

interface Terminal {
  folder: string;
  file: string;
  pauses: number[];
  told: string[];
  run: (line: string) => Promise<CommandResult>;
}

/** A user's shell without a key; the user's actions during a waiting command are a parameter. */
function openTerminal(
  meanwhile: (told: string[], pauses: number) => Promise<void> = async () => {},
  folder = mkdtempSync(join(tmpdir(), 'control-plane-login-')),
): Terminal {
  const pauses: number[] = [];
  const told: string[] = [];
  const { clock } = running.app;
  return {
    folder,
    file: join(folder, 'control-plane', 'logins', `${encodeURIComponent(running.app.origin)}.json`),
    pauses,
    told,
    run: async (line) => {
      const result = await runIfForGateway(line.split(' '), {
        environment: { SERVER: running.app.origin, XDG_CONFIG_HOME: folder },
        folder,
        standardInput: Readable.from([]),
        tell: (text) => void told.push(text),
        pause: async (ms) => {
          pauses.push(ms);
          clock.now = new Date(clock.now.getTime() + ms);
          await meanwhile(told, pauses.length);
        },
      });
      if (result === undefined) throw new Error(`${line} is no command of a gateway's client`);
      return result;
    },
  };
}

/** Opens the page that the command line names, and types its code. */
async function decide(told: string[], decision: 'allow' | 'deny'): Promise<void> {
  const [, code = ''] = /enter the code (\S+)$/.exec(told.at(-1) ?? '') ?? [];
  const visitor = new Visitor(running.app);
  const page = await visitor.signIn(await visitor.open(`device?user_code=${code}`), email, undefined, 'device-sign-in');
  if (decision === 'allow') await visitor.allow(page, {}, 'device-consent');
  else await visitor.submit(page, 'device-consent', [['decision', 'deny']]);
}

async function loggedIn(): Promise<Terminal> {
  const terminal = openTerminal(async (told, pauses) => (pauses === 2 ? decide(told, 'allow') : undefined));
  expect(await terminal.run('login')).toMatchObject({ exitCode: 0, stderr: '' });
  return terminal;
}

/** A proxy that answers some requests with 502, as one does while the gateway behind it restarts. */
async function openBusyProxy(isBusy: (path: string) => boolean): Promise<{ server: string; close: () => void }> {
  const proxy = createServer((incoming, response) => {
    void (async () => {
      const { authorization, 'content-type': type = '' } = incoming.headers;
      const body = await text(incoming);
      const path = incoming.url ?? '';
      if (isBusy(path)) return response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
      const headers = { 'content-type': type, ...(authorization === undefined ? {} : { authorization }) };
      const answer = await fetch(`${running.app.origin}${path}`, { method: 'POST', headers, body });
      return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    })();
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const close = () => {
    proxy.closeAllConnections();
    proxy.close();
  };
  return { server: `http://127.0.0.1:${portOf(proxy.address())}`, close };
}

const kept = (terminal: Terminal): string => JSON.parse(readFileSync(terminal.file, 'utf8')).accessToken;

const listing = 'get Agent --workspace northwind-main';

describe('login', () => {
  it('prints the address, waits for consent, and then connects to the gateway', async () => {
    const terminal = await loggedIn();
    expect(terminal.told).toEqual([
      expect.stringMatching(/^Open http\S+\/v0\/oauth\/device in a browser, and enter the code [A-Z]{4}-[A-Z]{4}$/),
    ]);
    expect(terminal.pauses).toEqual([5_000, 5_000]);
    expect(await terminal.run(listing)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('stores its credentials in a private file', async () => {
    const terminal = await loggedIn();
    expect(statSync(terminal.file).mode & 0o777).toBe(0o600);
    for (const folder of ['control-plane', 'control-plane/logins'])
      expect(statSync(join(terminal.folder, folder)).mode & 0o777).toBe(0o700);
  });

  it('to each gateway has a file of its own, so that logins to two gateways at once are both stored', async () => {
    const terminal = await loggedIn();
    const second = openTerminal(
      async (told, pauses) => (pauses === 2 ? decide(told, 'allow') : undefined),
      terminal.folder,
    );
    // The same gateway by another name.
    const other = running.app.origin.replace('127.0.0.1', 'localhost');
    expect(await second.run(`login --server ${other}`)).toMatchObject({ exitCode: 0, stderr: '' });
    const files = [running.app.origin, other].map((server) => `${encodeURIComponent(server)}.json`);
    expect(readdirSync(join(terminal.folder, 'control-plane', 'logins')).toSorted()).toEqual(files.toSorted());
    expect((await terminal.run('logout')).exitCode).toBe(0);
    expect((await terminal.run(`${listing} --server ${other}`)).exitCode).toBe(0);
  });

  it('ignores credential files that others can read, and rejects broken ones', async () => {
    const terminal = await loggedIn();
    chmodSync(terminal.file, 0o644);
    expect((await terminal.run(listing)).stderr).toMatch(/other users of this machine can read it/);
    chmodSync(terminal.file, 0o600);
    writeFileSync(terminal.file, '{"accessToken": 1}');
    expect((await terminal.run(listing)).stderr).toMatch(/is not a valid login file/);
  });

  it('reports a declined and an expired request', async () => {
    const refused = openTerminal(async (told) => decide(told, 'deny'));
    expect(await refused.run('login')).toEqual({ stdout: '', stderr: 'The request was denied.\n', exitCode: 1 });
    const ignored = openTerminal();
    expect((await ignored.run('login')).stderr).toMatch(/Nobody typed the code in time|expired/);
    expect(() => statSync(refused.file)).toThrow('ENOENT');
  });

  it('waits while the gateway restarts', async () => {
    let polls = 0;
    const proxy = await openBusyProxy((path) => path.endsWith('/token') && polls++ < 2);
    const terminal = openTerminal(async (told, pauses) => (pauses === 2 ? decide(told, 'allow') : undefined));
    const { exitCode, stderr } = await terminal.run(`login --server ${proxy.server}`);
    proxy.close();
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(terminal.pauses).toEqual([5_000, 10_000, 15_000]);
  });

  it('requests only the given scopes', async () => {
    const terminal = openTerminal(async (told, pauses) => (pauses === 1 ? decide(told, 'allow') : undefined));
    expect((await terminal.run('login --scope agents:list')).exitCode).toBe(0);
    const [, claims = ''] = kept(terminal).split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString()).scope).toBe('agents:list');
    expect((await terminal.run('get Job --workspace northwind-main')).exitCode).toBe(1);
  });

  it('reports a server that is not a gateway', async () => {
    const terminal = openTerminal();
    expect((await terminal.run('login --server http://127.0.0.1:1')).stderr).toMatch(/Cannot connect to/);
  });
});

describe('A login', () => {
  function age(terminal: Terminal): void {
    const content = JSON.parse(readFileSync(terminal.file, 'utf8'));
    writeFileSync(terminal.file, JSON.stringify({ ...content, expiresAt: new Date().toISOString() }));
  }

  it('is renewed before its token expires, also by two commands concurrently', async () => {
    const terminal = await loggedIn();
    const before = kept(terminal);
    age(terminal);
    const results = await Promise.all([terminal.run(listing), terminal.run(listing)]);
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(kept(terminal)).not.toBe(before);
    expect(statSync(terminal.file).mode & 0o777).toBe(0o600);
    expect((await terminal.run(listing)).exitCode).toBe(0);
  });

  it('that another command has replaced meanwhile is read again', async () => {
    const terminal = await loggedIn();
    age(terminal);
    const other = await loggedIn();
    const { refreshToken } = JSON.parse(readFileSync(terminal.file, 'utf8'));
    await running.app.services.db.oauthRefreshToken.update({
      where: { hash: hashOpaqueToken(refreshToken) },
      data: { expiresAt: running.app.clock.now },
    });
    const run = terminal.run(listing);
    // The command has read the file, and waits for the gateway.
    writeFileSync(terminal.file, readFileSync(other.file));
    expect(await run).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('is renewed again after a network failure', async () => {
    const terminal = await loggedIn();
    age(terminal);
    let refreshes = 0;
    const network = await openLossyNetwork(running.app, (body) =>
      body.includes('grant_type=refresh_token') && refreshes++ === 0 ? 'before' : undefined,
    );
    renameSync(terminal.file, join(dirname(terminal.file), `${encodeURIComponent(network.server)}.json`));
    const { exitCode, stderr } = await terminal.run(`${listing} --server ${network.server}`);
    network.close();
    expect({ refreshes, exitCode, stderr }).toEqual({ refreshes: 2, exitCode: 0, stderr: '' });
  });

  it('is renewed after the gateway has restarted', async () => {
    const terminal = await loggedIn();
    age(terminal);
    let refreshes = 0;
    const proxy = await openBusyProxy((path) => path.endsWith('/token') && refreshes++ === 0);
    renameSync(terminal.file, join(dirname(terminal.file), `${encodeURIComponent(proxy.server)}.json`));
    const { exitCode, stderr } = await terminal.run(`${listing} --server ${proxy.server}`);
    proxy.close();
    expect({ refreshes, exitCode, stderr }).toEqual({ refreshes: 2, exitCode: 0, stderr: '' });
  });

  it('that ended at the gateway is reported with the command to start again', async () => {
    const terminal = await loggedIn();
    age(terminal);
    const { db } = running.app.services;
    await db.oauthAuthorization.updateMany({ data: { endedAt: running.app.clock.now } });
    expect((await terminal.run(listing)).stderr).toMatch(/has expired or was revoked\. Run "login" again\.\n$/);
  });

  it('whose token was revoked is reported with the command to start again, unlike a key', async () => {
    const terminal = await loggedIn();
    const token = kept(terminal);
    await running.app.services.db.accessToken.updateMany({ data: { revokedAt: running.app.clock.now } });
    expect((await terminal.run(listing)).stderr).toMatch(/does not accept the key: .*\. Run "login" again\.\n$/);
    expect((await terminal.run(`${listing} --key ${token}`)).stderr).not.toContain('login');
  });

  it('is deleted by logout also if the gateway cannot be reached', async () => {
    const terminal = await loggedIn();
    const away = 'http://127.0.0.1:1';
    const file = join(dirname(terminal.file), `${encodeURIComponent(away)}.json`);
    renameSync(terminal.file, file);
    expect(await terminal.run(`logout --server ${away}`)).toEqual({
      stdout: `Logged out of ${away}.\n`,
      stderr: expect.stringMatching(/did not revoke it, so it may be valid until it expires\. Cannot connect to .*\n$/),
      exitCode: 0,
    });
    expect(() => statSync(file)).toThrow('ENOENT');
  });

  it('ends with logout, here and at the gateway', async () => {
    const terminal = await loggedIn();
    const token = kept(terminal);
    expect((await terminal.run('logout')).stdout).toBe(`Logged out of ${running.app.origin}.\n`);
    expect(() => statSync(terminal.file)).toThrow('ENOENT');
    expect((await terminal.run(`${listing} --key ${token}`)).stderr).toMatch(/does not accept the key/);
    expect((await terminal.run('logout')).stdout).toBe(`You are not logged in to ${running.app.origin}.\n`);
    expect((await terminal.run(listing)).stderr).toMatch(/^missing key\. Run "login"/);
  });
});
