// The frame of the console: the size and loading of the first view, the keyboard, and browser diagnostics.
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { demoOwner, mainWorkspace } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { useApp } from '../harness.js';
import { freePort, hasBrowser, openContext, settled, signInByClick, useConsole, violations } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });

describe.skipIf(!hasBrowser)('The frame of the console', () => {
  const opened = useConsole(running, port);

  it('loads at most 300 KB of compressed script for the first view', async () => {
    const first = await openContext(opened.browser, origin);
    const sizes = new Map<string, number>();
    first.context.on('response', (response) => {
      if (response.url().endsWith('.js')) sizes.set(response.url(), Number(response.headers()['content-length']));
    });
    const page = await signInByClick(first.context, origin);
    await page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem').first().waitFor();
    await first.context.close();
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    process.stdout.write(
      `First view of the console: ${Math.round(bytes / 1000)} KB of script in ${sizes.size} files\n`,
    );
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(300_000);
  });

  it('signs in and queries while its script is loading, and queries nothing twice', async () => {
    const asked: string[] = [];
    const next = await opened.visit.context.newPage();
    next.on('request', (request) => {
      const operation = /"operationName":"(\w+)"/.exec(request.postData() ?? '')?.[1];
      if (operation !== undefined) asked.push(operation);
    });
    const first = ['Viewer', 'States', 'ToneCounts'];
    await next.route(/assets\/first-[\w-]+\.js$/, async (script) => {
      await expect
        .poll(() => first.filter((operation) => asked.includes(operation)), { timeout: 20_000 })
        .toEqual(first);
      await script.continue();
    });
    await next.goto(`${origin}/w/${mainWorkspace}`);
    await next.locator('.trouble li a').first().waitFor();
    await next.getByRole('list', { name: 'States' }).or(next.locator('.state-totals')).first().waitFor();
    expect(first.map((operation) => asked.filter((each) => each === operation).length)).toEqual([1, 1, 1]);
    await next.close();
  });

  it('shows the frame before its script, and a bar while the script of a view loads', async () => {
    const next = await opened.visit.context.newPage();
    const [start, view] = [gate(), gate()];
    await next.route(/assets\/(start|platform-view)-[\w-]+\.js$/, async (script) => {
      await (/start-/.test(script.request().url()) ? start : view).opened;
      await script.continue();
    });
    await next.goto(`${origin}/w/${mainWorkspace}`, { waitUntil: 'commit' });
    await next.locator('.shell').waitFor();
    const columns = () => next.locator('.shell').evaluate((element) => getComputedStyle(element).gridTemplateColumns);
    await expect.poll(columns).toBe('220px 1060px');
    start.open();
    await settled(next);
    expect(await next.locator('.shell').count()).toBe(0);
    await next.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Platform' }).click();
    await next.locator('.loading-bar').waitFor();
    view.open();
    await next.getByRole('heading', { name: 'Platform', level: 1 }).waitFor();
    await next.locator('.loading-bar').waitFor({ state: 'detached' });
    await next.close();
  });

  it('opens every view with two keys, and lists all shortcuts', async () => {
    const { page } = opened;
    await page.goto(`${origin}/w/${mainWorkspace}`);
    await settled(page);
    for (const [key, path] of [
      ['a', `/w/${mainWorkspace}/agents`],
      ['y', `/w/${mainWorkspace}/activity`],
      ['c', '/a/meridian-freight/costs'],
      ['p', '/platform'],
      ['o', `/w/${mainWorkspace}`],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await page.waitForURL((url) => url.pathname === path);
    }
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.getByText('Go to Networks').waitFor();
    expect(await violations(page)).toEqual([]);
    // An open dialog captures the keys: shortcuts of the page are inactive.
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe(`/w/${mainWorkspace}`);
  });

  it('titles each view by its content, for tabs, history and screen readers', async () => {
    const { page } = opened;
    const production = 'Production · Workload Control Plane';
    const { name } = await running.app.services.db.volume.findFirstOrThrow({
      where: { workspaceId: idOf(mainWorkspace) },
    });
    for (const [path, title] of [
      [`/w/${mainWorkspace}`, `Overview · ${production}`],
      [`/w/${mainWorkspace}/volumes`, `Volumes · ${production}`],
      [`/w/${mainWorkspace}/volumes/${name}`, `${name} · Volumes · ${production}`],
      ['/a/meridian-freight/costs', 'Costs · Meridian Freight & Customs · Workload Control Plane'],
      ['/platform', 'Platform · Workload Control Plane'],
      ['/platform/', 'Platform · Workload Control Plane'],
      ['/profile/', 'Profile · Workload Control Plane'],
      [`/w/${mainWorkspace}/volumes/`, `Volumes · ${production}`],
      ['/a/meridian-freight/costs/', 'Costs · Meridian Freight & Customs · Workload Control Plane'],
    ] as const) {
      await page.goto(`${origin}${path}`);
      await expect.poll(() => page.title(), { timeout: 20_000 }).toBe(title);
    }
  });

  it('finds a resource of any kind and a command in the palette by keyboard', async () => {
    const { page } = opened;
    const { name } = await running.app.services.db.volume.findFirstOrThrow({
      where: { workspaceId: idOf(mainWorkspace) },
    });
    const palette = page.getByRole('dialog', { name: 'Search or run a command' });
    const type = async (text: string) => {
      await page.keyboard.press('Control+k');
      await palette.getByRole('combobox').waitFor();
      await expect.poll(() => focusOf(page)).toBe('Search or run a command');
      await page.keyboard.type(text);
    };
    await page.goto(`${origin}/w/${mainWorkspace}`);
    await settled(page);
    await type(name);
    await palette.getByRole('option', { name: new RegExp(`^${name} ?volume`) }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/w/${mainWorkspace}/volumes/${name}`);

    // The resource stays at hand: its actions, and from elsewhere as a recent one.
    await type('copy');
    await palette
      .getByRole('group', { name: `Volume ${name}` })
      .getByRole('option', { name: 'Copy name' })
      .waitFor();
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    await page.goto(`${origin}/w/${mainWorkspace}`);
    await settled(page);
    await type('');
    await palette.getByRole('group', { name: 'Recent' }).getByRole('option', { name }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });

    // Hits of the search before cannot be chosen while the next search is slow, and stay in their groups.
    await type(name);
    const hits = palette.getByRole('group', { name: 'Resources', exact: true });
    await hits.getByRole('option').first().waitFor();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/graphql', async (route) => {
      await released;
      await route.continue();
    });
    await page.keyboard.type(' of nothing');
    await hits.and(palette.locator('[aria-busy=true]')).waitFor();
    expect(await hits.getByRole('option', { disabled: false }).count()).toBe(0);
    expect(await palette.getByRole('group', { name: 'Resources with this label' }).count()).toBe(0);
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).pathname).toBe(`/w/${mainWorkspace}`);
    release();
    await palette.getByText('No matches.').waitFor();
    await page.unroute('**/graphql');
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });

    await type('go to sand');
    await palette.getByRole('option', { name: /^Sandboxes/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/sandboxes$/);
    await palette.waitFor({ state: 'detached' });

    // Titles come before labels: there are resources with the label cost-centre.
    await type('cost');
    await palette.getByRole('group', { name: 'Resources with this label' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/a\/meridian-freight\/costs/);
    await palette.waitFor({ state: 'detached' });
    await type('meridian-staging');
    await palette.getByRole('group', { name: 'Workspaces' }).getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/w\/meridian-staging$/);
    await palette.waitFor({ state: 'detached' });
    await type('invite');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Invite member to the account' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/a/meridian-freight/members');
    await page.keyboard.press('Escape');
    await expect.poll(() => new URL(page.url()).search).toBe('');
  });

  it('finds another workspace in the switcher, and offers to create one', async () => {
    const { page } = opened;
    await page.goto(`${origin}/w/${mainWorkspace}`);
    await settled(page);
    const { name, displayName } = await running.app.services.db.workspace.findFirstOrThrow({
      where: { accountId: idOf('meridian-freight'), name: { not: mainWorkspace } },
    });
    const switcher = page.getByRole('combobox', { name: /^Workspace / });
    await switcher.click();
    await page.getByPlaceholder('Find a workspace').fill(name);
    await page.getByRole('option', { name: displayName ?? name }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${origin}/w/${name}`);
    await switcher.click();
    await page.getByRole('button', { name: 'Create workspace…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create workspace' });
    await dialog.getByLabel(/^Name/).fill('made-in-the-rail');
    await dialog.getByRole('button', { name: 'Create workspace' }).click();
    await page.waitForURL(`${origin}/w/made-in-the-rail`);
    await page.getByRole('combobox', { name: 'Workspace made-in-the-rail' }).waitFor();
  });

  it('works by keyboard only: sign-in, list, resource, editor and back, with visible focus', async () => {
    const theirs = await openContext(opened.browser, origin);
    const page = await theirs.context.newPage();
    await page.goto(`${origin}/w/${mainWorkspace}`);
    // An editor of an agent with triggers and volumes has some sixty places to stop at.
    const tabsMax = 200;
    const tabTo = async (label: RegExp, key = 'Tab') => {
      const seen: string[] = [];
      while (!label.test(seen.at(-1) ?? '') && seen.length < tabsMax) {
        await page.keyboard.press(key);
        seen.push(await focusOf(page));
      }
      expect(seen.at(-1)).toMatch(label);
      expect(await isFocusSeen(page)).toBe(true);
    };
    const focusIsIn = async (dialog: Locator) => {
      await dialog.waitFor();
      await expect.poll(() => dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    };
    await page.getByRole('button', { name: `Continue as ${demoOwner}` }).waitFor();
    await tabTo(/^Continue as/);
    await page.keyboard.press('Enter');
    await settled(page);
    await page.keyboard.press('Tab');
    expect(await focusOf(page)).toBe('Skip to the content');
    await tabTo(/^Agents/);
    await page.keyboard.press('Enter');
    await page.getByText(/^\d+ agents$/).waitFor();

    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    const name = await focusOf(page);
    expect(await isFocusSeen(page)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name }).getByRole('button', { name: 'Edit' }).waitFor();

    for (const [open, item, dialog] of [
      [/^Edit$/, undefined, page.getByRole('dialog')],
      [/^More actions$/, /^Delete agent…$/, page.getByRole('alertdialog')],
    ] as const) {
      await tabTo(open);
      await page.keyboard.press('Enter');
      if (item !== undefined) {
        // A key that is pressed before the menu has the focus goes to the button.
        await page.locator('[role=menuitem]:focus').waitFor();
        await page.keyboard.press('End');
        await page.locator(':focus').filter({ hasText: item }).waitFor();
        await page.keyboard.press('Enter');
      }
      await focusIsIn(dialog);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await expect.poll(() => focusOf(page)).toMatch(open);
      expect(await isFocusSeen(page)).toBe(true);
    }
    await page.keyboard.press('e');
    await focusIsIn(page.getByRole('dialog'));
    await tabTo(/^Cancel$/, 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe(`/w/${mainWorkspace}/agents/${name}`);
    expect(theirs.problems).toEqual([]);
    await theirs.context.close();
  });

  it('has no browser issues: nothing deprecated, mixed, in quirks mode or against its CSP', async () => {
    const theirs = await openContext(opened.browser, origin);
    const page = await theirs.context.newPage();
    const devtools = await theirs.context.newCDPSession(page);
    const issues: unknown[] = [];
    devtools.on('Audits.issueAdded', ({ issue }) => {
      // Redirects of the sign-in are not history manipulation.
      if (issue.details.genericIssueDetails?.errorType !== 'NavigationEntryMarkedSkippable') issues.push(issue);
    });
    await devtools.send('Audits.enable');
    await page.goto(`${origin}/w/${mainWorkspace}`);
    await page.getByRole('button', { name: `Continue as ${demoOwner}` }).waitFor();
    const signIn = await pageFacts(page);
    await page.getByRole('button', { name: `Continue as ${demoOwner}` }).click();
    await settled(page);
    const facts = [signIn, await pageFacts(page)];
    for (const path of [`/w/${mainWorkspace}/agents`, '/a/meridian-freight/costs']) {
      await page.goto(`${origin}${path}`);
      await settled(page);
      facts.push(await pageFacts(page));
    }
    expect(facts.map(({ title: _title, ...rest }) => rest)).toEqual(
      facts.map(() => ({
        doctype: 'html',
        mode: 'CSS1Compat',
        charset: 'UTF-8',
        language: 'en',
        zooms: true,
        odd: [],
      })),
    );
    expect(facts.filter(({ title }) => title === '')).toEqual([]);
    const answer = await fetch(`${origin}/w/${mainWorkspace}`, { headers: { accept: 'text/html' } });
    expect((await answer.text()).slice(0, 1024)).toContain('<meta charset="utf-8"');
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(issues).toEqual([]);
    expect(theirs.problems).toEqual([]);
    await theirs.context.close();
  });
});

/** The accessible name of the focused element. */
async function focusOf(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    return (element?.getAttribute('aria-label') ?? element?.textContent ?? '').trim();
  });
}

/** Whether the focused element is visible and marked, by an outline of itself or its container. */
async function isFocusSeen(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return false;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    const isInSight =
      box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
    return isInSight && outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1;
  });
}

/** Lighthouse's best practices that the page itself can show. */
async function pageFacts(page: Page) {
  return page.evaluate(() => ({
    doctype: document.doctype?.name,
    mode: document.compatMode,
    charset: document.characterSet,
    language: document.documentElement.lang,
    title: document.title,
    zooms: !/user-scalable=no|maximum-scale/.test(
      document.querySelector<HTMLMetaElement>('meta[name=viewport]')?.content ?? '',
    ),
    // Pictures that are drawn in another shape than they have.
    odd: [...document.images]
      .filter(
        ({ naturalWidth, naturalHeight, width, height }) =>
          Math.abs(naturalWidth / naturalHeight - width / height) > 0.05,
      )
      .map(({ src }) => src),
  }));
}

/** A promise that is resolved from outside. */
function gate(): { open: () => void; opened: Promise<void> } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}
