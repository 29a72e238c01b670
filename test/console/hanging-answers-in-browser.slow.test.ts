// Requests that are never answered: each ends with a message and a way to try again, and nothing that was typed is lost.
import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { mainWorkspace } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { frozenNow, useApp } from '../harness.js';
import { freePort, hasBrowser, openContext, settled, signInByClick, useConsole } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });
const noResponse = 'The service did not respond within 45 seconds.';

/** Instead of the time limits of requests, which would take as long: `endTime` ends them all. */
function controlTime(): void {
  const waiting = new Set<AbortController>();
  AbortSignal.timeout = () => {
    const limit = new AbortController();
    waiting.add(limit);
    return limit.signal;
  };
  Object.assign(globalThis, {
    endTime: () => {
      for (const limit of waiting) limit.abort(new DOMException('signal timed out', 'TimeoutError'));
      waiting.clear();
    },
  });
}

const endTime = async (page: Page) => page.evaluate('endTime()');

interface Hang {
  /** The requests that have not been answered. */
  asked: Route[];
  /** Answers those and all later ones. */
  end: () => Promise<void>;
}

/** Answers no request to this path whose body matches. */
async function hang(page: Page, path: string, body = /./): Promise<Hang> {
  const asked: Route[] = [];
  await page.route(`**${path}`, async (route) => {
    if (body.test(route.request().postData() ?? route.request().url())) asked.push(route);
    else await route.continue();
  });
  return { asked, end: async () => page.unroute(`**${path}`) };
}

