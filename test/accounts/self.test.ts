// A user's own access in GraphQL: listing and ending it.
import { beforeAll, describe, expect, it } from 'vitest';
import { startSession } from '../../src/auth/sign-in/browser-session.js';
import { createKey, createTenant, frozenNow, graphql, useApp } from '../harness.js';
import type { Answer, Tenant } from '../harness.js';
import { historyOf, mutate } from '../resources/mutations.js';

const running = useApp();
let northwind: Tenant;
let southwind: Tenant;
let key: string;

const db = () => running.app.services.db;

beforeAll(async () => {
  const { app } = running;
  northwind = await createTenant(app, { account: 'northwind', workspaces: ['main', 'side'] });
  southwind = await createTenant(app, { account: 'southwind', workspaces: ['elsewhere'] });
  ({ key } = await createKey(app, northwind));
  const { accountId } = southwind;
  await db().accountMember.create({ data: { accountId, principalId: northwind.principalId, role: 'member' } });
});

async function query(by: string, text: string): Promise<Answer['body']> {
  return (await graphql(running.app, by, text)).body;
}

async function signIn(principalId = northwind.principalId): Promise<string> {
  const cookie = await startSession(db(), principalId, frozenNow, { address: '203.0.113.7', userAgent: 'Browser/1' });
  expect(cookie).not.toBe('');
  const rows = await db().signInSession.findMany({ where: { principalId } });
  return rows.at(-1)?.id ?? '';
}

interface Allowed {
  clientId: string;
  accountId?: string;
  workspaceId?: string;
  remembered?: boolean;
}

/** A program with a live authorization, a refresh token and an access token of it. */
async function allow({ clientId, accountId, workspaceId, remembered = false }: Allowed): Promise<{ tokenId: string }> {
  const given = { accountId: accountId ?? northwind.accountId, workspaceId: workspaceId ?? null, scope: 'agents:list' };
  const of = { ...given, principalId: northwind.principalId };
  const empty = { grantTypes: [], redirectUris: [], scope: 'admin' };
  const client = { id: clientId, displayName: `The ${clientId}`, ...empty };
  await db().oauthClient.createMany({ data: client, skipDuplicates: true });
  if (remembered) await db().oauthConsent.create({ data: { ...of, clientId, givenAt: frozenNow } });
  const times = { createdAt: frozenNow, lastUsedAt: frozenNow };
  const { id: authorizationId } = await db().oauthAuthorization.create({ data: { ...of, clientId, ...times } });
  const life = { issuedAt: frozenNow, expiresAt: new Date(frozenNow.getTime() + 60_000) };
  const token = { id: crypto.randomUUID(), ...of, ...life, clientId, authorizationId };
  await db().accessToken.create({ data: token });
  return { tokenId: token.id };
}

const isRevoked = async (id: string) =>
  (await db().accessToken.findUniqueOrThrow({ where: { id } })).revokedAt !== null;

const sessions = '{ viewer { sessions { sessionId signedInAt expiresAt address userAgent } } }';
const authorizations = `{ viewer { authorizations {
  clientId displayName scopes lastUsedAt account { name } workspace { name } } } }`;

describe('Sessions', () => {
  it('are visible to their user, who can end one or all of them', async () => {
    const id = await signIn();
    await signIn();
    const others = await signIn(southwind.principalId);
    const seen = (await query(key, sessions)).data.viewer.sessions;
    expect(seen).toHaveLength(2);
    expect(seen).toContainEqual({
      sessionId: id,
      signedInAt: frozenNow.toISOString(),
      expiresAt: '2026-11-21T00:00:00.000Z',
      address: '203.0.113.7',
      userAgent: 'Browser/1',
    });
    const end = (input: object) => mutate(running.app, key, 'endSessions', 'ended', input);
    expect(await end({ sessionId: others })).toMatchObject({ code: 'not_found' });
    expect(await end({ sessionId: 'none' })).toMatchObject({ code: 'not_found' });
    expect(await end({ sessionId: id })).toMatchObject({ ended: 1 });
    expect(await end({ sessionId: id })).toMatchObject({ code: 'not_found' });
    expect(await end({})).toMatchObject({ ended: 1 });
    expect((await query(key, sessions)).data.viewer.sessions).toEqual([]);
    expect(await db().signInSession.count()).toBe(1);
    const last = (await historyOf(running.app, northwind)).at(-1);
    expect(last).toMatchObject({ kind: 'SIGN_IN', verb: 'revoked', message: 'Signed out of 1 browser' });
  });

  it('require the scope admin and a credential that is not confined to a workspace', async () => {
    const confined = await createKey(running.app, { ...northwind, workspaceId: northwind.workspaces['main'] ?? '' });
    const narrow = await createKey(running.app, { ...northwind, scope: 'agents:list workspaces:leave' });
    for (const by of [confined.key, narrow.key]) {
      const body = await query(by, sessions);
      expect(body.data.viewer.sessions).toBeNull();
      expect(body.errors[0].extensions.code).toBe('forbidden');
      expect(await mutate(running.app, by, 'endSessions', 'ended', {})).toMatchObject({ code: 'forbidden' });
    }
  });
});

