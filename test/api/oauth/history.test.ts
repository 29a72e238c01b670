// The OAuth pages record in the change logs of the accounts: sign-ins and sign-outs, failed sign-ins, and consents.
// Unknown users are not recorded.
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, graphql, useApp } from '../../harness.js';
import type { Tenant } from '../../harness.js';
import {
  authorizeAddress,
  callEndpoint,
  formOf,
  givePassword,
  obtainCode,
  password,
  redeem,
  registerClient,
  registerService,
  Visitor,
  setDisabled,
} from './visitor.js';

const running = useApp({ CLIENT_ADDRESS_HEADER: 'x-forwarded-for' });
const address = '192.0.2.7';
let northwind: Tenant;
let southwind: Tenant;
let email: string;
let keys: { northwind: string; southwind: string };
let cursor: string;

/** The changes of an account since the last call. */
async function told(of: 'northwind' | 'southwind' = 'northwind'): Promise<Record<string, unknown>[]> {
  const { app } = running;
  await app.services.deniedRequests.settle();
  const query = `query($after: String) { changes(after: $after, first: 100, filter: { kinds: [SIGN_IN, ACCESS, OAUTH_CLIENT] }) {
    nodes { kind action name message count client address actor { kind name } after } pageInfo { endCursor } } }`;
  const { body } = await graphql(app, keys[of], query, { after: of === 'northwind' ? cursor : null });
  expect(body.errors).toBeUndefined();
  if (of === 'northwind') cursor = body.data.changes.pageInfo.endCursor;
  return body.data.changes.nodes;
}

function aVisitor(): Visitor {
  const visitor = new Visitor(running.app);
  visitor.address = address;
  return visitor;
}

beforeAll(async () => {
  const { app } = running;
  northwind = await createTenant(app, { account: 'northwind', workspaces: ['northwind-main'] });
  southwind = await createTenant(app, { account: 'southwind', workspaces: ['southwind-main'] });
  keys = { northwind: (await createKey(app, northwind)).key, southwind: (await createKey(app, southwind)).key };
  email = await givePassword(app, 'northwind');
  await givePassword(app, 'southwind');
  await registerClient(app);
  const { body } = await graphql(app, keys.northwind, '{ changeCursor }');
  cursor = body.data.changeCursor;
});

const inBrowser = { client: 'session browser', address, count: 1 };