describe.skipIf(!hasBrowser)('A request that is never answered', () => {
  const opened = useConsole(running, port);

  /** A visitor whose requests end at `endTime`. */
  async function visit(path: string): Promise<Page> {
    const { context } = await openContext(opened.browser, origin);
    await context.addInitScript(controlTime);
    const page = await signInByClick(context, origin, path);
    await settled(page);
    return page;
  }

  async function anAgent(): Promise<{ id: string; name: string; displayName: string | null }> {
    return running.app.services.db.agent.findFirstOrThrow({
      where: { workspaceId: idOf(mainWorkspace), status: 'DEPLOYED' },
    });
  }

  it('ends in a view that says so, and loads at the next try', async () => {
    const page = await visit(`/w/${mainWorkspace}`);
    for (const [link, operation] of [
      ['Volumes', 'VolumePage'],
      ['Members', 'AccountMembers'],
      ['API keys', 'ApiKeys'],
    ] as const) {
      const { asked, end } = await hang(page, '/graphql', new RegExp(`"operationName":"${operation}"`));
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: link }).click();
      await expect.poll(() => asked.length).toBeGreaterThan(0);
      await endTime(page);
      const told = page.getByRole('alert').filter({ hasText: noResponse });
      await told.first().waitFor();
      await end();
      // Time may also be up for other queries of the view.
      await expect
        .poll(async () => {
          const again = told.getByRole('button', { name: 'Try again' });
          await again.evaluateAll((buttons: HTMLElement[]) => {
            for (const button of buttons) button.click();
          });
          return told.count();
        })
        .toBe(0);
      await settled(page);
    }
    await page.context().close();
  });

  it('is told of a part of the console, which loads after a reload', async () => {
    const page = await visit(`/w/${mainWorkspace}/agents`);
    const parts: Route[] = [];
    await page.route(/assets\/platform-view-[\w-]+\.js$/, (route) => void parts.push(route));
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Platform' }).click();
    await expect.poll(() => parts.length).toBe(1);
    await endTime(page);
    const banner = page.locator('.banner').filter({ hasText: 'A part of the console did not load within 45 seconds.' });
    await banner.waitFor();
    await banner.getByRole('button', { name: 'Reload' }).click();
    await expect.poll(() => parts.length).toBe(2);
    await parts[1]?.continue();
    await page.getByRole('heading', { name: 'Platform', level: 1 }).waitFor();
    await banner.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it.each([
    ['console', /assets\/first-[\w-]+\.js$/],
    ['part of the console', /assets\/platform-view-[\w-]+\.js$/],
  ])('is told in an empty page for a %s, which is shown once it is loaded', async (what, path) => {
    const page = await visit(`/platform`);
    const scripts: Route[] = [];
    await page.route(path, (route) => void scripts.push(route));
    const viewer = page.waitForResponse((each) => each.request().postData()?.includes('"Viewer"') === true);
    await page.reload({ waitUntil: 'commit' });
    await viewer;
    await expect.poll(() => scripts.length).toBeGreaterThan(0);
    await endTime(page);
    await page.getByText(`${what} did not load within 45 seconds.`).waitFor();
    expect(await page.getByRole('button', { name: 'Reload' }).count()).toBe(1);
    for (const script of scripts) await script.continue();
    // What was asked for before has ended as well.
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Platform', level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: 'Reload' }).count()).toBe(0);
    await page.context().close();
  });

  it('leaves a loaded view under a banner that says so', async () => {
    const page = await visit(`/w/${mainWorkspace}/volumes`);
    const { asked, end } = await hang(page, '/graphql', /"operationName":"VolumePage"/);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    await endTime(page);
    await page.locator('.banner').getByText(`Some of the data shown may be out of date. ${noResponse}`).waitFor();
    expect(await page.getByRole('row').count()).toBeGreaterThan(1);
    await end();
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.locator('.banner').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('is a lost connection if the health check is not answered either', async () => {
    const page = await visit(`/w/${mainWorkspace}/volumes`);
    const queries = await hang(page, '/graphql');
    const checks = await hang(page, '/readyz');
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await expect.poll(() => queries.asked.length).toBeGreaterThan(0);
    await endTime(page);
    await expect.poll(() => checks.asked.length).toBe(1);
    await endTime(page);
    await page.locator('.banner').getByText('Connection lost.').waitFor();
    await queries.end();
    await checks.end();
    await endTime(page);
    await page.locator('.banner').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('keeps a form that is saved, sends it once, and saves it at the next try', async () => {
    const { id, name, displayName } = await anAgent();
    const page = await visit(`/w/${mainWorkspace}/agents/${name}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Display name').fill('Typed for a long time');
    const { asked, end } = await hang(page, '/graphql', /"validateOnly":false/);
    const save = dialog.getByRole('button', { name: 'Save 1 change' });
    await save.click();
    await expect.poll(() => asked.length).toBe(1);
    await endTime(page);
    await dialog.getByRole('alert').getByText(`${noResponse} The change may be saved nevertheless.`).waitFor();
    expect(await dialog.getByLabel('Display name').inputValue()).toBe('Typed for a long time');
    expect(asked).toHaveLength(1);
    const { db } = running.app.services;
    expect(await db.agent.findUnique({ where: { id } })).toMatchObject({ displayName });
    await end();
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    expect(await db.agent.findUnique({ where: { id } })).toMatchObject({ displayName: 'Typed for a long time' });
    await page.context().close();
  });

  it('keeps a form whose validation is not answered, and does not say that it may be saved', async () => {
    const { name } = await anAgent();
    const page = await visit(`/w/${mainWorkspace}/agents/${name}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Display name').fill('Only validated');
    const { asked, end } = await hang(page, '/graphql', /"validateOnly":true/);
    await dialog.getByRole('button', { name: 'Validate' }).click();
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    await endTime(page);
    expect(await dialog.getByRole('alert').innerText()).toBe(noResponse);
    await end();
    await dialog.getByRole('button', { name: 'Validate' }).click();
    await dialog.getByText('No problems found.').waitFor();
    await page.context().close();
  });

  it('keeps a form while the token is renewed, and saves it at the next try', async () => {
    const { id, name } = await anAgent();
    const page = await visit(`/w/${mainWorkspace}/agents/${name}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Display name').fill('Typed before the renewal');
    for (const path of ['/v0/oauth/authorize?*', '/v0/oauth/token']) {
      const { asked, end } = await hang(page, path);
      await page.context().clock.setFixedTime(frozenNow.getTime() + 14.5 * 60_000);
      await dialog.getByRole('button', { name: 'Save 1 change' }).click();
      await expect.poll(() => asked.length).toBe(1);
      await endTime(page);
      await dialog.getByRole('alert').getByText(noResponse).waitFor();
      await end();
    }
    await dialog.getByRole('button', { name: 'Save 1 change' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await running.app.services.db.agent.findUnique({ where: { id } })).toMatchObject({
      displayName: 'Typed before the renewal',
    });
    await page.context().close();
  });

  it('ends a sign-in with a message, and the next try signs in', async () => {
    const page = await visit(`/w/${mainWorkspace}/volumes`);
    const { asked, end } = await hang(page, '/v0/oauth/authorize?*');
    await page.reload();
    await expect.poll(() => asked.length).toBe(1);
    await endTime(page);
    await page.getByRole('heading', { name: 'Sign-in failed' }).waitFor();
    await page.getByText(noResponse).waitFor();
    await end();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Volumes' }).waitFor();
    await page.context().close();
  });

  it('says after a sign-out that the session may not have ended', async () => {
    const page = await visit(`/w/${mainWorkspace}/volumes`);
    const { asked } = await hang(page, '/v0/oauth/revoke');
    await page.locator('button:has(.account-mark)').click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect.poll(() => asked.length).toBe(1);
    await endTime(page);
    await page.getByText('The service did not respond, so you are still signed in to this browser.').waitFor();
    await page.context().close();
  });
});
