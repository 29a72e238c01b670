// The ways of a day, in a real browser, against a gateway with the demo's data.
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { demoOwner, mainWorkspace, tidewaterOwner } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { setPassword } from '../set-password.js';
import { createKey, frozenNow, graphql, useApp } from '../harness.js';
import { freePort, hasBrowser, openContext, settled, signInByClick, signInByPassword, useConsole } from './browser.js';
import type { Visit } from './browser.js';

const account = 'meridian-freight';
const password = 'a password that is long enough';
const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });

describe.skipIf(!hasBrowser)('The console in a browser', () => {
  const opened = useConsole(running, port);
  let browser: Browser;
  let visit: Visit;
  let page: Page;

  beforeAll(async () => {
    ({ browser, visit, page } = opened);
    const { db } = running.app.services;
    await setPassword(db, tidewaterOwner, password, frozenNow);
  });

  it('aligns each column header of a list with its column', async () => {
    await page.goto(`${origin}/w/${mainWorkspace}/agents`);
    const row = page.getByRole('row').filter({ has: page.getByRole('checkbox') });
    await row.first().waitFor();
    for (const [heading, cell] of [
      ['State', '.cell-state'],
      ['Name', '.cell-name'],
      ['Created', '.cell-created'],
      ['Updated', '.cell-updated'],
    ] as const) {
      const [above, below] = await Promise.all([
        page.getByRole('columnheader', { name: heading }).boundingBox(),
        row.first().locator(cell).boundingBox(),
      ]);
      expect([heading, above?.x]).toEqual([heading, below?.x]);
    }
  });

  it('keeps the height of a long row on hover, with its full text in titles', async () => {
    const { db } = running.app.services;
    const where = { workspaceId: idOf(mainWorkspace) };
    const { id, name, labels, displayName } = await db.agent.findFirstOrThrow({ where, orderBy: { name: 'asc' } });
    const long = Object.fromEntries(Array.from({ length: 8 }, (_none, index) => [`label-${index}`, 'long '.repeat(8)]));
    await db.agent.update({ where: { id }, data: { labels: long, displayName: 'A title of many words '.repeat(8) } });
    await page.goto(`${origin}/w/${mainWorkspace}/agents?sort=name`);
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
    await row.hover();
    const overhang = await row.evaluate((element) => {
      const { bottom } = element.getBoundingClientRect();
      return [...element.querySelectorAll('*')].filter((each) => each.getBoundingClientRect().bottom > bottom).length;
    });
    expect(overhang).toBe(0);
    expect(await row.locator('.cell-labels > span').getAttribute('title')).toContain('label-7:long');
    await db.agent.update({ where: { id }, data: { labels: labels ?? {}, displayName } });
  });

  it('shows a platform team failures and reasons, one click from the overview', async () => {
    await page.goto(`${origin}/w/${mainWorkspace}`);
    const first = page.getByRole('region', { name: 'Needs attention' }).locator('.trouble li').first();
    const cause = await first.innerText();
    const link = first.getByRole('link').first();
    const name = await link.innerText();
    await link.click();
    const state = page.getByRole('article', { name }).locator('.resource-heading');
    await state.getByText('Failed', { exact: true }).waitFor();
    const [reason = ''] = (await state.locator('.resource-reason > span').first().innerText()).split(', ');
    expect(reason).not.toBe('');
    expect(cause).toContain(reason);
    expect(new URL(page.url()).pathname).toMatch(new RegExp(`^/w/${mainWorkspace}/\\w+/${name}$`));
  });

  it('finds the failing agents of a list by state, and opens one beside it by keyboard', async () => {
    const where = { workspaceId: idOf(mainWorkspace), status: 'FAILED' } as const;
    const { name } = await running.app.services.db.agent.findFirstOrThrow({ where });
    await page.goto(`${origin}/w/${mainWorkspace}/agents`);
    await page
      .getByRole('list', { name: 'States' })
      .getByRole('link', { name: /Failed/ })
      .click();
    await page.waitForURL(/state=failed/);
    await page.getByLabel('Filter agents by name, title or label').fill(name);
    await page.getByText(/^1 of \d+ agents$/).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Space');
    const beside = page.getByRole('complementary', { name: `agent ${name}` });
    await beside.getByRole('heading', { name }).waitFor();
    await page.keyboard.press('Escape');
    await beside.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('q')).toBe(name);
  });

  it('counts an agent that was created elsewhere in heading, rail and chips simultaneously', async () => {
    const { db } = running.app.services;
    await page.goto(`${origin}/w/${mainWorkspace}/agents`);
    const heading = page.getByText(/^\d+ agents$/);
    await heading.waitFor();
    const counts = async () => {
      const numbersOf = async (text: Promise<string[]>) =>
        (await text).reduce((sum, each) => sum + Number(/\d+/.exec(each)?.[0] ?? 0), 0);
      const states = page.getByRole('list', { name: 'States' });
      return Promise.all([
        numbersOf(heading.allInnerTexts()),
        numbersOf(page.locator('.rail a[href$="/agents"] .count').allInnerTexts()),
        numbersOf(states.getByRole('link').allInnerTexts()),
      ]);
    };
    const before = await db.agent.count({ where: { workspaceId: idOf(mainWorkspace) } });
    await expect.poll(counts).toEqual([before, before, before]);
    const { key } = await createKey(running.app, { accountId: idOf(account), principalId: idOf(demoOwner) });
    const input = `{ workspace: "${mainWorkspace}", metadata: { name: "made-elsewhere" }, spec: { runtime: { image: "a" } } }`;
    const { body } = await graphql(
      running.app,
      key,
      `mutation { made: createAgent(input: ${input}) { __typename ... on Error { message } } }`,
    );
    expect(body.data.made.__typename).toBe('CreateAgentPayload');
    await expect.poll(counts).toEqual([before + 1, before + 1, before + 1]);
    await db.agent.deleteMany({ where: { name: 'made-elsewhere' } });
  });

  it('navigates immediately after typing', async () => {
    await page.goto(`${origin}/w/${mainWorkspace}/agents`);
    await page.getByText(/^\d+ agents$/).waitFor();
    // The view changes only after the pause of typing: a timer of the page that begins later and takes longer.
    await page.route(/platform-view.*\.js$/, async (asked) => {
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 250)));
      await asked.continue();
    });
    await page.getByLabel('Filter agents by name, title or label').evaluate((field) => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, 'triage');
      field.dispatchEvent(new Event('input', { bubbles: true }));
      document.querySelector<HTMLElement>('.rail a[href$="/platform"]')?.click();
    });
    await page.getByRole('heading', { name: 'Platform' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/platform');
    await page.unroute(/platform-view.*\.js$/);
  });

  it('stays signed in and keeps its URL over a reload', async () => {
    await page.goto(`${origin}/a/meridian-freight/costs?by=workspace&resolution=weekly`);
    for (const reload of [true, false]) {
      const table = page.getByRole('main').getByRole('table').first();
      await table.getByText(mainWorkspace).first().waitFor();
      if (reload) await page.reload();
    }
    expect(new URL(page.url()).searchParams.get('resolution')).toBe('weekly');
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain('eyJ');
  });

  it('shows filters, time zone and change of costs, and a link keeps commas, quotes and absolute times', async () => {
    const name = `a "quoted", name & more`;
    const search = new URLSearchParams({ name, from: '2026-11-01T00:00:00.000Z', to: '2026-11-08T00:00:00.000Z' });
    await page.goto(`${origin}/a/meridian-freight/costs?${search}`);
    const filters = page.getByRole('list', { name: 'Filters' });
    await filters.getByText(name).waitFor();
    await page.getByText('No costs in this period match these filters.').waitFor();
    await page.reload();
    await filters.getByText(name).waitFor();
    await page.getByRole('combobox', { name: /^Time zone: UTC/ }).waitFor();
    // The filter is shown above the numbers, and is removed with one click; the period stays.
    const tops = await Promise.all(
      [filters, page.getByRole('table').first()].map((each) => each.getByText(/./).first().boundingBox()),
    );
    expect(tops[0]?.y).toBeLessThan(tops[1]?.y ?? 0);
    await filters.getByRole('button').click();
    await page
      .getByText(/1\D+7 Nov 2026/)
      .first()
      .waitFor();
    const movers = page.getByLabel('Largest changes');
    await movers.getByText('Increased').or(movers.getByText('Decreased')).first().waitFor();
    await page.getByRole('button', { name: 'Compare to previous period' }).click();
    await page.getByRole('columnheader', { name: 'Previous' }).waitFor();
    // The page behind an open menu is not blocked.
    await page.getByRole('combobox', { name: 'Filter' }).click();
    await page.getByRole('option', { name: 'agent', exact: true }).click();
    await filters.getByText('agent').waitFor();
    expect(new URL(page.url()).searchParams.get('from')).toBe('2026-11-01T00:00:00.000Z');
  });

  it('shows another tenant, signed in by password, no data of the first', async () => {
    const theirs = await openContext(browser, origin);
    const other = await signInByPassword(theirs.context, origin, tidewaterOwner, password, `/w/${mainWorkspace}`);
    await other.getByRole('heading', { name: `Workspace “${mainWorkspace}” not found` }).waitFor();
    expect(await other.locator('body').innerText()).not.toContain(demoOwner);
    const { name } = await running.app.services.db.agent.findFirstOrThrow({
      where: { workspaceId: idOf(mainWorkspace) },
      orderBy: { name: 'desc' },
    });
    const ofWorkspace = ['agents', `agents/${name}`, 'images', 'shares', 'activity'].map(
      (each) => `/w/${mainWorkspace}/${each}`,
    );
    const ofAccount = ['costs', 'budgets', 'access', 'clients', 'members', 'webhooks', 'settings'].map(
      (each) => `/a/meridian-freight/${each}`,
    );
    for (const path of [...ofWorkspace, ...ofAccount]) {
      await other.goto(`${origin}${path}`);
      await settled(other);
      await other.getByRole('heading', { name: /^(Workspace|Account) .* not found$/ }).waitFor();
      const shown = await other.getByRole('main').innerText();
      expect([path, /Meridian|meridian\.example|wcp_|\$\d/.exec(shown)?.[0]]).toEqual([path, undefined]);
    }
    expect(theirs.problems).toEqual([]);
    await theirs.context.close();
  });

  it('ends in a tab whose browser another user has signed in to', async () => {
    const one = await openContext(browser, origin);
    const tab = await signInByClick(one.context, origin, `/w/${mainWorkspace}/agents`);
    await tab.getByRole('heading', { name: 'Agents' }).waitFor();
    await one.context.clearCookies();
    const other = await signInByPassword(one.context, origin, tidewaterOwner, password);
    // The token of the first user is about to expire.
    await one.context.clock.setFixedTime(frozenNow.getTime() + 14.5 * 60_000);
    await tab.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await tab.getByText('Another user or account signed in to this browser.').waitFor();
    expect(await tab.locator('body').innerText()).not.toMatch(/Meridian|meridian/);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.getByRole('heading', { name: `Workspace “${mainWorkspace}” not found` }).waitFor();
    await other.reload();
    await other.getByRole('navigation', { name: 'Main' }).waitFor({ state: 'attached' });
    expect(one.problems).toEqual([]);
    await one.context.close();
  });

  it('keeps an open form when the session ends, and saves it once the user has signed in in another tab', async () => {
    const { db } = running.app.services;
    const where = { workspaceId: idOf(mainWorkspace), status: 'DEPLOYED' } as const;
    const { id, name } = await db.volume.findFirstOrThrow({ where });
    const one = await openContext(browser, origin);
    const tab = await signInByClick(one.context, origin, `/w/${mainWorkspace}/volumes/${name}`);
    const dialog = tab.getByRole('dialog');
    const edit = async (displayName: string, minutes: number) => {
      await tab.getByRole('button', { name: 'Edit', exact: true }).click();
      await dialog.getByLabel('Display name').fill(displayName);
      // The token is about to expire, and the session has ended.
      await one.context.clearCookies();
      await one.context.clock.setFixedTime(frozenNow.getTime() + minutes * 60_000);
      await dialog.getByRole('button', { name: 'Save 1 change' }).click();
    };
    await edit('Typed in the first session', 14.5);
    const opening = one.context.waitForEvent('page');
    await dialog.getByRole('alert').getByRole('link', { name: 'sign in in a new tab' }).click();
    const other = await opening;
    await other.getByRole('button', { name: `Continue as ${demoOwner}` }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await db.volume.findUnique({ where: { id } })).toMatchObject({ displayName: 'Typed in the first session' });
    await edit('Never saved', 29);
    await dialog.getByRole('alert').getByText('Your session has ended.').waitFor();
    expect(await dialog.getByLabel('Display name').inputValue()).toBe('Never saved');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await tab.getByRole('button', { name: 'Discard' }).click();
    await tab.getByRole('main').getByText('Your session has ended.').waitFor();
    expect(await tab.locator('body').innerText()).not.toContain(name);
    expect(one.problems).toEqual([]);
    await one.context.close();
  });

  it('keeps an open form when another user signs in in another tab, and saves it only as its own user', async () => {
    const { db } = running.app.services;
    const where = { workspaceId: idOf(mainWorkspace), status: 'DEPLOYED' } as const;
    const { id, name, displayName: before } = await db.volume.findFirstOrThrow({ where });
    const one = await openContext(browser, origin);
    const tab = await signInByClick(one.context, origin, `/w/${mainWorkspace}/volumes/${name}`);
    const dialog = tab.getByRole('dialog');
    await tab.getByRole('button', { name: 'Edit', exact: true }).click();
    await dialog.getByLabel('Display name').fill('Typed before the other user');
    const menuOf = (opened: Page) => opened.locator('button:has(.account-mark)');
    const switching = await one.context.newPage();
    await switching.goto(`${origin}/`);
    await menuOf(switching).click();
    await switching.getByRole('menuitem', { name: 'Sign out' }).click();
    await dialog.getByRole('alert').getByText('You signed out in another tab.').waitFor();
    await switching.close();
    const other = await signInByPassword(one.context, origin, tidewaterOwner, password);
    await dialog.getByRole('alert').getByText(`You are signed in as ${tidewaterOwner} now.`).waitFor();
    const sent: string[] = [];
    tab.on('request', (request) => sent.push(request.url()));
    await dialog.getByRole('button', { name: 'Save 1 change' }).click();
    await tab.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    expect(await dialog.getByLabel('Display name').inputValue()).toBe('Typed before the other user');
    expect(sent).toEqual([]);
    expect(await db.volume.findUnique({ where: { id } })).toMatchObject({ displayName: before });
    await menuOf(other).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await dialog.getByRole('alert').getByText('You signed out in another tab.').waitFor();
    await other.close();
    await signInByClick(one.context, origin);
    await dialog.waitFor({ state: 'detached' });
    expect(await db.volume.findUnique({ where: { id } })).toMatchObject({ displayName: 'Typed before the other user' });
    expect(one.problems).toEqual([]);
    await one.context.close();
  });

  it('goes on as the other user when an open form of the first is closed', async () => {
    const where = { workspaceId: idOf(mainWorkspace), status: 'DEPLOYED' } as const;
    const { name } = await running.app.services.db.volume.findFirstOrThrow({ where });
    const one = await openContext(browser, origin);
    const tab = await signInByClick(one.context, origin, `/w/${mainWorkspace}/volumes/${name}`);
    await tab.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = tab.getByRole('dialog');
    await dialog.getByLabel('Display name').fill('Never saved');
    await one.context.clearCookies();
    await signInByPassword(one.context, origin, tidewaterOwner, password);
    await dialog.getByRole('alert').getByText(`You are signed in as ${tidewaterOwner} now.`).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await tab.getByRole('button', { name: 'Discard' }).click();
    await tab.getByRole('heading', { name: `Workspace “${mainWorkspace}” not found` }).waitFor();
    expect(one.problems).toEqual([]);
    await one.context.close();
  });

  it('recovers after the gateway was down, and shows cached data meanwhile', async () => {
    const { db } = running.app.services;
    const where = { workspaceId: idOf(mainWorkspace), status: 'DEPLOYED' } as const;
    const { id, name } = await db.volume.findFirstOrThrow({ where });
    await page.goto(`${origin}/w/${mainWorkspace}/volumes?q=${name}`);
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name }) });
    await row.getByText('Deployed').waitFor();
    await page.evaluate(() => document.body.setAttribute('data-same-page', ''));
    const watching = await visit.context.newPage();
    const watches: string[] = [];
    watching.on('response', async (response) => {
      if (response.headers()['content-type']?.startsWith('text/event-stream') === true) watches.push(response.url());
    });
    await watching.goto(`${origin}/w/${mainWorkspace}/activity`);
    await expect.poll(() => watches.length).toBe(1);
    const banner = page.getByText('Connection lost');
    await opened.restart(async () => {
      await banner.waitFor();
      expect(await row.getByText('Deployed').isVisible()).toBe(true);
      await db.volume.update({ where: { id }, data: { status: 'FAILED' } });
    });
    await banner.waitFor({ state: 'detached' });
    await row.getByText('Failed').waitFor();
    expect(await page.locator('body[data-same-page]').count()).toBe(1);
    expect(await page.getByRole('alert').count()).toBe(0);
    await db.volume.update({ where: { id }, data: { status: 'DEPLOYED' } });
    // Subscribers are notified that the process ends, and subscribe again: twice, because the second process ends them
    // immediately as well.
    await expect.poll(() => watches.length, { timeout: 20_000 }).toBeGreaterThan(2);
    await watching.close();
    // The browser itself also logs that the service was unreachable.
    visit.problems.splice(0, visit.problems.length, ...visit.problems.filter((each) => !/ERR_/.test(each)));
  });

  it('keeps frame and view when a chunk cannot be loaded, and continues to it later', async () => {
    // A visitor whose browser has not cached any part of the console.
    const theirs = await openContext(browser, origin);
    const next = await signInByClick(theirs.context, origin, `/w/${mainWorkspace}`);
    await settled(next);
    await next.evaluate(() => document.body.setAttribute('data-same-page', ''));
    const trouble = next.getByRole('region', { name: 'Needs attention' }).getByRole('listitem').first();
    const rail = next.getByRole('navigation', { name: 'Main' });
    const failed: string[] = [];
    next.on('requestfailed', (request) => {
      if (request.url().endsWith('/graphql')) failed.push(request.postDataJSON().operationName);
    });
    await opened.restart(async () => {
      await rail.getByRole('link', { name: 'Costs' }).click();
      await next.getByText('Connection lost.').waitFor();
      // Everything that is asked for from time to time has failed once.
      const polled = ['RailCounts', 'States', 'ToneCounts'];
      await expect.poll(() => polled.filter((each) => !failed.includes(each)), { timeout: 25_000 }).toEqual([]);
      expect(await rail.isVisible()).toBe(true);
      expect(await trouble.isVisible()).toBe(true);
      expect(await next.locator('body').innerText()).not.toMatch(/preload|failed to load/);
      expect(await next.getByRole('alert').count()).toBe(0);
    });
    await next.getByText(/^The exact total is/).waitFor();
    expect(await next.locator('.cost-bar').evaluate((bar) => getComputedStyle(bar).display)).toBe('flex');
    expect(await next.locator('body[data-same-page]').count()).toBe(1);
    expect(await next.getByRole('alert').count()).toBe(0);
    expect(theirs.problems.filter((each) => !/ERR_/.test(each))).toEqual([]);
    await theirs.context.close();
    visit.problems.splice(0, visit.problems.length, ...visit.problems.filter((each) => !/ERR_/.test(each)));
  });

  it('keeps the frame on a view that was never loaded, and loads it after the gateway is back', async () => {
    await page.goto(`${origin}/w/${mainWorkspace}`);
    await settled(page);
    const rail = page.getByRole('navigation', { name: 'Main' });
    // The scripts are loaded, the data is not.
    await page.evaluate(() => document.body.setAttribute('data-same-page', ''));
    await opened.restart(async () => {
      for (const [link, heading] of [
        ['Networks', 'Networks'],
        ['Budgets', 'Budgets'],
        ['Members', 'Members'],
      ] as const) {
        await rail.getByRole('link', { name: link }).click();
        await page.getByText('Connection lost.').waitFor();
        expect([heading, await rail.isVisible(), await page.getByRole('alert').count()]).toEqual([heading, true, 0]);
      }
    });
    await page.getByRole('heading', { name: 'Members' }).waitFor();
    await page.getByRole('table').getByText(demoOwner).first().waitFor();
    await page.getByText('Connection lost.').waitFor({ state: 'detached' });
    expect(await page.locator('body[data-same-page]').count()).toBe(1);
    visit.problems.splice(0, visit.problems.length, ...visit.problems.filter((each) => !/ERR_/.test(each)));
  });

  it('runs a job with custom tasks, and cancels it', async () => {
    const where = { workspaceId: idOf(mainWorkspace), status: 'DEPLOYED' } as const;
    const { name } = await running.app.services.db.job.findFirstOrThrow({ where });
    await page.goto(`${origin}/w/${mainWorkspace}/jobs/${name}`);
    await page.getByRole('button', { name: 'Run job…', exact: true }).click();
    const dialog = page.getByRole('dialog');
    // Discarded overrides can be secret: they are forgotten.
    await dialog.getByLabel(/^Variables/).fill('TOKEN=not to be kept');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Run job…', exact: true }).click();
    expect(await dialog.getByLabel(/^Variables/).inputValue()).toBe('');
    await dialog.getByLabel(/^Tasks/).fill('lisbon\nlisbon');
    await dialog.getByRole('button', { name: 'Run job' }).click();
    await dialog.getByRole('alert').getByText(/tasks/).waitFor();
    await dialog.getByLabel(/^Tasks/).fill('lisbon\nporto');
    await dialog.getByRole('button', { name: 'Run job' }).click();
    await page.getByRole('button', { name: 'Cancel…' }).click();
    await page.getByRole('button', { name: 'Cancel execution' }).click();
    const state = page.locator('.resource-heading');
    await state.getByText('Cancelled', { exact: true }).waitFor();
    await state.getByText('2 cancelled').waitFor();
    expect(await state.innerText()).toContain('Cancelled');
    await page.getByRole('button', { name: 'Re-run…' }).click();
    expect(await dialog.getByLabel(/^Tasks/).inputValue()).toBe('lisbon\nporto');
    const first = page.url();
    await dialog.getByRole('button', { name: 'Run job' }).click();
    await page.waitForURL((url) => url.href !== first);
    await page.getByRole('button', { name: 'Cancel…' }).waitFor();
  });

  it('offers to re-run the job of an execution only if it is enabled, and says that an execution was deleted', async () => {
    const { db } = running.app.services;
    const { id, job } = await db.jobExecution.findFirstOrThrow({
      where: { job: { workspaceId: idOf(mainWorkspace) }, status: 'failed' },
      include: { job: true },
    });
    const execution = `${origin}/w/${mainWorkspace}/jobs/${job.name}/executions/${id}`;
    await page.goto(execution);
    const again = page.getByRole('button', { name: 'Re-run…' });
    await again.waitFor();
    expect(await again.isDisabled()).toBe(false);
    await db.job.update({ where: { id: job.id }, data: { spec: Object({ ...Object(job.spec), enabled: false }) } });
    await page.goto(execution);
    await page.getByTitle('Enable the job to run it').waitFor();
    expect(await again.isDisabled()).toBe(true);
    await db.job.update({ where: { id: job.id }, data: { spec: Object(job.spec) } });
    await db.jobExecution.delete({ where: { id } });
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.getByText('Execution not found').waitFor();
  });

  it('invites a member to a workspace, and revokes the invitation', async () => {
    await page.goto(`${origin}/a/meridian-freight/members?in=${mainWorkspace}`);
    await page.getByRole('button', { name: 'Invite member' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email address').fill('somebody@new.example.com');
    await dialog.getByRole('button', { name: 'Send invitation' }).click();
    const email = 'somebody@new.example.com';
    await dialog.getByText(`${email} is invited. Send this link:`).waitFor();
    await dialog.getByText(/\/v0\/oauth\/account\?invitation=/).waitFor();
    await dialog.getByRole('button', { name: 'Copy invitation link' }).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    const invited = page.getByRole('table', { name: 'Invitations' }).getByRole('row').filter({ hasText: email });
    await invited.waitFor();
    await invited.getByText(`can create, change and delete resources in the workspace ${mainWorkspace}`).waitFor();
    await visit.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    await invited.getByRole('button', { name: 'Copy invitation link of somebody@new.example.com' }).click();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toMatch(`${origin}/v0/oauth/account?invitation=`);
    await invited.getByRole('button', { name: /^Actions/ }).click();
    await page.getByRole('menuitem', { name: 'Revoke…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await invited.waitFor({ state: 'detached' });
    const statusNow = async () =>
      (await running.app.services.db.invitation.findFirstOrThrow({ where: { name: email } })).status;
    await expect.poll(statusNow).toBe('revoked');
  });

  it('accepts an offered image, and lists it', async () => {
    await page.goto(`${origin}/w/${mainWorkspace}/shares`);
    const offers = page
      .getByRole('region', { name: 'Shared with this workspace' })
      .getByRole('row')
      .filter({ has: page.getByRole('button', { name: 'Accept…' }) });
    const accepted = await offers.first().getByRole('cell').first().innerText();
    const before = await offers.count();
    await offers.first().getByRole('button', { name: 'Accept…' }).click();
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    await expect.poll(() => offers.count()).toBe(before - 1);
    await page.goto(`${origin}/w/${mainWorkspace}/images?q=${accepted}`);
    await page.getByRole('link', { name: accepted }).first().waitFor();
  });
});
