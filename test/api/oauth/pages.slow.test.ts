// The sign-in and consent pages in a real browser, with and without scripts: every flow reaches its end, and axe finds
// nothing in either theme.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createSignInProvider } from '../../../src/auth/sign-in/provider.js';
import { createGateway } from '../../../src/server/server.js';
import type { Gateway } from '../../../src/server/server.js';
import { complaintsIn, freePort, hasBrowser, launchBrowser, stopServing } from '../../console/browser.js';
import { createTenant, useApp } from '../../harness.js';
import { openTestProvider, providerSettings } from './test-provider.js';
import type { TestProvider } from './test-provider.js';
import { authorizeAddress, callEndpoint, givePassword, password, registerClient } from './visitor.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });
const client = { id: 'control-plane', secret: 'a secret', callback: `${origin}/v0/oauth/provider-callback` };

describe.skipIf(!hasBrowser)('The pages in a browser', () => {
  const servers: Server[] = [];
  let gateway: Gateway;
  let provider: TestProvider;
  let browser: Browser;
  let context: BrowserContext | undefined;
  let email: string;
  let redirectUri: string;

  /** Listens for the browser. @returns where, under the name of a host. */
  async function serve(answer: RequestListener, host: string): Promise<string> {
    const server = createServer(answer);
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    return `http://${host}:${typeof address === 'object' && address !== null ? address.port : 0}`;
  }

  beforeAll(async () => {
    const { app } = running;
    app.clock.now = new Date();
    provider = await openTestProvider(client);
    const { issuer } = provider;
    const settings = { issuer, clientId: client.id, clientSecret: client.secret, name: 'Example Login' };
    const found = createSignInProvider(providerSettings(settings), app.services.log);
    gateway = createGateway({ ...app.services, signIn: { providers: [found], isByPassword: true } });
    await once(gateway.server.listen(port, '127.0.0.1'), 'listening');
    await createTenant(app, { account: 'northwind', workspaces: ['northwind-main'] });
    email = await givePassword(app, 'northwind');
    provider.claims = { email, email_verified: true };
    const end = await serve((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><html lang="en"><title>The end</title><h1>The end</h1></html>');
    }, 'localhost');
    // A client on another origin than its users' application.
    const start = await serve(
      (_request, response) => response.writeHead(302, { location: `${end}/end` }).end(),
      '127.0.0.1',
    );
    redirectUri = `${start}/callback`;
    await registerClient(app, { id: 'spa', isPublic: true, redirectUris: [redirectUri] });
    browser = await launchBrowser();
  });

  afterEach(async () => {
    await context?.close();
  });

  afterAll(async () => {
    await browser?.close();
    if (gateway !== undefined) await stopServing(gateway);
    provider?.close();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function open(path: string, javaScriptEnabled: boolean): Promise<Page> {
    context = await browser.newContext({ javaScriptEnabled });
    context.setDefaultTimeout(25_000);
    const page = await context.newPage();
    await page.goto(`${origin}/v0/oauth/${path}`);
    return page;
  }

  /** Axe is a script itself: of a page where none may run the document is looked at in a browser where they may. */
  async function expectNothingOfAxe(page: Page, hasScripts: boolean): Promise<void> {
    expect(await page.locator('script').count()).toBe(0);
    if (hasScripts) return expectNothingWrong(page);
    const beside = await browser.newContext();
    const copy = await beside.newPage();
    await copy.setContent(await page.content());
    await expectNothingWrong(copy);
    await beside.close();
  }

  async function expectNothingWrong(page: Page): Promise<void> {
    expect(await complaintsIn(page)).toEqual([]);
  }

  async function signIn(page: Page): Promise<void> {
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText();

  for (const [way, hasScripts] of [
    ['with scripts', true],
    ['without scripts', false],
  ] as const) {
    describe(`${way}`, () => {
      it('redirect a user to a client that redirects to another origin', async () => {
        const address = authorizeAddress({ client_id: 'spa', redirect_uri: redirectUri });
        const page = await open(address, hasScripts);
        expect(await heading(page)).toBe('Sign in');
        await expectNothingOfAxe(page, hasScripts);
        await page.getByLabel('Email address').fill(email);
        await page.getByLabel('Password').fill('x');
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        expect(await page.getByRole('alert').innerText()).toBe('Incorrect email address or password.');
        await expectNothingOfAxe(page, hasScripts);
        await signIn(page);
        await expectNothingOfAxe(page, hasScripts);
        await page.getByRole('button', { name: 'Allow', exact: true }).click();
        expect(await heading(page)).toBe('The end');
      });

      it('redirect through the provider and back', async () => {
        const page = await open(authorizeAddress({ client_id: 'spa', redirect_uri: redirectUri }), hasScripts);
        await page.getByRole('button', { name: 'Sign in with Example Login' }).click();
        expect(await heading(page)).toContain('use your account?');
        await page.getByRole('button', { name: 'Allow', exact: true }).click();
        expect(await heading(page)).toBe('The end');
        provider.refusal = 'access_denied';
        await context?.clearCookies();
        await page.goto(`${origin}/v0/oauth/${authorizeAddress({ client_id: 'spa', redirect_uri: redirectUri })}`);
        await page.getByRole('button', { name: 'Sign in with Example Login' }).click();
        expect(await heading(page)).toBe('Sign-in failed');
        await expectNothingOfAxe(page, hasScripts);
        provider.refusal = undefined;
        await page.getByRole('link', { name: 'Start again' }).click();
        expect(await heading(page)).toBe('Sign in');
      });

      it('accept a user code', async () => {
        const asked = { client_id: 'command-line', scope: 'agents:list admin' };
        const { body } = await callEndpoint({ ...running.app, origin }, 'device_authorization', asked);
        const page = await open('device', hasScripts);
        await expectNothingOfAxe(page, hasScripts);
        await signIn(page);
        expect(await heading(page)).toBe('Connect an application or device');
        await expectNothingOfAxe(page, hasScripts);
        await page.getByLabel('Code').fill('BBBB-BBBB');
        await page.getByRole('button', { name: 'Continue' }).click();
        expect(await page.getByRole('alert').innerText()).toContain('The code is invalid or has expired');
        await expectNothingOfAxe(page, hasScripts);
        await page.getByLabel('Code').fill(body.user_code.toLowerCase());
        await page.getByRole('button', { name: 'Continue' }).click();
        expect(await heading(page)).toBe('Let Command line use your account?');
        expect(await page.getByText(body.user_code).count()).toBe(1);
        await expectNothingOfAxe(page, hasScripts);
        await page.getByRole('button', { name: 'Allow', exact: true }).click();
        expect(await heading(page)).toBe('Access granted');
        await expectNothingOfAxe(page, hasScripts);
      });

      it('show errors: an unknown client, an expired form, no choice, a declined device', async () => {
        const unknown = authorizeAddress({ client_id: 'nobody', redirect_uri: redirectUri });
        const page = await open(unknown, hasScripts);
        expect(await heading(page)).toBe('Sign-in failed');
        await expectNothingOfAxe(page, hasScripts);
        await page.goto(`${origin}/v0/oauth/${authorizeAddress({ client_id: 'spa', redirect_uri: redirectUri })}`);
        await signIn(page);
        const boxes = page.getByRole('checkbox');
        for (const box of await boxes.all()) await box.uncheck();
        await page.getByRole('button', { name: 'Allow', exact: true }).click();
        expect(await page.getByRole('alert').count()).toBe(1);
        await expectNothingOfAxe(page, hasScripts);
        // A form is bound to its browser.
        await page.context().clearCookies();
        await page.getByRole('button', { name: 'Allow', exact: true }).click();
        expect(await heading(page)).toBe('This page has expired');
        await expectNothingOfAxe(page, hasScripts);
        const asked = { client_id: 'command-line', scope: 'agents:list' };
        const { body } = await callEndpoint({ ...running.app, origin }, 'device_authorization', asked);
        await page.goto(`${origin}/v0/oauth/device`);
        await signIn(page);
        await page.getByLabel('Code').fill(body.user_code);
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByRole('button', { name: 'Deny' }).click();
        await expectNothingOfAxe(page, hasScripts);
      });

      it('include the account page: signed in, with a wrong password, and signed out', async () => {
        const page = await open('account', hasScripts);
        await expectNothingOfAxe(page, hasScripts);
        await signIn(page);
        expect(await heading(page)).toBe('Your account');
        await expectNothingOfAxe(page, hasScripts);
        await page.getByLabel('Current password').fill('not the right one');
        await page.getByLabel('New password').fill('long enough for a password');
        await page.getByRole('button', { name: 'Change password' }).click();
        expect(await page.getByRole('alert').count()).toBe(1);
        await expectNothingOfAxe(page, hasScripts);
        await page.getByRole('button', { name: 'Sign out of this browser' }).click();
        expect(await heading(page)).toBe('Sign in');
        await expectNothingOfAxe(page, hasScripts);
      });
    });
  }
});
