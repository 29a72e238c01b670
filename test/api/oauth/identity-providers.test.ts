// Several identity providers: the choice by email domain, users created at their first sign-in, memberships by group,
// a required provider, back-channel logout, and attacks on each of them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Role } from '../../../src/auth/caller.js';
import { createKey, createTenant, freshDatabase, graphql, startOn } from '../../harness.js';
import type { RunningApp, Tenant, TestApp } from '../../harness.js';
import { openTestProvider } from './test-provider.js';
import type { TestProvider } from './test-provider.js';
import {
  authorizeAddress,
  callEndpoint,
  createVerifier,
  givePassword,
  redeem,
  registerClient,
  Visitor,
  setDisabled,
} from './visitor.js';
import type { Page, RegisteredClient } from './visitor.js';

const publicUrl = 'https://control.example.com';
const callbackOf = (id?: string) => `${publicUrl}/v0/oauth/provider-callback${id === undefined ? '' : `/${id}`}`;
const spa = { client_id: 'spa' };
const folder = mkdtempSync(join(tmpdir(), 'control-plane-providers-'));

type Id = 'default' | 'acme' | 'globex';

let providers: Record<Id, TestProvider>;
let running: RunningApp;
let remove: () => Promise<void>;
let app: TestApp;
let acme: Tenant;
let globex: Tenant;
let dashboard: RegisteredClient;

const db = () => app.services.db;

beforeAll(async () => {
  const client = (id: Id) => ({
    id: `client-at-${id}`,
    secret: `secret at ${id}`,
    callback: callbackOf(id === 'default' ? undefined : id),
  });
  providers = {
    default: await openTestProvider(client('default')),
    acme: await openTestProvider(client('acme')),
    globex: await openTestProvider(client('globex')),
  };
  const listed = (id: 'acme' | 'globex', more: object) => ({
    id,
    name: `Login of ${id}`,
    issuer: providers[id].issuer,
    clientId: client(id).id,
    clientSecret: client(id).secret,
    domains: [`${id}.example`],
    accounts: [id],
    ...more,
  });
  const path = join(folder, 'providers.json');
  const list = [listed('acme', { createUsers: true, groupsClaim: 'roles' }), listed('globex', {})];
  writeFileSync(path, JSON.stringify(list));
  const database = await freshDatabase();
  ({ remove } = database);
  running = await startOn({
    ...database.settings,
    PUBLIC_URL: publicUrl,
    SIGN_IN_ISSUER: providers.default.issuer,
    SIGN_IN_CLIENT_ID: client('default').id,
    SIGN_IN_CLIENT_SECRET: client('default').secret,
    SIGN_IN_NAME: 'Login of the operator',
    SIGN_IN_CREATE_USERS_OF: 'open.example',
    SIGN_IN_PROVIDERS: path,
  });
  ({ app } = running);
  app.clock.now = new Date();
  acme = await createTenant(app, { account: 'acme', workspaces: ['acme-main', 'acme-side'] });
  globex = await createTenant(app, { account: 'globex', workspaces: ['globex-main'] });
  await registerClient(app, { id: 'spa', isPublic: true });
  dashboard = await registerClient(app);
});

afterAll(async () => {
  await running.stop();
  await remove();
  for (const provider of Object.values(providers)) provider.close();
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  app.clock.now = new Date();
  for (const provider of Object.values(providers)) {
    Object.assign(provider, { info: {}, lies: {}, claims: {}, refusal: undefined, isForging: false });
    Object.assign(provider, { isAway: false, namesItself: true });
    provider.requests.length = 0;
    provider.codes.length = 0;
  }
  await db().groupRole.deleteMany();
  await db().account.updateMany({ data: { requiredSignInProvider: null } });
});

let people = 0;
const someone = (domain: string) => `person-${++people}@${domain}`;

/** Opens a sign-in page, types an email address, and is sent to a provider. */
async function leave(visitor: Visitor, typed: string, parameters: Record<string, string> = spa): Promise<Page> {
  const page = await visitor.open(authorizeAddress(parameters));
  return visitor.submit(page, 'provider', [['email', typed]]);
}

/** Follows the redirect of a provider. @returns the callback, as a path. */
async function returned(left: Page): Promise<string> {
  expect(left.status).toBe(303);
  const answer = await fetch(left.location, { redirect: 'manual' });
  return (answer.headers.get('location') ?? '').slice(publicUrl.length);
}

