// The script of GraphiQL's sign-in bar, run as a browser runs it, against the running gateway.
import { webcrypto } from 'node:crypto';
import vm from 'node:vm';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { signInScript } from '../../../src/api/graphiql/graphiql-sign-in.js';
import { createTenant, rest, useApp } from '../../harness.js';
import {
  authorizeAddress,
  callEndpoint,
  createVerifier,
  givePassword,
  obtainCode,
  redeem,
  registerClient,
  Visitor,
} from '../oauth/visitor.js';

const running = useApp();
let settings = '';
let scripts: string[] = [];

beforeAll(async () => {
  const { app } = running;
  await createTenant(app, { account: 'northwind', workspaces: ['northwind-main'] });
  await givePassword(app, 'northwind');
  const response = await fetch(`${app.origin}/graphql`, { headers: { accept: 'text/html' } });
  const page = await response.text();
  settings = /<script type="application\/json" id="settings">(.*?)<\/script>/s.exec(page)?.[1] ?? '';
  scripts = [...page.matchAll(/<script defer src="graphql\/assets\/([^".]+)/g)].map(([, name = '']) => name);
});

interface Tab {
  /** Where the page has sent the browser. */
  sentTo: string[];
  status: { textContent: string };
  click: () => Promise<void>;
  fetch: typeof fetch;
  /** From here on, no request reaches the service. */
  disconnect: () => void;
  address: { search: string };
  authorizations: (string | null)[];
}

const channels: BroadcastChannel[] = [];

afterEach(() => channels.splice(0).forEach((channel) => channel.close()));

function openChannel(): BroadcastChannel {
  const channel = new BroadcastChannel('console');
  channels.push(channel);
  return channel;
}

/**
 * Loads the page in a tab. Only the session storage is kept over several loads.
 *
 * @param browser sends its cookies with each request; without one, the tab has none.
 */
function openTab(address: string, stored: Map<string, string>, browser?: Visitor): Tab {
  const { app } = running;
  const url = new URL(address);
  const sentTo: string[] = [];
  const authorizations: (string | null)[] = [];
  const status = { textContent: '' };
  let clicked: () => unknown = () => undefined;
  let isConnected = true;
  const location = {
    origin: url.origin,
    pathname: url.pathname,
    search: url.search,
    hash: url.hash,
    href: url.href,
    assign: (to: string) => sentTo.push(to),
  };
  const button = {
    textContent: '',
    hidden: true,
    addEventListener: (_: string, act: () => unknown) => (clicked = act),
  };
  const self = {
    // The gateway under test is where the page's own host would be.
    fetch: (input: string, init: RequestInit = {}) => {
      if (!isConnected) return Promise.reject(new TypeError('Failed to fetch'));
      const target = new URL(input, url);
      if (target.pathname === '/graphql') authorizations.push(new Headers(init.headers).get('authorization'));
      const headers = new Headers(init.headers);
      if (browser !== undefined) headers.set('cookie', browser.cookie);
      if (init.method === 'POST') headers.set('origin', url.origin);
      return fetch(new URL(`${target.pathname}${target.search}`, app.origin), { ...init, headers });
    },
  };
  const context = {
    self,
    location,
    crypto: webcrypto,
    history: { replaceState: () => Object.assign(location, { search: '' }) },
    sessionStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
      removeItem: (key: string) => stored.delete(key),
    },
    document: {
      getElementById: () => ({ textContent: settings }),
      querySelector: (selector: string) => (selector.includes('button') ? button : status),
    },
    BroadcastChannel: function BroadcastChannel() {
      return openChannel();
    },
    URL,
    URLSearchParams,
    Headers,
    TextEncoder,
    Uint8Array,
    btoa,
  };
  vm.runInNewContext(signInScript, context);
  return {
    sentTo,
    status,
    authorizations,
    disconnect: () => (isConnected = false),
    address: location,
    click: async () => {
      await clicked();
    },
    fetch: (input, init) => Reflect.apply(self.fetch, undefined, [String(input), init]),
  };
}

const page = 'http://localhost:4000/graphql';
const query = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"query":"{ viewer { name } }"}',
};

/** Signs in and consents at the address that the tab was redirected to. Returns the redirect address. */
async function comeBack(tab: Tab, visitor = new Visitor(running.app)): Promise<string> {
  const asked = await visitor.open(`/${tab.sentTo[0]}`);
  return (await visitor.allow(await visitor.signIn(asked, 'owner@northwind.example.com'))).location;
}

