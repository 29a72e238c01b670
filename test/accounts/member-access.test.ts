// What an admin sees of a member's access: only that to the own account.
import { beforeAll, describe, expect, it } from 'vitest';
import { startSession } from '../../src/auth/sign-in/browser-session.js';
import { createKey, createTenant, frozenNow, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';

const running = useApp();
const db = () => running.app.services.db;
let northwind: Tenant;
let southwind: Tenant;
let admin: string;
const name = 'mia@northwind.example.com';
let principalId: string;

beforeAll(async () => {
  const { app } = running;
  northwind = await createTenant(app, { account: 'northwind', workspaces: ['main', 'side'] });
  southwind = await createTenant(app, { account: 'southwind', workspaces: ['elsewhere'] });
  admin = (await createKey(app, northwind)).key;
  ({ id: principalId } = await db().principal.create({ data: { kind: 'user', name } }));
  for (const { accountId } of [northwind, southwind]) {
    await db().accountMember.create({ data: { accountId, principalId, role: 'member' } });
  }
  for (const workspaceId of [northwind.workspaces['side'] ?? '', southwind.workspaces['elsewhere'] ?? '']) {
    await db().workspaceMember.create({ data: { workspaceId, principalId, role: 'admin' } });
  }
  const empty = { grantTypes: [], redirectUris: [], scope: 'admin' };
  await db().oauthClient.create({ data: { id: 'desk', displayName: 'The desk', ...empty } });
});

async function signIn(address: string): Promise<string> {
  await startSession(db(), principalId, frozenNow, { address, userAgent: 'Browser/1' });
  return (await db().signInSession.findFirstOrThrow({ where: { principalId, address } })).id;
}

async function authorize(accountId: string, sessionId: string, minutesAgo: number, endedAt: Date | null = null) {
  const lastUsedAt = new Date(frozenNow.getTime() - minutesAgo * 60_000);
  const times = { createdAt: lastUsedAt, lastUsedAt, endedAt };
  await db().oauthAuthorization.create({
    data: { clientId: 'desk', principalId, accountId, sessionId, scope: 'agents:list', ...times },
  });
}

const fields = `sessions { sessionId address userAgent lastUsedAt } authorizations { clientId scopes lastUsedAt account { name } }
  workspaceRoles { workspaceName role origin }`;

async function read(by: string, of: Tenant, who = name) {
  const id = Buffer.from(`1:Account:${of.accountId}`).toString('base64url');
  const query = `query ($id: ID!, $name: String!) { account(id: $id) { id memberAccess(name: $name) { ${fields} } } }`;
  return (await graphql(running.app, by, query, { id, name: who })).body;
}

describe('memberAccess', () => {
  it('has the member of exactly this name, also if others contain it', async () => {
    const { accountId } = northwind;
    const others = await db().principal.createManyAndReturn({
      data: Array.from({ length: 30 }, (_none, index) => ({ kind: 'user' as const, name: `${index}${name}` })),
    });
    await db().accountMember.createMany({
      data: others.map(({ id }) => ({ accountId, principalId: id, role: 'viewer' as const })),
    });
    const id = Buffer.from(`1:Account:${accountId}`).toString('base64url');
    const query = `query ($id: ID!, $name: String!) {
      account(id: $id) { memberAccess(name: $name) { member { name kind role isInherited origin isDisabled memberSince } } }
    }`;
    const { body } = await graphql(running.app, admin, query, { id, name });
    const { memberSince, ...member } = body.data.account.memberAccess.member;
    expect(member).toEqual({
      name,
      kind: 'USER',
      role: 'MEMBER',
      isInherited: false,
      origin: 'MANUAL',
      isDisabled: false,
    });
    expect(Date.parse(memberSince)).not.toBeNaN();
  });

  it('shows the sessions, programs and workspace roles of a member in the account, and nothing of other accounts', async () => {
    const [here, elsewhere, both, ended] = await Promise.all(
      ['203.0.113.1', '203.0.113.2', '203.0.113.3', '203.0.113.4'].map(signIn),
    );
    await authorize(northwind.accountId, here ?? '', 5);
    await authorize(southwind.accountId, elsewhere ?? '', 1);
    await authorize(northwind.accountId, both ?? '', 60);
    await authorize(southwind.accountId, both ?? '', 2);
    await authorize(northwind.accountId, ended ?? '', 3, frozenNow);
    const { data, errors } = await read(admin, northwind);
    expect(errors).toBeUndefined();
    const { sessions, authorizations, workspaceRoles } = data.account.memberAccess;
    const bySession = sessions.toSorted((one: { address: string }, other: { address: string }) =>
      one.address.localeCompare(other.address),
    );
    expect(bySession).toEqual([
      { sessionId: here, address: '203.0.113.1', userAgent: 'Browser/1', lastUsedAt: '2026-11-20T11:55:00.000Z' },
      { sessionId: both, address: '203.0.113.3', userAgent: 'Browser/1', lastUsedAt: '2026-11-20T11:00:00.000Z' },
    ]);
    expect(authorizations).toEqual([
      {
        clientId: 'desk',
        scopes: ['agents:list'],
        lastUsedAt: '2026-11-20T11:55:00.000Z',
        account: { name: 'northwind' },
      },
    ]);
    expect(workspaceRoles).toEqual([{ workspaceName: 'side', role: 'ADMIN', origin: 'MANUAL' }]);
  });

  it('is null for someone who is not a member, and for a name that cannot be one', async () => {
    const { app } = running;
    const stranger = await createTenant(app, { account: 'stranger', workspaces: [] });
    const { name: other } = await db().principal.findUniqueOrThrow({ where: { id: stranger.principalId } });
    for (const who of [other, 'nobody@example.com', '', '\u0000', 'x'.repeat(5000)]) {
      const { data, errors } = await read(admin, northwind, who);
      expect(errors).toBeUndefined();
      expect(data.account.memberAccess).toBeNull();
    }
  });

  it('is refused to members, viewers, keys of a workspace and other accounts', async () => {
    const { app } = running;
    const member = (await createKey(app, { ...northwind, principalId })).key;
    const { id: viewerId } = await db().principal.create({ data: { kind: 'user', name: 'vic@northwind.example.com' } });
    await db().accountMember.create({
      data: { accountId: northwind.accountId, principalId: viewerId, role: 'viewer' },
    });
    const viewer = (await createKey(app, { ...northwind, principalId: viewerId })).key;
    const confined = (await createKey(app, { ...northwind, workspaceId: northwind.workspaces['main'] ?? '' })).key;
    const foreign = (await createKey(app, southwind)).key;
    for (const key of [member, viewer, confined]) {
      const { data, errors } = await read(key, northwind);
      expect(data.account.memberAccess).toBeNull();
      expect(errors[0].extensions.code).toBe('forbidden');
    }
    expect((await read(foreign, northwind)).data.account).toBeNull();
  });
});
