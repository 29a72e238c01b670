// What a user who is disabled through one gateway loses at another one, which has its own connections and remembers callers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isEmbedded } from '../../database-kind.js';
import { createKey, freshDatabase, rest, startOn } from '../../harness.js';
import type { RunningApp } from '../../harness.js';
import { setPassword } from '../../set-password.js';
import { callEndpoint, obtainCode, password, redeem, registerClient, Visitor } from '../oauth/visitor.js';
import type { RegisteredClient } from '../oauth/visitor.js';
import { createProvider } from './provider.js';
import type { Provider } from './provider.js';

/** An embedded database is open in one process. */
describe.skipIf(isEmbedded)('A user who is disabled at another gateway', () => {
  let remove: () => Promise<void>;
  let first: RunningApp;
  let second: RunningApp;
  let acme: Provider;
  let dashboard: RegisteredClient;

  beforeAll(async () => {
    const { settings, ...fresh } = await freshDatabase();
    ({ remove } = fresh);
    const both = { ...settings, SCIM_DOMAINS: 'acme.example=acme' };
    first = await startOn(both);
    second = await startOn(both);
    acme = await createProvider(first.app, 'acme');
    dashboard = await registerClient(first.app);
  });

  afterAll(async () => {
    await first?.stop();
    await second?.stop();
    await remove?.();
  });

  /** A user with a key, a token and a browser session, and how the second gateway answers them. */
  async function equipped(userName: string) {
    const { app } = first;
    const { id } = await acme.create(userName);
    const { key } = await createKey(app, { accountId: acme.tenant.accountId, principalId: id });
    await setPassword(app.services.db, userName, password, app.clock.now);
    const { visitor, ...given } = await obtainCode(app, userName, { scope: 'admin' });
    const { body } = await redeem(app, dashboard, given);
    const elsewhere = new Visitor(second.app);
    for (const [name, value] of visitor.cookies) elsewhere.cookies.set(name, value);
    const statusOf = async (credential: string) => (await rest(second.app, '/accounts', { key: credential })).status;
    const answers = async () => ({
      key: await statusOf(key),
      token: await statusOf(String(body.access_token)),
      isSignedIn: (await elsewhere.open('account')).text.includes('<h1>Your account</h1>'),
    });
    const refresh = async () => {
      const grant = { grant_type: 'refresh_token', refresh_token: String(body.refresh_token) };
      return (await callEndpoint(second.app, 'token', { ...grant, ...dashboard.credentials })).body.error;
    };
    return { id, answers, refresh };
  }

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['PATCH', (id) => acme.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })],
    ['DELETE', (id) => acme.send('DELETE', `/Users/${id}`)],
  ])(
    'by %s has no key, token or session there a second later, although all of them are in use',
    async (method, end) => {
      const user = await equipped(`${method.toLowerCase()}@acme.example`);
      expect(await user.answers()).toEqual({ key: 200, token: 200, isSignedIn: true });
      await end(user.id);
      const endedMs = performance.now();
      while (performance.now() - endedMs < 900) await user.answers();
      expect(await user.answers()).toEqual({ key: 401, token: 401, isSignedIn: false });
      expect(await user.refresh()).toBe('invalid_grant');
    },
  );
});
