// A loaded view whose refresh fails: it stays, under a banner that stays as well until the refresh succeeds.
import type { Page, Request, Route } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { demoOwner, mainWorkspace } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { createKey, graphql, useApp } from '../harness.js';
import { addressOf, prepareViews } from './all-views.js';
import { freePort, hasBrowser, settled, useConsole } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });

/** Views that refresh by themselves. */
const views = {
  overview: '/w/{main}',
  'a list': '/w/{main}/agents',
  'a list with an open resource': '/w/{main}/sandboxes?peek=claims-notebook',
  images: '/w/{main}/images',
  'usage events': '/a/{account}/usage',
  webhooks: '/a/{account}/webhooks',
};

const internalError = { message: 'The service has failed.', extensions: { code: 'internal_error' } };

const failures = {
  'an internal error': async (route: Route) => route.fulfill({ json: { data: null, errors: [internalError] } }),
  'status 503': async (route: Route) => route.fulfill({ status: 503, body: 'Service Unavailable' }),
};

/** Queries of the frame, and of details of rows that are loaded again with their list. */
const others = /"operationName":"(Changes|RailCounts|Viewer|RowReasons|RowExecutions)"/;

const textOf = async (page: Page) => page.getByRole('main').innerText();

/** The text once the details of rows are there as well. */
async function wholeText(page: Page): Promise<string> {
  await settled(page);
  let text = '';
  await expect
    .poll(
      async () => {
        const before = text;
        text = await textOf(page);
        return text === before;
      },
      { interval: 500 },
    )
    .toBe(true);
  return text;
}

/** The page becomes visible: everything that polls asks at once. */
async function refresh(page: Page): Promise<void> {
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
}

