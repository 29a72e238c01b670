// What a user authorized in a browser session ends with it: on every gateway, within a second, however the session ends.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recordAgreement } from '../../../src/auth/grants/authorization.js';
import { runCommandLine } from '../../../src/cli/run.js';
import { createLog, createServices } from '../../../src/server/create-services.js';
import { createGateway } from '../../../src/server/server.js';
import { listen } from '../../../src/server/listen.js';
import { createKey, createTenant, frozenNow, graphql, useApp } from '../../harness.js';
import type { Tenant } from '../../harness.js';
import { mutate } from '../../resources/mutations.js';
import {
  authorizeAddress,
  callEndpoint,
  createVerifier,
  formOf,
  givePassword,
  obtainCode,
  redeem,
  registerClient,
} from './visitor.js';
import type { RegisteredClient, Visitor } from './visitor.js';

const running = useApp({ PUBLIC_URL: 'https://control.example.com' });
let northwind: Tenant;
let dashboard: RegisteredClient;
let key: string;
let email: string;
/** The addresses of two gateways, which remember callers separately. */
let origins: string[];
let closeOther: () => Promise<void>;

const db = () => running.app.services.db;

beforeAll(async () => {
  const { app } = running;
  northwind = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  await createTenant(app, { account: 'southwind', workspaces: ['elsewhere'] });
  await givePassword(app, 'southwind');
  dashboard = await registerClient(app);
  const services = createServices(app.config, app.database, () => app.clock.now, createLog('silent'));
  const other = createGateway(services);
  const port = await listen(other.server, { HOST: '127.0.0.1', PORT: 0 });
  origins = [app.origin, `http://127.0.0.1:${port}`];
  closeOther = async () => {
    other.server.closeAllConnections();
    await other.drain(0, 0);
    await services.deniedRequests.close();
  };
});

afterAll(() => closeOther());

beforeEach(async () => {
  email = await givePassword(running.app, 'northwind');
  ({ key } = await createKey(running.app, northwind));
});

interface Program {
  visitor: Visitor;
  sessionId: string;
  access: string;
  refresh: string;
}

/** The user signs in with a browser and authorizes a program there. */
async function authorize(place?: string): Promise<Program> {
  const { app } = running;
  const { visitor, ...code } = await obtainCode(app, email, { scope: 'admin' }, place === undefined ? {} : { place });
  const { body } = await redeem(app, dashboard, code);
  const { sessionId } = await db().oauthAuthorization.findFirstOrThrow({ orderBy: { id: 'desc' } });
  return { visitor, sessionId: sessionId ?? '', access: body.access_token, refresh: body.refresh_token };
}

async function statuses(credential: string): Promise<number[]> {
  const headers = { authorization: `Bearer ${credential}` };
  return Promise.all(origins.map(async (origin) => (await fetch(`${origin}/v0/agents?limit=1`, { headers })).status));
}

const works = [200, 200];
const ended = [401, 401];

async function refresh({ refresh: token }: Program): Promise<string | undefined> {
  const { body } = await callEndpoint(running.app, 'token', {
    grant_type: 'refresh_token',
    refresh_token: token,
    ...dashboard.credentials,
  });
  return body.error;
}

async function expectEnded(program: Program): Promise<void> {
  await expect.poll(() => statuses(program.access), { timeout: 1_000, interval: 50 }).toEqual(ended);
  expect(await refresh(program)).toBe('invalid_grant');
}

async function submit(visitor: Visitor, form: string, fields: [string, string][]): Promise<void> {
  const { hidden } = formOf(await visitor.open('/v0/oauth/account'), form);
  const token = hidden.filter(([name]) => name === 'form');
  expect((await visitor.post(`/v0/oauth/${form}?`, [...token, ...fields])).status).toBe(303);
}

async function command(line: string): Promise<void> {
  expect(await runCommandLine({ ...running.app.services, folder: '.' }, line.split(' '))).toMatchObject({
    exitCode: 0,
  });
}

it('The session of a credential is known for its tokens, and there is none for a key', async () => {
  await authorize(northwind.accountId);
  const { access, sessionId } = await authorize(northwind.accountId);
  const read = async (credential: string) =>
    (await graphql(running.app, credential, '{ viewer { currentSessionId } }')).body.data;
  expect(await read(access)).toEqual({ viewer: { currentSessionId: sessionId } });
  expect(await read(key)).toEqual({ viewer: { currentSessionId: null } });
});

describe('A session ends with what was authorized in it', () => {
  it.each<[string, (program: Program) => Promise<unknown>]>([
    ['signing out', ({ visitor }) => submit(visitor, 'account-sign-out', [])],
    ['endSessions', ({ sessionId }) => mutate(running.app, key, 'endSessions', 'ended', { sessionId })],
    ['sessions end', ({ sessionId }) => command(`sessions end --user ${email} --id ${sessionId}`)],
    ['a sign-in of another user', ({ visitor }) => enterAs(visitor, 'owner@southwind.example.com')],
  ])('by %s; other sessions and API keys stay', async (_way, end) => {
    const other = await authorize();
    const program = await authorize();
    expect([await statuses(program.access), await statuses(other.access)]).toEqual([works, works]);
    await end(program);
    await expectEnded(program);
    expect([await statuses(other.access), await refresh(other), await statuses(key)]).toEqual([
      works,
      undefined,
      works,
    ]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['endSessions', () => mutate(running.app, key, 'endSessions', 'ended', {})],
    ['sessions end', () => command(`sessions end --user ${email}`)],
  ])('by %s for all sessions, and those that have expired', async (_way, end) => {
    const [first, second, late] = [await authorize(), await authorize(), await authorize()];
    await db().signInSession.delete({ where: { id: late.sessionId } });
    expect(await statuses(late.access)).toEqual(works);
    await end();
    for (const program of [first, second, late]) await expectEnded(program);
    expect(await statuses(key)).toEqual(works);
  });

  it('by signing out everywhere, except in this browser', async () => {
    const [first, here] = [await authorize(), await authorize()];
    await submit(here.visitor, 'account-sessions', []);
    await expectEnded(first);
    expect([await statuses(here.access), await refresh(here)]).toEqual([works, undefined]);
  });

  it('but not when the user signs in again in the same browser', async () => {
    const program = await authorize();
    await enterAs(program.visitor, email);
    expect([await statuses(program.access), await refresh(program)]).toEqual([works, undefined]);
    await submit(program.visitor, 'account-sign-out', []);
    await expect.poll(() => statuses(program.access), { timeout: 1_000, interval: 50 }).toEqual(ended);
  });

  it('and nothing can be authorized in it any more', async () => {
    const { sessionId } = await authorize();
    await command(`sessions end --user ${email}`);
    const { principalId, accountId } = northwind;
    const user = { principalId, sessionId, signedInAt: frozenNow, provider: null };
    const agreement = recordAgreement(
      db(),
      user,
      dashboard.id,
      { accountId, workspaceId: null, scope: 'admin' },
      frozenNow,
    );
    await expect(agreement).rejects.toThrow('The user has signed out.');
  });
});

/** Signs in once more in the same browser. */
async function enterAs(visitor: Visitor, who: string): Promise<void> {
  const { challenge } = createVerifier();
  const asked = await visitor.open(authorizeAddress({ code_challenge: challenge, prompt: 'login' }));
  expect((await visitor.signIn(asked, who)).text).not.toContain('Incorrect');
}
