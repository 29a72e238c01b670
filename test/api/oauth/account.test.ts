// The account page without scripts: its content, its actions, and attacks.
import { beforeAll, describe, expect, it } from 'vitest';
import { attemptsMax } from '../../../src/auth/sign-in/sign-in-attempts.js';
import { globalId } from '../../../src/pagination/global-id.js';
import { createTenant, frozenNow, graphql, useApp } from '../../harness.js';
import type { Tenant } from '../../harness.js';
import {
  callEndpoint,
  formOf,
  givePassword,
  obtainCode,
  password,
  redeem,
  registerClient,
  Visitor,
} from './visitor.js';
import type { Page, RegisteredClient } from './visitor.js';

const running = useApp({ PUBLIC_URL: 'https://control.example.com', CLIENT_ADDRESS_HEADER: 'X-Forwarded-For' });
let northwind: Tenant;
let dashboard: RegisteredClient;
let email: string;

const page = '/v0/oauth/account';
const db = () => running.app.services.db;

beforeAll(async () => {
  const { app } = running;
  northwind = await createTenant(app, { account: 'northwind', workspaces: ['northwind-main'] });
  await createTenant(app, { account: 'southwind', workspaces: ['elsewhere'] });
  email = await givePassword(app, 'northwind');
  await givePassword(app, 'southwind');
  dashboard = await registerClient(app);
});

/** Signs in on the page, and follows the redirect. */
async function enter(visitor: Visitor, who: string, typed: string): Promise<Page> {
  const answer = await visitor.submit(await visitor.open(page), 'account-sign-in', [
    ['email', who],
    ['password', typed],
  ]);
  return answer.status === 303 ? visitor.open(answer.location) : answer;
}

async function signedIn(who = email, typed = password): Promise<[Visitor, Page]> {
  const visitor = new Visitor(running.app);
  const next = await enter(visitor, who, typed);
  expect([next.status, next.text.includes('<h1>Your account</h1>')]).toEqual([200, true]);
  return [visitor, next];
}

/** Submits a form of the page, and follows the redirect. */
async function act(visitor: Visitor, from: Page, form: string, typed: [string, string][]): Promise<Page> {
  const { hidden } = formOf(from, form);
  const token = hidden.filter(([name]) => name === 'form');
  const answer = await visitor.post(`/v0/oauth/${form}?`, [...token, ...typed]);
  return answer.status === 303 ? visitor.open(answer.location) : answer;
}

const change = (current: string, next: string): [string, string][] => [
  ['current-password', current],
  ['new-password', next],
];

describe('The account page', () => {
  it('requires a sign-in before it shows anything', async () => {
    const visitor = new Visitor(running.app);
    const asked = await visitor.open(page);
    expect(asked.text).toContain('manage your account');
    expect(asked.text).not.toContain('Your account');
    expect((await enter(visitor, email, 'not the password')).status).toBe(403);
  });

  it('cannot be cached or framed, and runs no scripts', async () => {
    const [, shown] = await signedIn();
    expect(shown.headers.get('cache-control')).toBe('no-store');
    const policy = shown.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(shown.text).not.toContain('<script');
  });

  it('counts sessions, links to their list in the profile, and ends all others', async () => {
    await db().signInSession.deleteMany();
    const [other, alone] = await signedIn();
    expect(alone.text).toContain('You are signed in to this browser only.');
    expect(alone.text).not.toContain('action="account-sessions?"');
    other.address = '198.51.100.9';
    const [stranger] = await signedIn('owner@southwind.example.com');
    const [visitor, shown] = await signedIn();
    expect(shown.text).toContain('You are signed in to 2 browsers.');
    expect(shown.text).toContain('<a href="https://control.example.com/profile">View sessions</a>');
    expect(shown.text).not.toContain('198.51.100.9');
    const done = await act(visitor, shown, 'account-sessions', []);
    expect(done.text).toContain('All other sessions were ended.');
    expect(await db().signInSession.count({ where: { principalId: northwind.principalId } })).toBe(1);
    expect((await other.open(page)).text).toContain('<h1>Sign in</h1>');
    for (const stays of [visitor, stranger]) expect((await stays.open(page)).text).toContain('<h1>Your account</h1>');
  });

  it('lists the consents of programs, and revokes them', async () => {
    const granted = await redeem(running.app, dashboard, await obtainCode(running.app, email));
    const [visitor, shown] = await signedIn();
    expect(shown.text).toContain('<strong>The dashboard</strong> in northwind');
    expect(shown.text).toContain('List agents');
    const done = await act(visitor, shown, 'account-programs', [['client', 'dashboard']]);
    expect(done.text).toContain('Access was revoked.');
    expect(done.text).toContain('No authorized applications.');
    const { refresh_token: refreshToken, access_token: token } = granted.body;
    const body = { grant_type: 'refresh_token', refresh_token: refreshToken, ...dashboard.credentials };
    expect((await callEndpoint(running.app, 'token', body)).body.error).toBe('invalid_grant');
    await expect.poll(async () => (await graphql(running.app, token, '{ viewer { name } }')).status).toBe(401);
  });

  it('escapes names from other users', async () => {
    const displayName = '<img src=x> & "co"';
    const client = await registerClient(running.app, { id: 'odd', displayName });
    await redeem(running.app, client, await obtainCode(running.app, email, { client_id: 'odd' }));
    const [, shown] = await signedIn();
    expect(shown.text).not.toContain('<img');
    expect(shown.text).toContain('&#60;img src=x&#62; &#38; &#34;co&#34;');
  });
});