/** Signs in with a provider. @param claims besides the verified email address. */
async function signIn(
  id: Id,
  email: string,
  claims: Record<string, unknown> = {},
  visitor = new Visitor(app),
): Promise<{ page: Page; visitor: Visitor }> {
  providers[id].claims = { email, email_verified: true, sub: `sub of ${email}`, ...claims };
  const typed = id === 'default' ? 'somebody@elsewhere.example' : `somebody@${id}.example`;
  return { page: await visitor.open(await returned(await leave(visitor, typed))), visitor };
}

async function isSignedIn(visitor: Visitor): Promise<boolean> {
  const page = await visitor.open('account');
  return page.status === 200 && !page.text.includes('<h1>Sign in</h1>');
}

async function expectRefused(page: Page, visitor: Visitor, message: RegExp): Promise<void> {
  expect(page.status).toBe(403);
  expect(page.text).toMatch(message);
  expect(await isSignedIn(visitor)).toBe(false);
}

async function addGroupRole(tenant: Tenant, name: string, role: Role, workspace?: string, provider = 'acme') {
  const workspaceId = workspace === undefined ? null : (tenant.workspaces[workspace] ?? '');
  await db().groupRole.create({ data: { accountId: tenant.accountId, workspaceId, provider, name, role } });
}

/** The memberships of a user: "acme admin provider". */
async function membershipsOf(name: string): Promise<string[]> {
  const accounts = await db().accountMember.findMany({ where: { principal: { name } }, include: { account: true } });
  const workspaces = await db().workspaceMember.findMany({
    where: { principal: { name } },
    include: { workspace: true },
  });
  return [
    ...accounts.map(({ account, role, origin }) => `${account.name} ${role} ${origin}`),
    ...workspaces.map(({ workspace, role, origin }) => `${workspace.name} ${role} ${origin}`),
  ].toSorted();
}

async function createUser(name: string): Promise<string> {
  return (await db().principal.create({ data: { kind: 'user', name } })).id;
}

describe('The sign-in page with several providers', () => {
  it('asks for the email address first, and goes to the provider of its domain', async () => {
    const page = await new Visitor(app).open(authorizeAddress(spa));
    expect(page.text).toContain('name="email"');
    expect(page.text).not.toContain('type="password"');
    expect(page.text).not.toContain('Login of acme');
    for (const [typed, id] of [
      ['ada@acme.example', 'acme'],
      [' ADA@ACME.Example ', 'acme'],
      ['grace@globex.example', 'globex'],
      ['ada@sub.acme.example', 'default'],
      ['ada@acme.example.', 'default'],
      ['ada@acme.example.evil.example', 'default'],
      ['ada@evil-acme.example', 'default'],
      ['ada@acme.example@evil.example', 'default'],
      ['no address', 'default'],
    ] as const) {
      const left = await leave(new Visitor(app), typed);
      expect({ typed, to: new URL(left.location).origin }).toEqual({ typed, to: providers[id].issuer });
      const { searchParams } = new URL(left.location);
      expect(searchParams.get('login_hint')).toBe(typed.trim());
      expect(searchParams.get('redirect_uri')).toBe(callbackOf(id === 'default' ? undefined : id));
    }
  });

  it('offers the password form on request', async () => {
    const email = await givePassword(app, 'acme');
    const visitor = new Visitor(app);
    const page = await visitor.open(authorizeAddress(spa));
    const asked = await visitor.submit(page, 'provider', [
      ['email', email],
      ['by', 'password'],
    ]);
    expect(asked.text).toContain('type="password"');
    expect(asked.text).toContain(`value="${email}"`);
    expect((await visitor.signIn(asked, email)).text).toContain('use your account?');
    const again = new Visitor(app);
    const wrong = await again.signIn(
      await again.submit(await again.open(authorizeAddress(spa)), 'provider', [['by', 'password']]),
      email,
      'not the password',
    );
    expect(wrong.status).toBe(403);
    expect(wrong.text).toContain('type="password"');
  });

  it('rejects the id of a provider that does not exist', async () => {
    const visitor = new Visitor(app);
    const page = await visitor.open(authorizeAddress(spa));
    const left = await visitor.submit(page, 'provider', [['provider', 'nobody']]);
    expect([left.status, left.location]).toEqual([200, '']);
  });
});

