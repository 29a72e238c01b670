// The page of a user's own in a real browser: signed in, changed, and nothing that axe complains of.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { complaintsIn, hasBrowser, launchBrowser } from '../../console/browser.js';
import { createTenant, frozenNow, useApp } from '../../harness.js';
import { givePassword, obtainCode, password, redeem, registerClient, Visitor } from './visitor.js';

const running = useApp();
let browser: Browser;
let email: string;

beforeAll(async () => {
  const { app } = running;
  if (!hasBrowser) return;
  browser = await launchBrowser();
  const { accountId } = await createTenant(app, { account: 'northwind', workspaces: ['northwind-main'] });
  email = await givePassword(app, 'northwind');
  const client = await registerClient(app);
  await redeem(app, client, await obtainCode(app, email));
  const other = new Visitor(app);
  await other.submit(await other.open('/v0/oauth/account'), 'account-sign-in', [
    ['email', email],
    ['password', password],
  ]);
  const { id: workspaceId } = await app.services.db.workspace.create({ data: { name: 'other', accountId } });
  const expiresAt = new Date(frozenNow.getTime() + 60_000);
  const data = {
    accountId,
    workspaceId,
    name: email,
    role: 'viewer' as const,
    invitedBy: 'ada@example.com',
    expiresAt,
  };
  await app.services.db.invitation.create({ data });
});

afterAll(async () => {
  await browser?.close();
});

async function signIn(page: Page): Promise<void> {
  await page.goto(`${running.app.origin}/v0/oauth/account`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
}

describe.skipIf(!hasBrowser)('The account page in a browser', () => {
  it('has no axe violations, before and after an error', async () => {
    const page = await browser.newPage();
    await page.goto(`${running.app.origin}/v0/oauth/account`);
    expect(await complaintsIn(page)).toEqual([]);
    await signIn(page);
    for (const heading of ['Invitations', 'Sessions', 'Authorized applications', 'Password']) {
      await page.getByRole('heading', { name: heading }).waitFor();
    }
    expect(await complaintsIn(page)).toEqual([]);
    await page.getByLabel('Current password').fill('not the right one');
    await page.getByLabel('New password').fill('long enough for a password');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('alert').waitFor();
    expect(await complaintsIn(page)).toEqual([]);
    await page.close();
  });

  it('works without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await signIn(page);
    await page.getByRole('button', { name: /^Accept/ }).click();
    await page.getByText('Your response was saved.').waitFor();
    await page.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByText('No authorized applications.').waitFor();
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await page.getByText('All other sessions were ended.').waitFor();
    await page.getByRole('button', { name: 'Sign out of this browser' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await running.app.services.db.signInSession.count()).toBe(0);
    await context.close();
  });
});