describe('An invitation on the account page', () => {
  const invite = async (name: string) => {
    const expiresAt = new Date(frozenNow.getTime() + 60_000);
    const data = { accountId: northwind.accountId, name, role: 'viewer' as const, invitedBy: email, expiresAt };
    return (await db().invitation.create({ data })).id;
  };

  it('can be accepted by a user without an account', async () => {
    const { id: principalId } = await db().principal.create({ data: { kind: 'user', name: 'new@example.com' } });
    const { hash } = await db().userPassword.findUniqueOrThrow({ where: { principalId: northwind.principalId } });
    await db().userPassword.create({ data: { principalId, hash, changedAt: frozenNow } });
    const id = await invite('new@example.com');
    const [visitor, shown] = await signedIn('new@example.com');
    // The profile is in the console, which needs an account.
    expect(shown.text).not.toContain('View sessions');
    expect(shown.text).toContain(`${email} invited you to the account northwind with the role viewer.`);
    const done = await act(visitor, shown, 'account-invitations', [
      ['invitation', id],
      ['decision', 'accept'],
    ]);
    expect(done.text).toContain('Your response was saved.');
    expect(done.text).not.toContain('invited you');
    expect(done.text).toContain('>Open console</a>');
    expect(done.text).toContain('View sessions');
    const member = await db().accountMember.findFirst({ where: { principalId } });
    expect(member).toMatchObject({ accountId: northwind.accountId, role: 'viewer' });
  });

  it('has a page of its own, to which a sign-in leads', async () => {
    const id = await invite('owner@southwind.example.com');
    const own = `${page}?invitation=${globalId('Invitation', id)}`;
    const visitor = new Visitor(running.app);
    const asked = await visitor.open(own);
    expect(asked.text).toContain('to answer your invitation');
    const shown = await visitor.signIn(asked, 'owner@southwind.example.com', password, 'account-sign-in');
    expect(shown.text).toContain('<h1>Invitation</h1>');
    expect(shown.text.split('action="account-invitations?"')).toHaveLength(2);
    expect(shown.text).not.toContain('Change password');
    const done = await visitor.submit(shown, 'account-invitations', [['decision', 'accept']]);
    expect(done.location).toBe('account?done=account-invitations&decision=accept');
    expect(await db().invitation.findUniqueOrThrow({ where: { id } })).toMatchObject({ status: 'accepted' });
    const again = await visitor.open(own);
    expect(again.status).toBe(404);
    expect(again.text).toContain('This invitation was answered or revoked');
  });

  it('is not shown to another user, who can sign in as the invited one', async () => {
    const own = `${page}?invitation=${globalId('Invitation', await invite('another@example.com'))}`;
    const [visitor] = await signedIn();
    const refused = await visitor.open(own);
    expect(refused.status).toBe(404);
    expect(refused.text).toContain('is for another email address');
    expect(refused.text).not.toContain('northwind with the role');
    const answer = await visitor.submit(refused, 'account-sign-out', []);
    expect((await visitor.open(answer.location)).text).toContain('to answer your invitation');
  });

  it('is visible only to the invited user, and declined unless explicitly accepted', async () => {
    const id = await invite('owner@southwind.example.com');
    const others = await invite('somebody@example.com');
    const [visitor, shown] = await signedIn('owner@southwind.example.com');
    const foreign = await act(visitor, shown, 'account-invitations', [
      ['invitation', others],
      ['decision', 'accept'],
    ]);
    expect(foreign.status).toBe(404);
    await act(visitor, shown, 'account-invitations', [['invitation', id]]);
    expect(await db().invitation.findUniqueOrThrow({ where: { id } })).toMatchObject({ status: 'declined' });
  });
});

