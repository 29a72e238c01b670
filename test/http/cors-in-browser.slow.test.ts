// Cross-origin requests by the rules of a real browser: preflights, and responses hidden from pages.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, hasBrowser, launchBrowser } from '../console/browser.js';
import { addAgents, anAgent, createKey, createTenant, startOn, freshDatabase } from '../harness.js';
import type { RunningApp } from '../harness.js';

let running: RunningApp;
let remove: () => Promise<void>;
let browser: Browser;
let pages: Server[];
let key: string;
/** The requests that reached the gateway: their methods and paths. */
let reached: string[] = [];

/** An empty page of a separate origin. */
async function servePage(port: number): Promise<Server> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A dashboard</title>');
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return server;
}

const portOf = (server: Server | undefined): number => {
  const address = server?.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

beforeAll(async () => {
  if (!hasBrowser) return;
  const letIn = await freePort();
  pages = [await servePage(letIn), await servePage(0)];
  const { settings, remove: removeDatabase } = await freshDatabase();
  remove = removeDatabase;
  running = await startOn({ ...settings, CORS_ORIGINS: `http://127.0.0.1:${letIn}`, WATCH_HEARTBEAT_MS: '100' });
  const tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(running.app, tenant));
  await addAgents(running.app, tenant.workspaces['main'], [anAgent('seen-from-afar')]);
  running.app.gateway.server.prependListener('request', ({ method, url }) => reached.push(`${method} ${url}`));
  browser = await launchBrowser();
});

afterAll(async () => {
  if (!hasBrowser) return;
  await browser.close();
  for (const page of pages) page.close();
  await running.stop();
  await remove();
});

async function openPage(which: 0 | 1): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${portOf(pages[which])}/`);
  reached = [];
  return page;
}

interface Call {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
}

/** The part of a response that a script can read; undefined if the browser blocks it. */
function call(page: Page, path: string, given: Partial<Call> = {}) {
  const asked: Call = { url: `${running.app.origin}${path}`, method: 'GET', headers: {}, ...given };
  return page.evaluate(async ({ url, ...init }) => {
    const answer = await fetch(url, init).catch(() => undefined);
    if (answer === undefined) return undefined;
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
  }, asked);
}

const json = (body: object) => ({
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-service-workspace': 'main' },
  body: JSON.stringify(body),
});

const list = '{ agents { nodes { metadata { name } } } }';

describe.skipIf(!hasBrowser)('In a browser, a page of an allowed origin', () => {
  it('queries GraphQL, reads the response and its request id, and sends only one preflight', async () => {
    const page = await openPage(0);
    for (let time = 0; time < 3; time++) {
      const answer = await call(page, '/graphql', json({ query: list }));
      expect(JSON.parse(answer?.text ?? '')).toMatchObject({
        data: { agents: { nodes: [{ metadata: { name: 'seen-from-afar' } }] } },
      });
      expect(answer?.headers['x-request-id']).toBeDefined();
    }
    expect(reached).toEqual(['OPTIONS /graphql', 'POST /graphql', 'POST /graphql', 'POST /graphql']);
    await page.close();
  });

  it('lists by REST, and gets 304 for cached responses', async () => {
    const page = await openPage(0);
    const headers = { authorization: `Bearer ${key}`, 'service-version': '2026-04-28', 'x-service-workspace': 'main' };
    const first = await call(page, '/v0/agents', { headers });
    expect(first?.text).toContain('seen-from-afar');
    const etag = first?.headers['etag'] ?? '';
    const again = await call(page, '/v0/agents', { headers: { ...headers, 'if-none-match': etag } });
    expect([again?.status, again?.text]).toEqual([304, '']);
    await page.close();
  });

  it('reads errors, also of OAuth', async () => {
    const page = await openPage(0);
    const refused = await call(page, '/v0/agents');
    expect([refused?.status, JSON.parse(refused?.text ?? '').error]).toEqual([401, 'unauthorized']);
    const token = await call(page, '/v0/oauth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials&client_id=nobody&client_secret=x',
    });
    expect(JSON.parse(token?.text ?? '').error).toBe('invalid_client');
    const metadata = await call(page, '/.well-known/oauth-authorization-server/v0');
    expect(JSON.parse(metadata?.text ?? '').token_endpoint).toContain('/v0/oauth/token');
    await page.close();
  });

  it('subscribes to changes', async () => {
    const page = await openPage(0);
    const { body, headers } = json({ query: 'subscription { changes { cursor } }' });
    const beat = await page.evaluate(
      async ({ url, ...init }) => {
        const { body } = await fetch(url, init);
        const piece = await body?.getReader().read();
        return new TextDecoder().decode(piece?.value);
      },
      { url: `${running.app.origin}/graphql`, method: 'POST', body, headers },
    );
    // The id is the position to continue from; no change has been sent yet.
    expect(beat).toMatch(/^(:\n\n)+(id: \S+\n\n)?(:\n\n)*$/);
    await page.close();
  });
});

describe.skipIf(!hasBrowser)('In a browser, a page of another origin', () => {
  it('reads nothing, and changes nothing', async () => {
    const page = await openPage(1);
    const create = 'mutation { createAgent(input: { metadata: { name: "never-made" }, spec: {} }) { __typename } }';
    expect(await call(page, '/graphql', json({ query: create }))).toBeUndefined();
    expect(reached).toEqual(['OPTIONS /graphql']);
    expect(await call(page, '/v0/openapi.json')).toBeUndefined();
    expect(await call(page, '/v0/oauth/token', { method: 'POST', body: 'grant_type=x' })).toBeUndefined();
    await page.close();
  });
});
