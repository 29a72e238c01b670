// What began at the identity provider of an account ends with a user of it, also in other accounts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createTenant, useApp } from '../../harness.js';
import { registerClient } from '../oauth/visitor.js';
import { createProvider } from './provider.js';

const folder = mkdtempSync(join(tmpdir(), 'providers-'));
const path = join(folder, 'providers.json');
const login = {
  id: 'login',
  name: 'Login of acme',
  issuer: 'https://login.example.com',
  clientId: 'control-plane',
  clientSecret: 'a secret of the test',
  domains: ['acme.example'],
  accounts: ['acme'],
};
writeFileSync(path, JSON.stringify([login]));
afterAll(() => rmSync(folder, { recursive: true }));

const running = useApp({ SCIM_DOMAINS: 'acme.example=acme', SIGN_IN_PROVIDERS: path });

it('A deactivated user of another account loses the sessions of the provider and what programs were given in them', async () => {
  const { db } = running.app.services;
  const acme = await createProvider(running.app, 'acme');
  const globex = await createTenant(running.app, { account: 'globex', workspaces: [] });
  const { id: principalId } = await acme.create('ada@acme.example');
  await db.accountMember.create({ data: { accountId: globex.accountId, principalId, role: 'member' } });
  const client = await registerClient(running.app, { id: 'program' });
  const { now } = running.app.clock;
  const ofLogin = { provider: 'login', providerSubject: 'ada', providerSession: 'one' };
  const withPassword = { provider: null, providerSubject: null, providerSession: null };
  for (const how of [ofLogin, withPassword]) {
    const hash = Buffer.from(String(how.provider));
    const times = { createdAt: now, lastUsedAt: now };
    const { id: sessionId } = await db.signInSession.create({
      data: { hash, principalId, expiresAt: new Date('2027-01-01'), address: '127.0.0.1', ...times, ...how },
    });
    const tenant = { accountId: globex.accountId, principalId, clientId: client.id, scope: 'agents:list' };
    await db.oauthAuthorization.create({ data: { ...tenant, sessionId, ...times, ...how } });
  }
  await acme.patch(`/Users/${principalId}`, { op: 'replace', path: 'active', value: false });
  const live = { where: { principalId }, select: { provider: true } };
  expect(await db.signInSession.findMany(live)).toEqual([{ provider: null }]);
  expect(await db.oauthAuthorization.findMany({ ...live, where: { principalId, endedAt: null } })).toEqual([
    { provider: null },
  ]);
});