describe('A first sign-in', () => {
  it('creates the user of an allowed domain', async () => {
    const name = someone('acme.example');
    const { page, visitor } = await signIn('acme', name);
    expect(page.status).toBe(303);
    expect(await isSignedIn(visitor)).toBe(true);
    expect(await db().principal.findUnique({ where: { name } })).toMatchObject({ kind: 'user', disabledAt: null });
    expect(await membershipsOf(name)).toEqual([]);
    const open = someone('open.example');
    expect((await signIn('default', open)).page.status).toBe(303);
    expect(await db().principal.count({ where: { name: open } })).toBe(1);
  });

  it('creates no user unless the operator turned it on for the domain', async () => {
    for (const [id, domain] of [
      ['globex', 'globex.example'],
      ['default', 'elsewhere.example'],
      ['default', 'sub.open.example'],
      ['default', 'open.example.'],
      ['default', 'open.example.evil.example'],
      ['default', 'evil-open.example'],
      ['default', 'ореn.example'],
      ['default', 'ｏｐｅｎ.example'],
      ['default', 'open。example'],
      ['default', 'evil.example@open.example'],
    ] as const) {
      const name = someone(domain);
      const before = await db().principal.count();
      const { page, visitor } = await signIn(id, name);
      await expectRefused(page, visitor, /you are not a user of this service/);
      expect({ domain, created: (await db().principal.count()) - before }).toEqual({ domain, created: 0 });
    }
  });

  it('takes another case of the domain for the same', async () => {
    const name = someone('open.example');
    expect((await signIn('default', name.toUpperCase())).page.status).toBe(303);
    expect(await db().principal.count({ where: { name } })).toBe(1);
  });

  it.each<[string, Record<string, unknown>]>([
    ['false', { email_verified: false }],
    ['absent', { email_verified: undefined }],
    ['a text', { email_verified: 'true' }],
    ['a number', { email_verified: 1 }],
  ])('creates no user if email_verified is %s', async (_what, claims) => {
    const name = someone('acme.example');
    const { page, visitor } = await signIn('acme', name, claims);
    await expectRefused(page, visitor, /has not verified your email address/);
    expect(await db().principal.count({ where: { name } })).toBe(0);
  });

  it('of the same person twice at once creates one user', async () => {
    const name = someone('acme.example');
    await addGroupRole(acme, 'everyone', 'viewer');
    providers.acme.claims = { email: name, email_verified: true, roles: ['everyone'] };
    const visitors = Array.from({ length: 6 }, () => new Visitor(app));
    const addresses: string[] = [];
    for (const visitor of visitors) addresses.push(await returned(await leave(visitor, 'x@acme.example')));
    const pages = await Promise.all(visitors.map((visitor, index) => visitor.open(addresses[index] ?? '')));
    expect(pages.map(({ status }) => status)).toEqual(visitors.map(() => 303));
    expect(await db().principal.count({ where: { name } })).toBe(1);
    expect(await membershipsOf(name)).toEqual(['acme viewer provider']);
    const changes = await db().change.findMany({ where: { accountId: acme.accountId, name, kind: 'MEMBER' } });
    expect(changes).toHaveLength(1);
  });

  it('does not bring back a disabled user, and is not one of a service account', async () => {
    const name = someone('acme.example');
    await createUser(name);
    await setDisabled(app, name, true);
    const disabled = await signIn('acme', name);
    await expectRefused(disabled.page, disabled.visitor, /not a user of this service/);
    const robot = someone('acme.example');
    await db().principal.create({ data: { kind: 'service_account', name: robot } });
    const asRobot = await signIn('acme', robot);
    await expectRefused(asRobot.page, asRobot.visitor, /not a user of this service/);
  });
});

describe('A provider', () => {
  it('cannot sign in users of the domain of another provider', async () => {
    for (const [id, domain] of [
      ['acme', 'globex.example'],
      ['acme', 'elsewhere.example'],
      ['acme', 'sub.acme.example'],
      ['acme', 'acme.example.'],
      ['acme', 'ａcme.example'],
      ['globex', 'acme.example'],
      ['default', 'acme.example'],
      ['default', 'ACME.example'],
      ['default', 'ａcme.example'],
    ] as const) {
      const name = someone(domain);
      await createUser(name.normalize('NFKC').toLowerCase());
      const { page, visitor } = await signIn(id, name);
      await expectRefused(page, visitor, /cannot sign in users of your email domain/);
    }
  });

  it('cannot pass for a user in other characters', async () => {
    const name = someone('acme.example');
    await createUser(name);
    const { page, visitor } = await signIn('acme', name.replace('person', 'ｐerson'));
    await expectRefused(page, visitor, /cannot sign in users of your email domain/);
  });
});