describe('Signing in to GraphiQL', () => {
  it('runs before the code that it wraps', () => {
    expect(scripts).toEqual(['sign-in', 'graphiql', 'boot']);
  });

  it('needs no key: queries carry a token until the user signs out', async () => {
    const stored = new Map<string, string>();
    const before = openTab(page, stored);
    await before.click();
    expect(before.sentTo).toEqual([expect.stringMatching(/^v0\/oauth\/authorize\?.*client_id=graphiql.*S256$/)]);
    const tab = openTab(await comeBack(before), stored);
    const answer = await tab.fetch('graphql', query);
    expect(await answer.json()).toEqual({
      data: { viewer: { name: 'owner@northwind.example.com' } },
      extensions: expect.anything(),
    });
    expect(tab.authorizations.at(-1)).toMatch(/^Bearer eyJ/);
    expect(tab.address.search).toBe('');
    expect(stored.size).toBe(0);
    await expect.poll(() => tab.status.textContent).toContain('Signed in as owner@northwind.example.com.');

    const token = tab.authorizations.at(-1)?.slice('Bearer '.length) ?? '';
    await tab.click();
    await tab.fetch('graphql', { ...query, headers: { ...query.headers, authorization: 'Bearer own' } });
    expect(tab.authorizations.at(-1)).toBe('Bearer own');
    const ask = async () => (await rest(running.app, '/agents', { key: token })).status;
    await expect.poll(ask, { timeout: 1_000, interval: 50 }).toBe(401);
  });

  it('signs out of the browser: its session, the console in other tabs and programs authorized in it end', async () => {
    const { app } = running;
    const program = await registerClient(app);
    const { visitor, ...code } = await obtainCode(app, 'owner@northwind.example.com', { scope: 'admin' });
    const { body } = await redeem(app, program, code);
    const stored = new Map<string, string>();
    const before = openTab(page, stored);
    await before.click();
    const asked = await visitor.open(`/${before.sentTo[0]}`);
    const tab = openTab((await visitor.allow(asked)).location, stored, visitor);
    await expect.poll(() => tab.status.textContent).toContain('Signed in as owner@northwind.example.com.');
    const told: unknown[] = [];
    openChannel().addEventListener('message', ({ data }) => told.push(data));

    await tab.click();
    expect(tab.status.textContent).toBe('You are signed out.');
    await expect.poll(() => told).toEqual(['signed-out']);
    const ask = async () => (await rest(app, '/agents', { key: body.access_token })).status;
    await expect.poll(ask, { timeout: 1_000, interval: 50 }).toBe(401);
    const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token, ...program.credentials };
    expect((await callEndpoint(app, 'token', refresh)).body.error).toBe('invalid_grant');
    const silent = await visitor.open(authorizeAddress({ code_challenge: createVerifier().challenge, prompt: 'none' }));
    expect(new URL(silent.location).searchParams.get('error')).toBe('login_required');
  });

  it('signs out when the user signs out in another tab', async () => {
    const stored = new Map<string, string>();
    const before = openTab(page, stored);
    await before.click();
    const tab = openTab(await comeBack(before), stored);
    await expect.poll(() => tab.status.textContent).toContain('Signed in as');
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no other origin
    openChannel().postMessage('signed-out');
    await expect.poll(() => tab.status.textContent).toBe('You signed out in another tab.');
    await tab.fetch('graphql', query);
    expect(tab.authorizations.at(-1)).toBeNull();
  });

  it('says so if the service does not hear of the sign-out', async () => {
    const stored = new Map<string, string>();
    const before = openTab(page, stored);
    await before.click();
    const tab = openTab(await comeBack(before), stored);
    await expect.poll(() => tab.status.textContent).toContain('Signed in as');
    tab.disconnect();
    await tab.click();
    expect(tab.status.textContent).toContain('you are still signed in to this browser');
  });

  it('rejects a response that this page did not request, or that another server issued', async () => {
    const stored = new Map<string, string>();
    const before = openTab(page, stored);
    await before.click();
    const answer = await comeBack(before);
    for (const [address, storage] of [
      [answer, new Map<string, string>()],
      [answer.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fevil.example.com'), stored],
    ] as const) {
      const tab = openTab(address, storage);
      await expect.poll(() => tab.status.textContent).toContain('Sign-in failed');
      await tab.fetch('graphql', query);
      expect(tab.authorizations).toEqual([null]);
    }
  });

  it('starts at the registered address, wherever the page was opened', async () => {
    const tab = openTab('http://127.0.0.1:4000/graphql', new Map());
    await tab.click();
    expect(tab.sentTo).toEqual([`${page}#sign-in`]);
    const next = openTab(`${page}#sign-in`, new Map());
    await expect.poll(() => next.sentTo.length).toBe(1);
  });
});