describe('Authorizations', () => {
  it('list consents and active grants, once for each client and tenant', async () => {
    const program = { clientId: 'dashboard', remembered: true };
    const tokens = [await allow(program), await allow({ clientId: 'dashboard' })];
    const narrow = await allow({ clientId: 'dashboard', workspaceId: northwind.workspaces['main'] ?? '' });
    const elsewhere = await allow({ clientId: 'dashboard', accountId: southwind.accountId });
    const seen = (await query(key, authorizations)).data.viewer.authorizations;
    const whole = { clientId: 'dashboard', displayName: 'The dashboard', scopes: ['agents:list'] };
    const inAccount = { ...whole, lastUsedAt: frozenNow.toISOString(), account: { name: 'northwind' } };
    expect(seen).toHaveLength(2);
    expect(seen).toContainEqual({ ...inAccount, workspace: null });
    expect(seen).toContainEqual({ ...inAccount, workspace: { name: 'main' } });
    const revoked = await mutate(running.app, key, 'revokeAuthorization', 'clientId', { clientId: 'dashboard' });
    expect(revoked).toMatchObject({ clientId: 'dashboard' });
    for (const { tokenId } of [...tokens, narrow]) expect(await isRevoked(tokenId)).toBe(true);
    // The credential is of one account: consents in another account are neither listed nor revocable.
    expect(await isRevoked(elsewhere.tokenId)).toBe(false);
    expect((await query(key, authorizations)).data.viewer.authorizations).toEqual([]);
    expect(await db().oauthConsent.count({ where: { principalId: northwind.principalId } })).toBe(0);
    const last = (await historyOf(running.app, northwind)).at(-1);
    expect(last).toMatchObject({ verb: 'revoked', message: 'Revoked the access of the application dashboard' });
  });

  it('list those of one workspace for a credential that is confined to it', async () => {
    const main = northwind.workspaces['main'] ?? '';
    const whole = await allow({ clientId: 'wide' });
    const inMain = await allow({ clientId: 'wide', workspaceId: main });
    const { key: confined } = await createKey(running.app, { ...northwind, workspaceId: main });
    const seen = (await query(confined, authorizations)).data.viewer.authorizations;
    expect(seen).toMatchObject([{ clientId: 'wide', workspace: { name: 'main' } }]);
    await mutate(running.app, confined, 'revokeAuthorization', 'clientId', { clientId: 'wide' });
    expect([await isRevoked(inMain.tokenId), await isRevoked(whole.tokenId)]).toEqual([true, false]);
  });

  it('of other users are neither visible nor revocable', async () => {
    const { tokenId } = await allow({ clientId: 'mine' });
    const { key: foreigner } = await createKey(running.app, southwind);
    expect((await query(foreigner, authorizations)).data.viewer.authorizations).toEqual([]);
    for (const clientId of ['mine', 'none', '', '\u0000', 'x'.repeat(5_000)]) {
      const answer = await mutate(running.app, foreigner, 'revokeAuthorization', 'clientId', { clientId });
      expect(answer).toMatchObject({ __typename: 'NotFoundError' });
    }
    expect(await isRevoked(tokenId)).toBe(false);
  });
});