describe('The responses of two providers', () => {
  /** The malicious provider acme sends the browser on to globex, with its own state and challenge. */
  async function mixedUp(visitor: Visitor, redirectUri: string): Promise<URL> {
    const left = new URL((await leave(visitor, 'victim@acme.example')).location);
    const attack = new URL(`${providers.globex.issuer}/authorize`);
    attack.search = left.search;
    attack.searchParams.set('client_id', 'client-at-globex');
    attack.searchParams.set('redirect_uri', redirectUri);
    const answer = await fetch(attack, { redirect: 'manual' });
    return new URL(answer.headers.get('location') ?? 'about:blank');
  }

  it.each([true, false])('cannot be mixed up (RFC 9207: %s)', async (namesItself) => {
    providers.globex.namesItself = namesItself;
    const email = someone('globex.example');
    await createUser(email);
    providers.globex.claims = { email, email_verified: true };
    const visitor = new Visitor(app);
    const back = await mixedUp(visitor, callbackOf('globex'));
    expect(back.pathname).toBe('/v0/oauth/provider-callback/globex');
    const page = await visitor.open(`${back.pathname}${back.search}`);
    expect(page.status).toBe(400);
    expect(page.text).toContain('belongs to another identity provider');
    // A code that came for globex never reaches acme.
    const code = back.searchParams.get('code') ?? '';
    expect(code).not.toBe('');
    expect(providers.acme.codes).not.toContain(code);
    // The same at the callback of acme, where the code would be sent to acme: globex does not send it there.
    expect((await mixedUp(new Visitor(app), callbackOf('acme'))).protocol).toBe('about:');
    expect(await isSignedIn(visitor)).toBe(false);
  });

  it('with the issuer of the other one are rejected before the code is used', async () => {
    const visitor = new Visitor(app);
    const address = new URL(await returned(await leave(visitor, 'x@acme.example')), publicUrl);
    address.searchParams.set('iss', providers.globex.issuer);
    const page = await visitor.open(`${address.pathname}${address.search}`);
    await expectRefused(page, visitor, /invalid or has expired/);
    expect(providers.acme.codes).toEqual([]);
  });

  it('are accepted at their own callback only', async () => {
    for (const id of ['', '/globex', '/ACME', '/acme/', '/nobody']) {
      const visitor = new Visitor(app);
      const address = new URL(await returned(await leave(visitor, 'x@acme.example')), publicUrl);
      const page = await visitor.open(`/v0/oauth/provider-callback${id}${address.search}`);
      expect({ id, status: page.status >= 400 && page.status < 500 }).toEqual({ id, status: true });
      expect(await isSignedIn(visitor)).toBe(false);
    }
    expect(providers.acme.codes).toEqual([]);
  });
});

