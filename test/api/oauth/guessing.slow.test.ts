// Password guessing while the user wants to sign in: who is admitted, and who has to wait.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { attemptsMax } from '../../../src/auth/sign-in/sign-in-attempts.js';
import { setPassword } from '../../set-password.js';
import { createTenant, useApp } from '../../harness.js';
import { authorizeAddress, givePassword, password, registerClient, Visitor } from './visitor.js';
import type { Page } from './visitor.js';

const running = useApp({ PUBLIC_URL: 'https://control.example.com', CLIENT_ADDRESS_HEADER: 'X-Forwarded-For' });
let email: string;
let other: string;

const cookieName = '__Host-known';
const db = () => running.app.services.db;

beforeAll(async () => {
  const { app } = running;
  await createTenant(app, { account: 'northwind', workspaces: ['northwind-main'] });
  await createTenant(app, { account: 'southwind', workspaces: ['elsewhere'] });
  email = await givePassword(app, 'northwind');
  other = await givePassword(app, 'southwind');
  await registerClient(app, { id: 'spa', isPublic: true });
});

beforeEach(async () => {
  await db().signInAttempt.deleteMany();
});

const home = '192.0.2.1';
const elsewhere = (index: number) => `203.0.113.${index}`;

/** A browser at an address. @param known its cookie from earlier visits, if any */
function browserAt(address: string, known?: string): Visitor {
  const visitor = new Visitor(running.app);
  visitor.address = address;
  if (known !== undefined) visitor.cookies.set(cookieName, known);
  return visitor;
}

async function attempt(visitor: Visitor, typed: string, name = email): Promise<Page> {
  return visitor.signIn(await visitor.open(authorizeAddress({ client_id: 'spa' })), name, typed);
}

const statusOf = async (...given: Parameters<typeof attempt>) => (await attempt(...given)).status;

/** The cookie of a browser in which a user has signed in. */
async function knownCookie(name = email, before?: string): Promise<string> {
  const visitor = browserAt(home, before);
  expect(await statusOf(visitor, password, name)).toBe(200);
  return visitor.cookies.get(cookieName) ?? '';
}

/** The same as guessing everywhere leaves, by one guess. */
async function countAsGuessed(name = email): Promise<void> {
  expect(await statusOf(browserAt(elsewhere(0)), 'a guess', name)).toBe(403);
  await db().signInAttempt.updateMany({ where: { count: { gt: 0 } }, data: { count: attemptsMax.user } });
}

/** As many wrong guesses of a user as are looked at, from everywhere. */
async function guessEverywhere(name = email): Promise<void> {
  const addresses = Math.ceil(attemptsMax.user / attemptsMax['user at address']);
  for (let address = 0; address < addresses; address++) {
    const guesses = Array.from({ length: attemptsMax['user at address'] }, (_, guess) =>
      statusOf(browserAt(elsewhere(address)), `guess ${guess}`, name),
    );
    expect(await Promise.all(guesses)).toEqual(guesses.map(() => 403));
  }
}

async function counts(): Promise<number[]> {
  const rows = await db().signInAttempt.findMany();
  return rows.map(({ count }) => count).toSorted((one, another) => one - another);
}

describe('Guessing passwords', () => {
  it('from one address is limited there, and does not affect other addresses', async () => {
    const guesses = Array.from({ length: 3 * attemptsMax['user at address'] }, (_, guess) =>
      statusOf(browserAt(elsewhere(1)), `guess ${guess}`),
    );
    const looked = (await Promise.all(guesses)).filter((status) => status === 403);
    expect(looked).toHaveLength(attemptsMax['user at address']);
    expect(await statusOf(browserAt(elsewhere(1)), password)).toBe(429);
    // Other users sign in at that address, and the user from any other one, in an unknown browser.
    expect(await statusOf(browserAt(elsewhere(1)), password, other)).toBe(200);
    expect(await statusOf(browserAt(home), password)).toBe(200);
  });

  it('from everywhere blocks unknown browsers, but not the user’s known browser', async () => {
    const known = await knownCookie();
    await guessEverywhere();
    expect(await statusOf(browserAt('192.0.2.77'), password)).toBe(429);
    expect(await statusOf(browserAt('192.0.2.77', known), password)).toBe(200);
    // Where the guesses came from, too, and when that address has used up all that it has.
    await db().signInAttempt.updateMany({ data: { count: 10 * attemptsMax.address } });
    expect(await statusOf(browserAt(elsewhere(0), known), password)).toBe(200);
    expect(await statusOf(browserAt(elsewhere(0)), password)).toBe(429);
  });

  it('gets no more attempts when the user signs in meanwhile', async () => {
    const known = await knownCookie();
    await countAsGuessed();
    expect(await statusOf(browserAt(home, known), password)).toBe(200);
    expect(await statusOf(browserAt(elsewhere(0)), 'one more guess')).toBe(429);
    expect(await statusOf(browserAt('192.0.2.78'), 'one more guess')).toBe(429);
  });

  it('gets no more attempts by signing in as another user in between', async () => {
    for (let round = 0; round < attemptsMax['user at address']; round++) {
      expect(await statusOf(browserAt(elsewhere(1)), `guess ${round}`)).toBe(403);
      expect(await statusOf(browserAt(elsewhere(1)), password, other)).toBe(200);
    }
    expect(await statusOf(browserAt(elsewhere(1)), 'one more guess')).toBe(429);
    await statusOf(browserAt(elsewhere(1)), password, other);
    expect(await statusOf(browserAt(elsewhere(1)), 'one more guess')).toBe(429);
  });
});

