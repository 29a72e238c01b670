import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { findUserByPassword } from '../../src/auth/sign-in/password.js';
import type { CommandResult } from '../../src/cli/print.js';
import { runCommandLine } from '../../src/cli/run.js';
import { createKey, createTenant, frozenNow, rest, useApp } from '../harness.js';
import { callEndpoint, givePassword, obtainCode, redeem, registerClient } from '../api/oauth/visitor.js';
import { historyOf } from '../resources/mutations.js';

const running = useApp();
const folder = mkdtempSync(join(tmpdir(), 'control-plane-admin-'));
const owner = '--owner owner@northwind.example.com --account northwind';

beforeAll(async () => {
  await createTenant(running.app, { account: 'northwind', workspaces: ['northwind-main'] });
});

async function run(line: string, ...more: string[]): Promise<CommandResult> {
  return runCommandLine({ ...running.app.services, folder }, [...line.split(' '), ...more]);
}

async function json(line: string, ...more: string[]): Promise<ReturnType<typeof JSON.parse>> {
  const { stdout, stderr, exitCode } = await run(line, ...more, '--json');
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return JSON.parse(stdout);
}

async function createService(name: string): Promise<string> {
  const { secret } = await json(`clients create ${name} --grants client_credentials --scope agents:list ${owner}`);
  return secret;
}

const grantWith = (name: string, secret: string) =>
  callEndpoint(running.app, 'token', { grant_type: 'client_credentials', client_id: name, client_secret: secret });