describe('A form of the account page', () => {
  it('is rejected without the token of this browser, and from another site', async () => {
    const [visitor, shown] = await signedIn();
    const [other, others] = await signedIn('owner@southwind.example.com');
    const { path, hidden } = formOf(shown, 'account-password');
    const typed = change(password, 'another password altogether');
    expect((await visitor.post(path, typed)).status).toBe(403);
    const foreignToken = formOf(others, 'account-password').hidden;
    expect((await visitor.post(path, [...foreignToken, ...typed])).status).toBe(403);
    // The token of one form is none of another.
    const signOut = formOf(shown, 'account-sign-out').hidden;
    expect((await visitor.post(path, [...signOut, ...typed])).status).toBe(403);
    const crossSite = await visitor.post(path, [...hidden, ...typed], { 'sec-fetch-site': 'cross-site' });
    expect(crossSite.status).toBe(403);
    expect((await other.post(path, [...hidden, ...typed])).status).toBe(403);
    expect((await visitor.open(page)).text).toContain('<h1>Your account</h1>');
  });

  it.each(['account-sessions', 'account-programs', 'account-invitations', 'account-password'])(
    'is posted, not opened: %s',
    async (form) => {
      const [visitor] = await signedIn();
      expect((await visitor.open(`/v0/oauth/${form}`)).status).toBe(405);
    },
  );

  it('has no effect after the user has signed out', async () => {
    const [visitor, shown] = await signedIn();
    await db().signInSession.deleteMany({ where: { principalId: northwind.principalId } });
    const answer = await act(visitor, shown, 'account-password', change(password, 'another password altogether'));
    expect(answer.text).toContain('<h1>Sign in</h1>');
    await signedIn();
  });
});

describe('A password', () => {
  const next = 'a new password of some length';

  it('can be changed by its user, which ends all other sessions', async () => {
    const granted = await redeem(running.app, dashboard, await obtainCode(running.app, email));
    const [other] = await signedIn();
    const [visitor, shown] = await signedIn();
    const cookie = visitor.cookie;
    const done = await act(visitor, shown, 'account-password', change(password, next));
    expect(done.text).toContain('Your password was changed.');
    expect(visitor.cookie).not.toBe(cookie);
    expect((await other.open(page)).text).toContain('<h1>Sign in</h1>');
    const { refresh_token: refreshToken } = granted.body;
    const body = { grant_type: 'refresh_token', refresh_token: refreshToken, ...dashboard.credentials };
    expect((await callEndpoint(running.app, 'token', body)).body.error).toBe('invalid_grant');
    await signedIn(email, next);
    const last = await db().change.findFirstOrThrow({
      where: { accountId: northwind.accountId, kind: 'USER' },
      orderBy: { sequence: 'desc' },
    });
    expect(last).toMatchObject({ kind: 'USER', verb: 'updated', message: 'Changed their password', api: 'oauth' });
    const [again, form] = await signedIn(email, next);
    await act(again, form, 'account-password', change(next, password));
  });

  it('that two browsers change at the same time is changed by one of them', async () => {
    const { clock } = running.app;
    const before = clock.now;
    clock.now = new Date(before.getTime() + 1_000);
    const who = 'owner@southwind.example.com';
    const browsers = [await signedIn(who), await signedIn(who)];
    const chosen = ['the first of two new passwords', 'the second of two new passwords'];
    const answers = await Promise.all(
      browsers.map(([visitor, shown], index) =>
        act(visitor, shown, 'account-password', change(password, chosen[index] ?? '')),
      ),
    );
    const changed = answers.map(({ text }) => text.includes('Your password was changed.'));
    expect(changed.toSorted()).toEqual([false, true]);
    const [visitor, shown] = await signedIn(who, chosen[changed.indexOf(true)]);
    await act(visitor, shown, 'account-password', change(chosen[changed.indexOf(true)] ?? '', password));
    clock.now = before;
  });

  it.each<[string, [string, string][], number]>([
    ['a current one that is not right', change('something else', next), 403],
    ['a short new one', change(password, 'short'), 400],
    ['a new one that is too long', change(password, 'x'.repeat(201)), 400],
    ['the same one', change(password, password), 400],
    ['nothing', [], 403],
  ])('stays the same with %s', async (_what, typed, status) => {
    const [visitor, shown] = await signedIn();
    const answer = await act(visitor, shown, 'account-password', typed);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain('aria-invalid="true"');
    await signedIn();
  });

  it('that is right is no guess, however often the new one breaks a rule', async () => {
    const [visitor, shown] = await signedIn();
    const statuses: number[] = [];
    for (let attempt = 0; attempt <= attemptsMax['known browser']; attempt++)
      statuses.push((await act(visitor, shown, 'account-password', change(password, 'short'))).status);
    expect(new Set(statuses)).toEqual(new Set([400]));
  });

  it('counts wrong attempts together with those of the sign-in page', async () => {
    const [visitor, shown] = await signedIn('owner@southwind.example.com');
    const statuses: number[] = [];
    for (let attempt = 0; attempt <= attemptsMax['known browser']; attempt++) {
      statuses.push((await act(visitor, shown, 'account-password', change(`guess ${attempt}`, next))).status);
    }
    expect(statuses.slice(0, -1).every((status) => status === 403)).toBe(true);
    expect(statuses.at(-1)).toBe(429);
  });
});