describe('Group roles', () => {
  it('give memberships at a sign-in, and take them at the next', async () => {
    const name = someone('acme.example');
    await addGroupRole(acme, 'admins', 'admin');
    await addGroupRole(acme, 'side', 'viewer', 'acme-side');
    await addGroupRole(acme, 'writers', 'member', 'acme-side');
    await signIn('acme', name, { roles: ['side', 'writers', 'unknown'] });
    expect(await membershipsOf(name)).toEqual(['acme member provider', 'acme-side member provider']);
    await signIn('acme', name, { roles: ['side', 'admins'] });
    expect(await membershipsOf(name)).toEqual(['acme admin provider', 'acme-side viewer provider']);
    await signIn('acme', name, { roles: ['side'] });
    expect(await membershipsOf(name)).toEqual(['acme member provider', 'acme-side viewer provider']);
    await signIn('acme', name, {});
    expect(await membershipsOf(name)).toEqual([]);
    const changes = await db().change.findMany({
      where: { accountId: acme.accountId, name, kind: { in: ['MEMBER', 'USER'] } },
      orderBy: { sequence: 'asc' },
    });
    expect(
      changes.map(({ kind, verb, workspaceId }) => `${kind} ${verb}${workspaceId === null ? '' : ' side'}`),
    ).toEqual([
      'USER created',
      'MEMBER created',
      'MEMBER created side',
      'MEMBER updated side',
      'MEMBER updated',
      'MEMBER updated',
      'MEMBER deleted side',
      'MEMBER deleted',
    ]);
    for (const change of changes) {
      expect(change).toMatchObject({
        actorKind: 'system',
        actorId: null,
        client: 'sign_in_provider acme',
        api: 'oauth',
      });
    }
  });

  it('reads one group as a text, and groups from the user info', async () => {
    const name = someone('acme.example');
    await addGroupRole(acme, 'everyone', 'viewer');
    await signIn('acme', name, { roles: 'everyone' });
    expect(await membershipsOf(name)).toEqual(['acme viewer provider']);
    providers.acme.info = { roles: ['everyone'] };
    await signIn('acme', name);
    expect(await membershipsOf(name)).toEqual(['acme viewer provider']);
  });

  it.each<[string, Record<string, unknown>]>([
    ['an object', { roles: { everyone: true } }],
    ['a number', { roles: 1 }],
    ['a list with a number', { roles: ['everyone', 1] }],
    ['elsewhere, because there are too many', { _claim_names: { roles: 'src1' } }],
    ['longer than 1000', { roles: Array.from({ length: 1001 }, (_, index) => `group ${index}`) }],
  ])('are not changed by a list of groups that is %s', async (_what, claims) => {
    const name = someone('acme.example');
    await addGroupRole(acme, 'everyone', 'viewer');
    await signIn('acme', name, { roles: ['everyone'] });
    const { page, visitor } = await signIn('acme', name, claims);
    await expectRefused(page, visitor, /complete list of your groups/);
    expect(await membershipsOf(name)).toEqual(['acme viewer provider']);
  });

  it('compare names of groups exactly', async () => {
    const name = someone('acme.example');
    await addGroupRole(acme, 'admins', 'admin');
    await signIn('acme', name, { roles: ['Admins', 'admins ', 'ａdmins', 'admin', 'admins\0', ''] });
    expect(await membershipsOf(name)).toEqual([]);
  });

  it('leave memberships alone that people gave', async () => {
    const name = someone('acme.example');
    const principalId = await createUser(name);
    const { accountId } = acme;
    const workspaceId = acme.workspaces['acme-main'] ?? '';
    await db().accountMember.create({ data: { accountId, principalId, role: 'member' } });
    await db().workspaceMember.create({ data: { workspaceId, principalId, role: 'viewer' } });
    await addGroupRole(acme, 'admins', 'admin');
    await addGroupRole(acme, 'admins', 'admin', 'acme-main');
    await addGroupRole(acme, 'admins', 'member', 'acme-side');
    const own = ['acme member manual', 'acme-main viewer manual'];
    await signIn('acme', name, { roles: ['admins'] });
    expect(await membershipsOf(name)).toEqual([...own, 'acme-side member provider']);
    await signIn('acme', name);
    expect(await membershipsOf(name)).toEqual(own);
  });

  it('keep the account of a workspace that a person gave', async () => {
    const name = someone('acme.example');
    await addGroupRole(acme, 'admins', 'admin');
    await signIn('acme', name, { roles: ['admins'] });
    const { id: principalId } = await db().principal.findUniqueOrThrow({ where: { name } });
    const workspaceId = acme.workspaces['acme-main'] ?? '';
    await db().workspaceMember.create({ data: { workspaceId, principalId, role: 'member' } });
    await signIn('acme', name);
    expect(await membershipsOf(name)).toEqual(['acme member provider', 'acme-main member manual']);
  });

  it('never remove the last admin of an account', async () => {
    const tenant = await createTenant(app, { account: 'initech', workspaces: [] });
    const [one, two] = [someone('acme.example'), someone('acme.example')];
    for (const name of [one, two]) {
      const principalId = await createUser(name);
      await db().accountMember.create({
        data: { accountId: tenant.accountId, principalId, role: 'admin', origin: 'provider' },
      });
    }
    await db().accountMember.deleteMany({ where: { accountId: tenant.accountId, origin: 'manual' } });
    // Both lose it at the same time.
    const back: { visitor: Visitor; address: string }[] = [];
    for (const email of [one, two]) {
      const visitor = new Visitor(app);
      providers.acme.claims = { email, email_verified: true };
      back.push({ visitor, address: await returned(await leave(visitor, 'x@acme.example')) });
      // The claims are those of the time of the token request, so the sign-ins are one after the other here.
    }
    const opened: number[] = [];
    for (const [index, { visitor, address }] of back.entries()) {
      providers.acme.claims = { email: [one, two][index], email_verified: true };
      opened.push((await visitor.open(address)).status);
    }
    expect(opened).toEqual([303, 303]);
    const left = await db().accountMember.findMany({ where: { accountId: tenant.accountId } });
    expect(left.map(({ role }) => role)).toEqual(['admin']);
  });

  it('of an account apply to its own provider only', async () => {
    const name = someone('acme.example');
    // Written by somebody who is not allowed to: acme does not serve the account globex.
    await addGroupRole(globex, 'everyone', 'admin', undefined, 'acme');
    await addGroupRole(acme, 'everyone', 'admin', undefined, 'globex');
    await signIn('acme', name, { roles: ['everyone'] });
    expect(await membershipsOf(name)).toEqual([]);
    const other = someone('globex.example');
    await createUser(other);
    await signIn('globex', other, { groups: ['everyone'] });
    expect(await membershipsOf(other)).toEqual([]);
  });

  it('end the credentials of a lost membership, and are seen by existing tokens within a second', async () => {
    const name = someone('acme.example');
    await addGroupRole(acme, 'admins', 'admin');
    const { visitor } = await signIn('acme', name, { roles: ['admins'] });
    const token = await tokenOf(visitor);
    expect((await viewer(token)).status).toBe(200);
    const { id: principalId } = await db().principal.findUniqueOrThrow({ where: { name } });
    const { key } = await createKey(app, { accountId: acme.accountId, principalId });
    await signIn('acme', name, { roles: [] });
    await expect.poll(async () => (await viewer(token)).status, { timeout: 5_000 }).toBe(401);
    expect((await viewer(key)).status).toBe(401);
    await signIn('acme', name, { roles: ['admins'] });
    expect((await viewer(key)).status).toBe(401);
  });
});