describe('clients', () => {
  it('are created with a secret that is shown once, and get tokens with it', async () => {
    const line = `clients create ci --grants client_credentials --scope agents:list ${owner}`;
    const { stdout, stderr, exitCode } = await run(line);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^wcs_[A-Za-z0-9_-]{43}\n$/);
    expect(stderr).toBe('Created the client ci. Save its secret now. It is not shown again.\n');
    const { body } = await grantWith('ci', stdout.trim());
    expect((await rest(running.app, '/agents', { key: body.access_token })).status).toBe(200);
    expect(JSON.stringify(await json('clients list'))).not.toContain(stdout.trim());
  });

  it('are listed with their permissions', async () => {
    await json(
      'clients create app --type public --scope agents:list --display-name App --grants',
      'authorization_code refresh_token',
      '--redirect-uris',
      'https://app.example.com/a?modes=x,https://y http://127.0.0.1/b',
    );
    const rows: { name: string }[] = await json('clients list');
    expect(rows.find(({ name }) => name === 'app')).toEqual({
      name: 'app',
      displayName: 'App',
      type: 'public',
      grants: 'authorization_code refresh_token',
      redirectUris: 'https://app.example.com/a?modes=x,https://y http://127.0.0.1/b',
      scope: 'agents:list',
      owner: null,
      place: null,
      createdAt: expect.any(String),
      revokedAt: null,
    });
  });

  it('get a new secret, and the old one stops working', async () => {
    const secret = await createService('rotated');
    const { secret: next } = await json('clients rotate-secret rotated');
    expect((await grantWith('rotated', secret)).status).toBe(401);
    expect((await grantWith('rotated', next)).status).toBe(200);
  });

  it('keep the old secret for a while on request', async () => {
    const { app } = running;
    const secret = await createService('overlapping');
    const { secret: next } = await json('clients rotate-secret overlapping --overlap 1h');
    const { now } = app.clock;
    const statuses = async () => [
      (await grantWith('overlapping', secret)).status,
      (await grantWith('overlapping', next)).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    app.clock.now = new Date(now.getTime() + 60 * 60_000);
    expect(await statuses()).toEqual([401, 200]);
    app.clock.now = now;
    await json('clients rotate-secret overlapping');
    expect(await statuses()).toEqual([401, 401]);
  });

  it('are updated, and get fewer scopes from then on', async () => {
    const secret = await createService('changed');
    await json('clients update changed --display-name Changed --scope agents:get');
    expect((await grantWith('changed', secret)).body.scope).toBe('agents:get');
    const rows: { name: string }[] = await json('clients list');
    expect(rows.find(({ name }) => name === 'changed')).toMatchObject({ displayName: 'Changed', scope: 'agents:get' });
    const refused = await run('clients update changed --redirect-uris https://app.example.com/callback');
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('redirectUris') });
    expect((await run('clients update nobody --scope admin')).stderr).toBe('There is no client named "nobody" here.\n');
  });

  it('are deleted with their tokens, and their name is free again', async () => {
    const secret = await createService('deleted');
    const { body } = await grantWith('deleted', secret);
    await json('clients delete deleted');
    const status = async () => (await rest(running.app, '/agents', { key: body.access_token })).status;
    await expect.poll(status, { timeout: 1_000, interval: 50 }).toBe(401);
    expect((await grantWith('deleted', secret)).status).toBe(401);
    const again = await createService('deleted');
    expect((await grantWith('deleted', secret)).status).toBe(401);
    expect((await grantWith('deleted', again)).status).toBe(200);
    expect(await status()).toBe(401);
  });

  it('are revoked with their tokens', async () => {
    const secret = await createService('revoked');
    const { body } = await grantWith('revoked', secret);
    const { revokedAt } = await json('clients revoke revoked');
    expect(revokedAt).toBe(running.app.clock.now.toISOString());
    const ask = async () => (await rest(running.app, '/agents', { key: body.access_token })).status;
    await expect.poll(ask, { timeout: 1_000, interval: 50 }).toBe(401);
    expect((await run('clients rotate-secret revoked')).stderr).toBe('The client revoked is revoked.\n');
  });

  it.each([
    ['the same name twice', `clients create app --grants client_credentials --scope admin ${owner}`, /is taken/],
    [
      'the name of a program of this service',
      'clients create command-line --grants device_code --scope admin',
      /a program of this service has it/,
    ],
    ['an unknown grant', 'clients create x --grants password --scope admin', /must be grants/],
    ['an unknown scope', 'clients create x --grants client_credentials --scope agents:fly', /unknown scope/],
    ['no redirect URI', 'clients create x --grants authorization_code --scope admin', /must contain at least one URI/],
    [
      'a plain redirect URI',
      'clients create x --grants authorization_code --scope admin --redirect-uris http://app.example.com/',
      /must be https/,
    ],
    ['no owner', 'clients create x --grants client_credentials --scope admin', /is required for the grant/],
    ['half an owner', 'clients create x --grants client_credentials --scope admin --account northwind', /--owner and/],
    [
      'an owner of another account',
      'clients create x --grants client_credentials --scope admin --owner owner@northwind.example.com --account none',
      /no account named/,
    ],
    [
      'a public client with a secret',
      `clients create x --type public --grants client_credentials --scope admin ${owner}`,
      /which has no secret/,
    ],
  ])('are not created with %s', async (_what, line, message) => {
    const { stderr, exitCode } = await run(line);
    expect(stderr).toMatch(message);
    expect(exitCode).not.toBe(0);
  });

  it.each(['clients rotate-secret nobody', 'clients revoke nobody'])('are unknown to "%s"', async (line) => {
    expect((await run(line)).stderr).toBe('There is no client named "nobody" here.\n');
  });
});

