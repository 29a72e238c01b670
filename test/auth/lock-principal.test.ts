// Credentials that are created while their user or service account is disabled, or loses its access. The first transaction holds
// its lock until the second one waits for it.
import { beforeEach, describe, expect, it } from 'vitest';
import { encodeGlobalId } from '../../src/api/graphql/global-id.js';
import { endAccess } from '../../src/accounts/access-end.js';
import { beginSignIn } from '../../src/accounts/sign-ins.js';
import { setPrincipalDisabled } from '../../src/accounts/user-changes.js';
import { endMembership } from '../../src/auth/membership.js';
import { findClient } from '../../src/auth/grants/oauth-client.js';
import { authorizeClient } from '../../src/auth/grants/authorization.js';
import { startSession } from '../../src/auth/sign-in/browser-session.js';
import { frameContext } from '../../src/cli/operator/operator-context.js';
import type { Transaction } from '../../src/database/open.js';
import { callEndpoint, callback, createVerifier, registerClient, registerService } from '../api/oauth/visitor.js';
import { createKey, createTenant, frozenNow, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { typePrefix } from './generic-cases.js';
import { mutate, startedInTurn, untilWaiting } from '../resources/mutations.js';

const running = useApp({ PLATFORM_ACCOUNT: 'platform' });
const db = () => running.app.services.db;
let count = 0;
let mark: string;
let tenant: Tenant;
let admin: string;
let platform: string;
let name: string;
let user: { id: string; name: string };

beforeEach(async () => {
  const { app } = running;
  mark = `tenant-${++count}`;
  if (count === 1)
    platform = (await createKey(app, await createTenant(app, { account: 'platform', workspaces: [] }))).key;
  tenant = await createTenant(app, { account: mark, workspaces: [`${mark}-main`] });
  admin = (await createKey(app, tenant)).key;
  name = `somebody@${mark}.example.com`;
  user = await db().principal.create({ data: { kind: 'user', name } });
  await db().accountMember.create({ data: { accountId: tenant.accountId, principalId: user.id, role: 'admin' } });
});

/** Starts an act while a change of the user is not yet committed, and returns after both. */
async function during<Result>(change: (tx: Transaction) => Promise<unknown>, act: () => Promise<Result>) {
  let started: Promise<PromiseSettledResult<Result>[]> | undefined;
  await db().$begin(async (tx) => {
    const prisma = await tx.$prisma();
    await change(prisma);
    started = Promise.allSettled([act()]);
    await untilWaiting(running.app, prisma, 1);
  });
  const [settled] = (await started) ?? [];
  return settled;
}

const disabling = (tx: Transaction) => tx.principal.update({ where: { id: user.id }, data: { disabledAt: frozenNow } });
const deleting = (tx: Transaction) => tx.principal.delete({ where: { id: user.id } });

const signIn = () =>
  beginSignIn(
    db(),
    { user, address: '127.0.0.1', now: frozenNow, requestId: 'r' },
    { cookie: undefined, userAgent: undefined },
    { message: 'Signed in by password' },
  );

describe('A user who is disabled after the check of a sign-in', () => {
  it('gets no session', async () => {
    await setPrincipalDisabled(await frameContext(running.app.services), { kind: 'user', name, isDisabled: true });
    await expect(signIn()).rejects.toMatchObject({ error: 'unauthorized' });
    expect(await db().signInSession.count({ where: { principalId: user.id } })).toBe(0);
  });

  it.each([
    ['disabled', disabling],
    ['deleted', deleting],
  ])('gets no session if the sign-in begins while the user is being %s', async (_change, change) => {
    expect(await during(change, signIn)).toMatchObject({ status: 'rejected', reason: { error: 'unauthorized' } });
    expect(await db().signInSession.count({ where: { principalId: user.id } })).toBe(0);
  });
});

describe('endAccess everywhere', () => {
  const end = async () =>
    endAccess(await frameContext(running.app.services), { name, everywhere: true, validateOnly: false });

  it('disables a user from now on who is being enabled', async () => {
    await db().principal.update({ where: { id: user.id }, data: { disabledAt: new Date('2026-01-01T00:00:00Z') } });
    const enabling = (tx: Transaction) => tx.principal.update({ where: { id: user.id }, data: { disabledAt: null } });
    expect(await during(enabling, end)).toMatchObject({ status: 'fulfilled', value: { isDisabled: true } });
    expect(await db().principal.findUnique({ where: { id: user.id } })).toMatchObject({ disabledAt: frozenNow });
  });

  it('finds no user who is being deleted', async () => {
    expect(await during(deleting, end)).toMatchObject({ status: 'rejected', reason: { error: 'not_found' } });
  });
});

describe('While a user is being disabled', () => {
  it('a client that acts as the user gets no token', async () => {
    const { app } = running;
    const service = await registerService(
      app,
      { ...tenant, principalId: user.id, workspaceId: null },
      { id: `${mark}-ci` },
    );
    const ask = () => callEndpoint(app, 'token', { grant_type: 'client_credentials', ...service.credentials });
    expect(await during(disabling, ask)).toMatchObject({
      status: 'fulfilled',
      value: { body: { error: 'unauthorized_client' } },
    });
    expect(await db().accessToken.count({ where: { principalId: user.id } })).toBe(0);
  });

  it('the user creates and rotates no key, and nobody creates one for the user', async () => {
    const { app } = running;
    const { key, id } = await createKey(app, { ...tenant, principalId: user.id });
    const input = { name: 'another', scopes: ['agents:list'] };
    const send = (by: string, mutation: 'createApiKey' | 'rotateApiKey', given: object) => () =>
      graphql(
        app,
        by,
        `mutation ($input: ${typePrefix(mutation)}Input!) { ${mutation}(input: $input) { __typename } }`,
        {
          input: given,
        },
      );
    const acts = [
      send(key, 'createApiKey', input),
      send(key, 'rotateApiKey', { id: encodeGlobalId('ApiKey', id) }),
      send(platform, 'createApiKey', { ...input, account: mark, owner: name }),
    ];
    for (const act of acts) {
      // The process remembers the caller for a moment, so that the request is authenticated.
      await graphql(app, key, '{ viewer { __typename } }');
      expect(await during(disabling, act)).toMatchObject({ status: 'fulfilled' });
      await db().principal.update({ where: { id: user.id }, data: { disabledAt: null } });
    }
    expect(await db().apiKey.count({ where: { principalId: user.id } })).toBe(1);
  });
});

describe('A key that is created before the access of its owner ends', () => {
  it.each([
    ['everywhere', () => mutate(running.app, platform, 'endAccess', '__typename', { name, everywhere: true })],
    ['in the account', () => mutate(running.app, admin, 'endAccess', '__typename', { name })],
    ['by removing the member', () => mutate(running.app, admin, 'removeMember', '__typename', { name })],
  ])('ends with it: %s', async (_how, end) => {
    const { app } = running;
    const { key } = await createKey(app, { ...tenant, principalId: user.id });
    const create = () => mutate(app, key, 'createApiKey', 'secret', { name: 'another', scopes: ['agents:list'] });
    await startedInTurn<object>(app, tenant.accountId, [create, end]);
    const where = { principalId: user.id };
    expect(await db().apiKey.count({ where })).toBe(2);
    expect(await db().apiKey.count({ where: { ...where, revokedAt: null } })).toBe(0);
  });
});

describe('While a member is being removed', () => {
  it('the member authorizes no program', async () => {
    const { app } = running;
    const { id } = await registerClient(app, { id: `${mark}-program` });
    const client = await findClient(db(), id, app.config.PUBLIC_URL);
    if (client === undefined) throw new Error('the client does not exist');
    await startSession(db(), user.id, frozenNow, { address: '127.0.0.1', userAgent: undefined });
    const session = await db().signInSession.findFirstOrThrow({ where: { principalId: user.id } });
    const signedIn = { principalId: user.id, sessionId: session.id, signedInAt: frozenNow, provider: null };
    const { challenge } = createVerifier();
    const request = {
      client,
      redirectUri: callback,
      state: undefined,
      scopes: ['agents:list'],
      challenge,
      prompts: [],
    };
    const rest = { maxAgeSeconds: undefined, nonce: undefined, loginHint: undefined };
    const decision = { accountId: tenant.accountId, workspaceId: null, scopes: ['agents:list'] };
    const agree = () => authorizeClient(db(), signedIn, { ...request, ...rest }, decision, frozenNow);
    const removing = async (tx: Transaction) => {
      await endMembership(tx, { accountId: tenant.accountId, workspaceId: null }, user.id, frozenNow);
    };
    expect(await during(removing, agree)).toMatchObject({ status: 'rejected', reason: { code: 'access_denied' } });
    expect(await db().oauthAuthorization.count({ where: { principalId: user.id } })).toBe(0);
  });
});