describe('A known browser', () => {
  it('has a limit of its own, after which it waits like any other', async () => {
    const known = await knownCookie();
    const guesses = Array.from({ length: 2 * attemptsMax['known browser'] }, (_, guess) =>
      statusOf(browserAt(elsewhere(guess), known), `guess ${guess}`),
    );
    const statuses = await Promise.all(guesses);
    expect(statuses.filter((status) => status === 403)).toHaveLength(attemptsMax['known browser']);
    const refused = await attempt(browserAt(home, known), password);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('900');
    // It has used up nothing of others.
    expect(await statusOf(browserAt(home), password)).toBe(200);
  });

  it('resets its limit after its user has signed in', async () => {
    const known = await knownCookie();
    for (let round = 0; round < 3; round++) {
      for (let guess = 1; guess < attemptsMax['known browser']; guess++) {
        expect(await statusOf(browserAt(home, known), 'a slip')).toBe(403);
      }
      expect(await statusOf(browserAt(home, known), password)).toBe(200);
    }
  });

  it('is known only for the users who signed in there', async () => {
    const known = await knownCookie(other);
    await countAsGuessed();
    expect(await statusOf(browserAt(home, known), password)).toBe(429);
    expect(await statusOf(browserAt(home, known), 'a guess', 'nobody@example.com')).toBe(403);
    await db().signInAttempt.deleteMany();
    const both = await knownCookie(email, known);
    await countAsGuessed();
    await countAsGuessed(other);
    for (const name of [email, other]) expect(await statusOf(browserAt(home, both), password, name)).toBe(200);
  });

  it('is unknown after a new password, or after three months', async () => {
    const { app } = running;
    const known = await knownCookie();
    await countAsGuessed();
    const { now } = app.clock;
    const days = (count: number) => new Date(now.getTime() + count * 24 * 60 * 60_000);
    try {
      app.clock.now = days(89);
      await db().signInAttempt.updateMany({ data: { endsAt: days(200) } });
      expect(await statusOf(browserAt(home, known), password)).toBe(200);
      app.clock.now = days(90);
      expect(await statusOf(browserAt(home, known), password)).toBe(429);
    } finally {
      app.clock.now = now;
    }
    const user = await db().principal.findUniqueOrThrow({ where: { name: email } });
    await setPassword(app.services.db, user.name, 'another password altogether', new Date(now.getTime() + 1));
    expect(await statusOf(browserAt(home, known), 'another password altogether')).toBe(429);
    await setPassword(app.services.db, user.name, password, now);
    expect(await statusOf(browserAt(home, known), password)).toBe(200);
  });

  it('is recognized by an HttpOnly, SameSite cookie that reveals nothing', async () => {
    const visitor = browserAt(home);
    const page = await visitor.open(authorizeAddress({ client_id: 'spa' }));
    const answer = await visitor.submit(page, 'sign-in', [
      ['email', email],
      ['password', password],
    ]);
    const [session = '', known = ''] = answer.headers.getSetCookie();
    expect(session).toMatch(/^__Host-session=/);
    expect(known).toMatch(/^__Host-known=[A-Za-z0-9_-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=7776000; Secure$/);
    const user = await db().principal.findUniqueOrThrow({ where: { name: email } });
    const bytes = Buffer.from(visitor.cookies.get(cookieName) ?? '', 'base64url').toString('latin1');
    for (const secret of [user.id, email, 'users']) expect(bytes).not.toContain(secret);
    // The password is wrong.
    const later = browserAt(home, visitor.cookies.get(cookieName));
    expect((await later.open(authorizeAddress({ client_id: 'spa' }))).text).toContain('<h1>Sign in</h1>');
  });

  it.each<[string, (known: string) => string]>([
    ['changed', (known) => known.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))],
    ['cut short', (known) => known.slice(0, -4)],
    ['forged', () => Buffer.from(JSON.stringify({ id: 'x', users: [] })).toString('base64url')],
    ['that of a form', () => running.app.services.encryption.encrypt('oauth form', '{"id":"x","users":[]}')],
    ['empty', () => ''],
  ])('is not recognized by a cookie that is %s', async (_what, changed) => {
    const known = changed(await knownCookie());
    await countAsGuessed();
    expect(await statusOf(browserAt(home, known), password)).toBe(429);
  });

  it('remembers at most the five newest users', async () => {
    const { app } = running;
    let known: string | undefined;
    for (let user = 0; user < 6; user++) {
      const account = `many-${user}`;
      await createTenant(app, { account, workspaces: [`${account}-main`] });
      known = await knownCookie(await givePassword(app, account), known);
    }
    await db().signInAttempt.deleteMany();
    for (const [user, expected] of [
      [0, [1, 1, 1]],
      [5, [1]],
    ] as const) {
      await statusOf(browserAt(home, known), 'a slip', `owner@many-${user}.example.com`);
      expect(await counts()).toEqual(expected);
      await db().signInAttempt.deleteMany();
    }
  });
});

describe('An attempt', () => {
  it('is counted by address, user and both, or by address only for an unknown user', async () => {
    await statusOf(browserAt(elsewhere(1)), 'a guess');
    expect(await counts()).toEqual([1, 1, 1]);
    await statusOf(browserAt(elsewhere(2)), 'a guess');
    expect(await counts()).toEqual([1, 1, 1, 1, 2]);
    await statusOf(browserAt(elsewhere(2)), 'a guess', 'nobody\u3164@example.com');
    expect(await counts()).toEqual([1, 1, 1, 2, 2]);
  });

  it('that succeeds resets its own count and that of earlier attempts at the same address only', async () => {
    await statusOf(browserAt(elsewhere(1)), 'a guess');
    for (const typed of ['a slip', 'another', password]) await statusOf(browserAt(home), typed);
    // The attacker uses one attempt of the user, one of the address and one of both; two typos at home count for that
    // address.
    expect(await counts()).toEqual([1, 1, 1, 2]);
  });
});