describe('The change log', () => {
  it('records sign-in, consent and sign-out', async () => {
    const visitor = aVisitor();
    const page = await visitor.signIn(await visitor.open(authorizeAddress({})), email);
    await visitor.allow(page);
    const again = await visitor.open(authorizeAddress({ prompt: 'consent' }));
    await visitor.post(formOf(again, 'sign-out').path, formOf(again, 'sign-out').hidden);
    const actor = { kind: 'USER', name: email };
    expect(await told()).toEqual([
      {
        ...inBrowser,
        kind: 'SIGN_IN',
        action: 'CREATED',
        name: email,
        message: 'Signed in by password',
        actor,
        after: null,
      },
      {
        ...inBrowser,
        kind: 'ACCESS',
        action: 'CREATED',
        name: 'dashboard',
        message: 'Authorized the application dashboard',
        actor,
        after: { scope: 'agents:list' },
      },
      { ...inBrowser, kind: 'SIGN_IN', action: 'DELETED', name: email, message: 'Signed out', actor, after: null },
    ]);
    expect(await told('southwind')).toEqual([]);
  });

  it('records failed sign-ins without the typed password, and none for unknown users', async () => {
    const visitor = aVisitor();
    const page = await visitor.open(authorizeAddress({}));
    await visitor.signIn(page, email, 'a guessed password');
    await visitor.signIn(page, email, 'another guessed password');
    await visitor.signIn(page, 'nobody@example.com', 'a guessed password');
    await visitor.signIn(page, '\u0000', 'a guessed password');
    const seen = await told();
    expect(seen).toEqual([
      {
        ...inBrowser,
        kind: 'SIGN_IN',
        action: 'DENIED',
        name: email,
        message: expect.stringMatching(/^Incorrect password\./),
        count: expect.any(Number),
        actor: { kind: 'ANONYMOUS', name: null },
        after: null,
      },
    ]);
    expect(JSON.stringify(seen)).not.toMatch(/guessed|nobody/);
    expect(await told('southwind')).toEqual([]);
    const { db } = running.app.services;
    expect(await db.deniedRequest.count({ where: { name: { not: email } } })).toBe(0);
  });

  it('records repeated attempts once, also above the limit, and those of a disabled user', async () => {
    const { app } = running;
    const visitor = aVisitor();
    const other = 'owner@southwind.example.com';
    await setDisabled(app, other, true);
    const page = await visitor.open(authorizeAddress({}));
    for (let index = 0; index < 12; index++) await visitor.signIn(page, other);
    await setDisabled(app, other, false);
    const seen = (await told('southwind')).filter(({ kind }) => kind === 'SIGN_IN');
    expect(seen).toHaveLength(1);
    const [row] = await app.services.db.deniedRequest.findMany({ where: { accountId: southwind.accountId } });
    expect(Number(seen[0]?.['count']) + (row?.count ?? 0)).toBe(12);
    expect(await told()).toEqual([]);
  });

  it('records a wrong client secret and a reused code for its account only', async () => {
    const { app } = running;
    const service = await registerService(app, { ...northwind, workspaceId: null });
    const wrong = { grant_type: 'client_credentials', client_id: service.id, client_secret: 'a guessed secret' };
    for (const client_id of [service.id, 'no-such-client', '\u0000']) {
      expect((await callEndpoint(app, 'token', { ...wrong, client_id })).status).toBe(401);
    }
    const program = await registerClient(app, { id: 'reporting' });
    const given = await obtainCode(app, email, { client_id: program.id });
    expect((await redeem(app, program, given)).status).toBe(200);
    expect((await redeem(app, program, given)).status).toBe(400);
    const seen = (await told()).filter(({ action }) => action === 'DENIED');
    expect(seen.map(({ kind, name, client, message }) => [kind, name, client, message]).toSorted()).toEqual([
      ['ACCESS', 'client', `oauth_client ${service.id}`, 'Incorrect client secret.'],
      ['ACCESS', 'token', `oauth_client ${program.id}`, 'The code was used before.'],
    ]);
    expect(JSON.stringify(seen)).not.toContain('guessed');
  });

  it('records reused codes of two authorizations of the same client', async () => {
    const { app } = running;
    const program = await registerClient(app, { id: 'exporting' });
    const given = [
      await obtainCode(app, email, { client_id: program.id }),
      await obtainCode(app, email, { client_id: program.id }),
    ];
    for (const each of given) expect((await redeem(app, program, each)).status).toBe(200);
    await told();
    for (const each of given) expect((await redeem(app, program, each)).status).toBe(400);
    const client = `oauth_client ${program.id}`;
    const seen = (await told()).filter(({ action }) => action === 'DENIED');
    expect(seen).toMatchObject([{ name: 'token', client }]);
    // On a busy machine the second is counted after the first is recorded.
    const [row] = await app.services.db.deniedRequest.findMany({ where: { client } });
    expect(Number(seen[0]?.['count']) + (row?.count ?? 0)).toBe(2);
  });

  it('records wrong and approved device codes, and a wrong password on the account page', async () => {
    const { app } = running;
    const visitor = aVisitor();
    const page = await visitor.signIn(await visitor.open('device'), email, password, 'device-sign-in');
    expect(page.status).toBe(200);
    await visitor.open('device?user_code=BBBB-BBBB');
    const asked = await callEndpoint(app, 'device_authorization', { client_id: 'command-line', scope: 'agents:list' });
    const consent = await visitor.open(`device?user_code=${asked.body.user_code}`);
    await visitor.allow(consent, {}, 'device-consent');
    const own = await visitor.open('account');
    const form = formOf(own, 'account-password');
    const typed: [string, string][] = [
      ['current-password', 'a guessed password'],
      ['new-password', 'another password that is long'],
    ];
    expect((await visitor.post(form.path, [...form.hidden, ...typed])).status).toBe(403);
    const seen = await told();
    expect(seen.map(({ kind, action, name }) => `${kind} ${action} ${name}`)).toEqual(
      expect.arrayContaining([
        `SIGN_IN CREATED ${email}`,
        'ACCESS CREATED command-line',
        'ACCESS DENIED device',
        'ACCESS DENIED account-password',
      ]),
    );
    expect(JSON.stringify(seen)).not.toMatch(/guessed|BBBB/);
  });
});