/** Writes down from now on which banners appear. */
async function watchBanner(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const seen: string[] = [];
    const look = () => {
      const text = document.querySelector('.banner')?.textContent ?? '';
      if (text === (seen.at(-1) ?? '')) return;
      seen.push(text);
      document.body.dataset['banners'] = JSON.stringify(seen);
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  return async () => page.evaluate(() => JSON.parse(document.body.dataset['banners'] ?? '[]'));
}

describe.skipIf(!hasBrowser)('A loaded view whose refresh fails', () => {
  const opened = useConsole(running, port);
  let names: ReadonlyMap<string, string>;

  beforeAll(async () => {
    names = await prepareViews(running.app);
  });

  afterEach(async () => {
    await opened.page.unroute('**/graphql');
    // The browser itself logs the requests that failed.
    opened.visit.problems.splice(0);
  });

  for (const [view, address] of Object.entries(views)) {
    for (const [failure, answer] of Object.entries(failures)) {
      it(`stays under a banner until it succeeds: ${view}, ${failure}`, async () => {
        const { page } = opened;
        await page.goto(origin + addressOf(address, names));
        const whole = await wholeText(page);
        const banners = await watchBanner(page);
        let failed = 0;
        await page.route('**/graphql', async (route) => {
          if (others.test(route.request().postData() ?? '')) return route.continue();
          await answer(route);
          failed++;
        });
        for (const times of [1, 2, 3]) {
          await refresh(page);
          await expect.poll(() => failed).toBeGreaterThanOrEqual(times);
          // Meanwhile the health check succeeds.
          await page.waitForTimeout(times === 2 ? 2_100 : 300);
        }
        expect(await textOf(page)).toBe(whole);
        expect(await banners()).toEqual([expect.stringMatching(/out of date/)]);
        await page.unroute('**/graphql');
        await refresh(page);
        await page.locator('.banner').waitFor({ state: 'detached' });
        expect(await textOf(page)).toBe(whole);
      });
    }
  }

  it('keeps its rows while new ones cannot be shown, and shows them once they can', async () => {
    const { page } = opened;
    await page.goto(origin + addressOf('/w/{main}/volumes', names));
    await wholeText(page);
    const { key } = await createKey(running.app, { accountId: idOf('meridian-freight'), principalId: idOf(demoOwner) });
    await graphql(
      running.app,
      key,
      `mutation { made: createVolume(input: { workspace: "${mainWorkspace}", metadata: { name: "the-newest" },
        spec: { region: "eu-frankfurt-1", sizeMb: 1024 } }) { __typename } }`,
    );
    await refresh(page);
    const showNew = page.getByRole('button', { name: 'Show 1 new' });
    await showNew.waitFor();
    const whole = await textOf(page);
    for (const answer of Object.values(failures)) {
      let failed = 0;
      await page.route('**/graphql', async (route) => {
        if (!/"operationName":"Volume/.test(route.request().postData() ?? '')) return route.continue();
        await answer(route);
        failed++;
      });
      await showNew.click();
      await page.locator('.banner').waitFor();
      await expect.poll(async () => textOf(page)).toBe(whole);
      const before = failed;
      await refresh(page);
      await expect.poll(() => failed).toBeGreaterThan(before);
      await expect.poll(async () => textOf(page)).toBe(whole);
      await page.unroute('**/graphql');
    }
    await refresh(page);
    await page.locator('.banner').waitFor({ state: 'detached' });
    await expect.poll(async () => page.locator('[data-index="0"] .cell-name a').innerText()).toBe('the-newest');
    await running.app.services.db.volume.deleteMany({ where: { name: 'the-newest' } });
  });

  const abort = async (route: Route) => route.abort('connectionrefused');

  it('says that the connection is back while a form is open, behind which nothing is loaded', async () => {
    const { page } = opened;
    await page.goto(origin + addressOf('/w/{main}/agents/customs-triage', names));
    await settled(page);
    await page.route(/graphql|readyz/, abort);
    await refresh(page);
    const banner = page.locator('.banner');
    await banner.waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    await page.unroute(/graphql|readyz/);
    await banner.waitFor({ state: 'detached' });
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // A failure after that is shown.
    await page.route(/graphql|readyz/, abort);
    await refresh(page);
    await banner.waitFor();
    await page.unroute(/graphql|readyz/);
    await banner.waitFor({ state: 'detached' });
  });

  it('checks one connection at a time, and ends a check that is not answered', async () => {
    const { page } = opened;
    await page.goto(origin + addressOf('/w/{main}/agents', names));
    await settled(page);
    let checks = 0;
    let most = 0;
    const open = new Set<Request>();
    const onStart = (request: Request) => {
      if (!request.url().endsWith('/readyz')) return;
      checks++;
      most = Math.max(most, open.add(request).size);
    };
    const onEnd = (request: Request) => void open.delete(request);
    page.on('request', onStart).on('requestfailed', onEnd);
    await page.route('**/graphql', abort);
    await page.route('**/readyz', () => {});
    await refresh(page);
    const banner = page.locator('.banner');
    await banner.waitFor();
    await expect.poll(() => checks, { timeout: 40_000 }).toBe(2);
    expect(most).toBe(1);
    page.off('request', onStart).off('requestfailed', onEnd);
    await page.unroute('**/graphql');
    await page.unroute('**/readyz');
    await banner.waitFor({ state: 'detached' });
  });

  it('takes the banner with the further pages that failed, when all rows fit on the first', async () => {
    const { page } = opened;
    const { db } = running.app.services;
    const { sandboxId, workspaceId, spec, sandbox } = await db.sandboxPreview.findFirstOrThrow({
      where: { workspaceId: idOf(mainWorkspace) },
      include: { sandbox: true },
    });
    await db.sandboxPreview.createMany({
      data: Array.from({ length: 60 }, (_none, index) => {
        const name = `of-many-${index}`;
        return { sandboxId, workspaceId, name, createdAt: new Date(0), search: name, spec: Object(spec) };
      }),
    });
    await page.route('**/graphql', async (route) =>
      /"after":"/.test(route.request().postData() ?? '') ? abort(route) : route.continue(),
    );
    await page.goto(`${origin}/w/${mainWorkspace}/sandboxes/${sandbox.name}`);
    await page.locator('.banner').waitFor();
    await db.sandboxPreview.deleteMany({ where: { name: { startsWith: 'of-many-' } } });
    await refresh(page);
    await page.locator('.banner').waitFor({ state: 'detached' });
    expect(await page.getByText('of-many-').count()).toBe(0);
  });

  it('takes the banner with it when it is left', async () => {
    const { page } = opened;
    await page.goto(origin + addressOf('/a/{account}/budgets', names));
    await settled(page);
    await page.route('**/graphql', async (route) => {
      if (!/"operationName":"Budgets"/.test(route.request().postData() ?? '')) return route.continue();
      await failures['an internal error'](route);
    });
    await refresh(page);
    await page.locator('.banner').waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Quotas' }).click();
    await expect.poll(() => page.locator('.banner').count()).toBe(0);
  });
});