describe('passwords', () => {
  const email = 'owner@northwind.example.com';

  it('are generated and shown once', async () => {
    const { stdout } = await run(`users set-password ${email}`);
    expect(stdout).toMatch(/^[A-Za-z0-9_-]{20}\n$/);
    expect(await findUserByPassword(running.app.services.db, email, stdout.trim())).toMatchObject({ name: email });
  });

  it('are read from a file', async () => {
    writeFileSync(join(folder, 'password'), 'a password of my own\nand more\n');
    expect((await run(`users set-password ${email} --file password`)).stdout).toBe(`Set the password of ${email}.\n`);
    expect(await findUserByPassword(running.app.services.db, email, 'a password of my own')).toBeDefined();
  });

  it('are stored with argon2id, and salted', async () => {
    const { hash } = await running.app.services.db.userPassword.findFirstOrThrow();
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it.each([
    ['an unknown user', 'users set-password nobody@example.com', 'There is no user named "nobody@example.com" here.\n'],
    ['a file that is not there', `users set-password ${email} --file none`, /^none: ENOENT/],
  ])('are not set for %s', async (_what, line, message) => {
    expect((await run(line)).stderr).toMatch(message);
  });

  it('are not shorter than twelve characters', async () => {
    writeFileSync(join(folder, 'short'), 'eleven-long');
    expect((await run(`users set-password ${email} --file short`)).stderr).toBe(
      'The password must be 12 to 200 characters.\n',
    );
  });
});

describe('A user’s consents', () => {
  it('are listed and revoked, and so are their browser sessions', async () => {
    const { app } = running;
    const tenant = await createTenant(app, { account: 'globex', workspaces: ['globex-main'] });
    const email = await givePassword(app, 'globex');
    const client = await registerClient(app, { id: 'globex-app' });
    const { body } = await redeem(app, client, await obtainCode(app, email, { client_id: 'globex-app' }));
    const usable = async () => (await rest(app, '/agents', { key: body.access_token })).status;
    expect(await usable()).toBe(200);
    expect(await json(`consents list --user ${email}`)).toEqual([
      {
        client: 'globex-app',
        place: 'globex: globex-main',
        scope: 'agents:list',
        givenAt: frozenNow.toISOString(),
        lastUsedAt: frozenNow.toISOString(),
      },
    ]);
    await json(`consents revoke --user ${email} --client globex-app`);
    await expect.poll(usable, { timeout: 1_000, interval: 50 }).toBe(401);
    expect(await json(`consents list --user ${email}`)).toEqual([]);
    const gone = await run(`consents revoke --user ${email} --client globex-app`);
    expect(gone).toMatchObject({ exitCode: 1, stderr: 'There is no consent to the client named "globex-app" here.\n' });
    const [session, ...others] = await json(`sessions list --user ${email}`);
    expect(others).toEqual([]);
    expect(session).toMatchObject({ signedInAt: frozenNow.toISOString(), address: '127.0.0.1' });
    await json(`sessions end --user ${email} --id ${session.id}`);
    expect(await app.services.db.signInSession.count({ where: { principalId: tenant.principalId } })).toBe(0);
    expect((await run(`sessions end --user ${email} --id ${session.id}`)).exitCode).toBe(1);
    expect((await json(`sessions end --user ${email}`)).ended).toBe('0');
    const { token } = await json(`tokens create --owner ${email} --account globex --scope agents:list`);
    expect(token).toMatch(/^ey/);
    expect((await historyOf(app, tenant)).filter(({ actorKind }) => actorKind === 'operator')).toMatchObject([
      { kind: 'ACCESS', verb: 'revoked', name: email, message: 'Revoked the access of the application globex-app' },
      { kind: 'SIGN_IN', verb: 'revoked', name: email, message: 'Signed out of 1 browser' },
      {
        kind: 'ACCESS',
        verb: 'created',
        name: email,
        message: expect.stringMatching(/^Access token issued: [0-9a-f-]{36}$/),
      },
    ]);
  });

  it('end with the membership and its keys, and do not return with it', async () => {
    const { app } = running;
    const tenant = await createTenant(app, { account: 'initech', workspaces: ['initech-main'] });
    const email = await givePassword(app, 'initech');
    const client = await registerClient(app, { id: 'initech-app' });
    const tokens = (await redeem(app, client, await obtainCode(app, email, { client_id: 'initech-app' }))).body;
    const { key } = await createKey(app, tenant);
    await json(`members remove ${email} --account initech`);
    await json(`members set ${email} --account initech --role admin`);
    for (const credential of [key, tokens.access_token]) {
      const status = async () => (await rest(app, '/agents', { key: credential })).status;
      await expect.poll(status, { timeout: 1_000, interval: 50 }).toBe(401);
    }
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, ...client.credentials };
    expect((await callEndpoint(app, 'token', refresh)).body.error).toBe('invalid_grant');
    expect(await json(`consents list --user ${email}`)).toEqual([]);
  });
});