async function viewer(credential: string) {
  return graphql(app, credential, '{ viewer { name accounts { name } } }');
}

/** Lets the dashboard act for a signed-in user. */
async function grantedTo(visitor: Visitor): Promise<{ access_token: string; refresh_token: string }> {
  const { verifier, challenge } = createVerifier();
  const parameters = { code_challenge: challenge, scope: 'admin', prompt: 'consent' };
  const { location } = await visitor.allow(await visitor.open(authorizeAddress(parameters)));
  const code = URL.parse(location)?.searchParams.get('code') ?? '';
  return (await redeem(app, dashboard, { code, verifier })).body;
}

async function tokenOf(visitor: Visitor): Promise<string> {
  return (await grantedTo(visitor)).access_token;
}

async function refresh(token: string) {
  return callEndpoint(app, 'token', {
    grant_type: 'refresh_token',
    refresh_token: token,
    ...dashboard.credentials,
  });
}

const require = (name: string, requiredSignInProvider: string | null) =>
  db().account.update({ where: { name }, data: { requiredSignInProvider } });

describe('An account that requires a provider', () => {
  it('lets in users of this provider only, and keys as before', async () => {
    const email = await givePassword(app, 'acme');
    const { key } = await createKey(app, acme);
    const byPassword = new Visitor(app);
    const page = await byPassword.open(authorizeAddress(spa));
    const asked = await byPassword.submit(page, 'provider', [['by', 'password']]);
    await byPassword.signIn(asked, email);
    const granted = await grantedTo(byPassword);
    expect((await viewer(granted.access_token)).status).toBe(200);
    await require('acme', 'acme');
    await expect.poll(async () => (await viewer(granted.access_token)).status, { timeout: 5_000 }).toBe(401);
    expect((await refresh(granted.refresh_token)).status).toBe(400);
    const introspected = await callEndpoint(app, 'introspect', {
      token: granted.access_token,
      ...dashboard.credentials,
    });
    expect(introspected.body).toEqual({ active: false });
    expect((await viewer(key)).status).toBe(200);
    const closed = await byPassword.open(authorizeAddress(spa));
    expect(closed.status).toBe(403);
    expect(closed.text).toContain('Sign in with Login of acme');
    expect(closed.text).not.toContain('<select');
    const left = await byPassword.submit(closed, 'provider', []);
    expect(left.location.startsWith(providers.acme.issuer)).toBe(true);
  });

  it('is not among the accounts that the consent page offers, nor accepted from its form', async () => {
    const name = someone('acme.example');
    const principalId = await createUser(name);
    for (const { accountId } of [acme, globex]) {
      await db().accountMember.create({ data: { accountId, principalId, role: 'admin' } });
    }
    await require('globex', 'globex');
    const { visitor } = await signIn('acme', name);
    const consent = await visitor.open(authorizeAddress(spa));
    expect(consent.text).toContain('acme: all workspaces');
    expect(consent.text).not.toContain('globex');
    const forced = await visitor.allow(consent, { place: globex.accountId });
    expect(new URL(forced.location).searchParams.get('error')).toBe('access_denied');
    const inside = await visitor.allow(await visitor.open(authorizeAddress(spa)), {
      place: `${globex.accountId}/${globex.workspaces['globex-main']}`,
    });
    expect(new URL(inside.location).searchParams.get('error')).toBe('access_denied');
  });

  it('is entered after a sign-in with its provider', async () => {
    const name = someone('acme.example');
    await addGroupRole(acme, 'admins', 'admin');
    await require('acme', 'acme');
    const { visitor } = await signIn('acme', name, { roles: ['admins'] });
    const granted = await grantedTo(visitor);
    expect((await viewer(granted.access_token)).body.data?.viewer.accounts).toEqual([{ name: 'acme' }]);
    expect((await refresh(granted.refresh_token)).status).toBe(200);
  });

  it('asks again when an agreement is remembered from another sign-in', async () => {
    const email = await givePassword(app, 'globex');
    const visitor = new Visitor(app);
    const page = await visitor.open(authorizeAddress(spa));
    await visitor.signIn(await visitor.submit(page, 'provider', [['by', 'password']]), email);
    await grantedTo(visitor);
    const again = authorizeAddress({ scope: 'admin' });
    expect(new URL((await visitor.open(again)).location).searchParams.get('code')).not.toBeNull();
    await require('globex', 'globex');
    expect((await visitor.open(again)).status).toBe(403);
  });
});

describe('Back-channel logout', () => {
  const logout = (token: string, more: Record<string, string> = {}) =>
    fetch(`${app.origin}/v0/oauth/backchannel-logout`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token, ...more }),
    });

  async function expectInvalid(response: Response): Promise<void> {
    expect(response.status).toBe(400);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toEqual({ error: 'invalid_request', error_description: expect.any(String) });
  }

  async function member(sid?: string): Promise<{ name: string; visitor: Visitor }> {
    const name = someone('acme.example');
    await addGroupRole(acme, name, 'admin');
    const { visitor } = await signIn('acme', name, { roles: [name], ...(sid === undefined ? {} : { sid }) });
    return { name, visitor };
  }

  it('ends the sessions of a user, and the authorizations given in them', async () => {
    const { name, visitor } = await member();
    const other = await member();
    const granted = await grantedTo(visitor);
    const response = await logout(await providers.acme.logoutToken({ sub: `sub of ${name}` }));
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await response.json()).toEqual({});
    expect(await isSignedIn(visitor)).toBe(false);
    expect(await isSignedIn(other.visitor)).toBe(true);
    expect((await refresh(granted.refresh_token)).status).toBe(400);
    await expect.poll(async () => (await viewer(granted.access_token)).status, { timeout: 5_000 }).toBe(401);
    const change = await db().change.findFirst({ where: { name, kind: 'SIGN_IN', verb: 'deleted' } });
    expect(change).toMatchObject({ actorKind: 'system', client: 'sign_in_provider acme' });
  });

  it('ends one session by its sid', async () => {
    const { name, visitor } = await member('session-1');
    const { visitor: elsewhere } = await signIn('acme', name, { roles: [name], sid: 'session-2' });
    expect((await logout(await providers.acme.logoutToken({ sub: undefined, sid: 'session-1' }))).status).toBe(200);
    expect(await isSignedIn(visitor)).toBe(false);
    expect(await isSignedIn(elsewhere)).toBe(true);
    // With both claims, both have to match.
    const both = await providers.acme.logoutToken({ sub: 'sub of somebody', sid: 'session-2' });
    expect((await logout(both)).status).toBe(200);
    expect(await isSignedIn(elsewhere)).toBe(true);
  });

  it('answers the same for a user who is not signed in', async () => {
    const response = await logout(await providers.acme.logoutToken({ sub: 'nobody' }));
    expect([response.status, await response.json()]).toEqual([200, {}]);
  });

  it('accepts a token once, also of several at once', async () => {
    const token = await providers.acme.logoutToken();
    const responses = await Promise.all(Array.from({ length: 5 }, () => logout(token)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400]);
    await expectInvalid(await logout(token));
    const { name, visitor } = await member();
    const jti = 'one of its own';
    expect((await logout(await providers.globex.logoutToken({ jti }))).status).toBe(200);
    expect((await logout(await providers.acme.logoutToken({ jti, sub: `sub of ${name}` }))).status).toBe(200);
    expect(await isSignedIn(visitor)).toBe(false);
  });

  const now = () => Math.floor(Date.now() / 1000);
  it.each<[string, () => Record<string, unknown>, Record<string, unknown>?]>([
    ['for another client', () => ({ aud: 'client-at-globex' })],
    ['without an audience', () => ({ aud: undefined })],
    ['of another issuer', () => ({ iss: 'https://other.example.com' })],
    ['of another provider', () => ({ iss: providers.globex.issuer })],
    ['without an issuer', () => ({ iss: undefined })],
    ['without iat', () => ({ iat: undefined })],
    ['that is old', () => ({ iat: now() - 600, exp: undefined })],
    ['from the future', () => ({ iat: now() + 600 })],
    ['that has expired', () => ({ exp: now() - 120 })],
    ['without jti', () => ({ jti: undefined })],
    ['with an empty jti', () => ({ jti: '' })],
    ['with a number as jti', () => ({ jti: 1 })],
    ['without events', () => ({ events: undefined })],
    ['of another event', () => ({ events: { 'http://schemas.openid.net/event/other': {} } })],
    ['with a list of events', () => ({ events: ['http://schemas.openid.net/event/backchannel-logout'] })],
    ['with a nonce', () => ({ nonce: 'x' })],
    ['with a nonce that is null', () => ({ nonce: null })],
    ['without sub and sid', () => ({ sub: undefined })],
    ['with an empty sub', () => ({ sub: '' })],
    ['with a NUL in sub', () => ({ sub: 'a\0b' })],
    ['with an object as sid', () => ({ sid: {} })],
    ['of another type', () => ({}), { typ: 'at+jwt' }],
    ['with an unknown key', () => ({}), { kid: 'two' }],
  ])('rejects a token %s', async (_what, claims, header) => {
    const { name, visitor } = await member();
    const token = await providers.acme.logoutToken({ sub: `sub of ${name}`, ...claims() }, header);
    await expectInvalid(await logout(token));
    expect(await isSignedIn(visitor)).toBe(true);
  });

  it('rejects a token that another key signed, or none, or a shared secret', async () => {
    const { name, visitor } = await member();
    const good = await providers.acme.logoutToken({ sub: `sub of ${name}` });
    providers.acme.isForging = true;
    await expectInvalid(await logout(await providers.acme.logoutToken({ sub: `sub of ${name}` })));
    providers.acme.isForging = false;
    const [, payload = '', signature = ''] = good.split('.');
    for (const alg of ['none', 'HS256']) {
      const header = Buffer.from(JSON.stringify({ alg, typ: 'logout+jwt', kid: 'one' })).toString('base64url');
      await expectInvalid(await logout(`${header}.${payload}.${alg === 'none' ? '' : signature}`));
    }
    expect(await isSignedIn(visitor)).toBe(true);
    expect((await logout(good)).status).toBe(200);
  });

  it('rejects what is no logout token', async () => {
    for (const token of ['', 'x', 'a.b.c', '{}', 'x'.repeat(20_000)]) await expectInvalid(await logout(token));
    const twice = new URLSearchParams([
      ['logout_token', 'x'],
      ['logout_token', 'y'],
    ]);
    await expectInvalid(await fetch(`${app.origin}/v0/oauth/backchannel-logout`, { method: 'POST', body: twice }));
    const get = await fetch(`${app.origin}/v0/oauth/backchannel-logout`);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('does not use up a token whose keys cannot be fetched', async () => {
    const { name, visitor } = await member();
    const token = await providers.globex.logoutToken({ sub: `sub of ${name}` });
    expect((await logout(token)).status).toBe(200);
    expect(await isSignedIn(visitor)).toBe(true);
  });
});
