// Every view from 320 to 1920 px, at 200 % zoom, and in forced colors: nothing hangs over, no axe violations.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { mainWorkspace } from '../../src/demo/company.js';
import { useApp } from '../harness.js';
import { addresses, addressOf, prepareViews } from './all-views.js';
import { freePort, hasBrowser, settled, useConsole, violations } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });

const widths = [320, 390, 512, 640, 768, 1024, 1280, 1920];

/** What hangs over the side of the page, or over that of a table that is made to fit. */
async function overhangs(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const main = document.querySelector('main');
    if (main === null) return ['no main'];
    // What hangs over is clipped there, so that it cannot be measured.
    main.style.overflowX = 'visible';
    const { scrollWidth } = document.documentElement;
    const widest = [...main.querySelectorAll('*')]
      .filter((element) => element.getBoundingClientRect().right >= scrollWidth - 1)
      .map(({ tagName, className }) => `${tagName} ${String(className)}`);
    const found =
      scrollWidth > innerWidth
        ? [`the page by ${scrollWidth - innerWidth} px: ${widest.join(', ').slice(0, 500)}`]
        : [];
    main.style.overflowX = '';
    // They would make the page scroll into emptiness, because their container does not hold them.
    for (const hidden of main.querySelectorAll<HTMLElement>('.hidden')) {
      if (hidden.offsetParent === null) continue;
      let scroller = hidden.parentElement;
      while (scroller !== null && !/auto|scroll/.test(getComputedStyle(scroller).overflowY)) {
        scroller = scroller.parentElement;
      }
      if (scroller !== null && main.contains(scroller) && !scroller.contains(hidden.offsetParent)) {
        found.push(`hidden texts, out of ${scroller.className}`);
      }
    }
    for (const cell of main.querySelectorAll('.stacked tbody td')) {
      if (getComputedStyle(cell).paddingInlineStart !== '0px') found.push(`an indented cell: ${cell.textContent}`);
    }
    for (const space of document.querySelectorAll('.table-space:has(> .two-lines)')) {
      if (space.scrollWidth > space.clientWidth) found.push(`a table by ${space.scrollWidth - space.clientWidth} px`);
    }
    return found;
  });
}

/** An answer in which all names are as long as they may be, and titles and addresses long as well. */
function lengthened(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => lengthened(each, key));
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, lengthened(each, field)]));
  }
  if (typeof value !== 'string' || value === mainWorkspace || value === 'meridian-freight') return value;
  if (/^\S+@\S+$/.test(value)) return `maria-fernanda.de-los-angeles-${value.replace('@', '@procurement.')}`;
  if (/^(displayName|title)$/.test(key)) return `${value} and what else belongs to it in this department`.slice(0, 63);
  const isName = /^(name|region|createdBy|updatedBy)$/i.test(key) && /^[a-z][a-z0-9]*-[a-z0-9-]+$/.test(value);
  return isName ? `${value}-with-a-name-as-long-as-names-may-become-in-this-service`.slice(0, 63) : value;
}

/** An answer whose free texts end with one long word, as addresses of images do in messages. */
function unbroken(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => unbroken(each, key));
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, unbroken(each, field)]));
  }
  if (typeof value !== 'string') return value;
  if (/^(displayName|title)$/.test(key)) return 'M'.repeat(63);
  return /^(message|reason|description)$/.test(key) ? `${value} registry.example.com/${'m'.repeat(150)}` : value;
}

/** Changes all answers of the service from now on. A view that is left waits for none of its answers. */
async function changeAnswers(page: Page, change: (answer: unknown) => unknown): Promise<void> {
  await page.route('**/graphql', async (route) => {
    if (route.request().headers()['accept']?.startsWith('text/event-stream') === true) return route.continue();
    const response = await route.fetch().catch(() => undefined);
    if (response !== undefined) await route.fulfill({ response, json: change(await response.json()) }).catch(() => {});
  });
}

/** Texts that are cut without a title to read them whole, or without an ellipsis. */
async function unreadable(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isCut = (element: Element) =>
      element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 6;
    const cut = [...document.querySelectorAll('.cut, .cell-name, .row-name, .trail li')].filter(
      (element) => element.checkVisibility() && element.clientWidth > 1 && isCut(element),
    );
    return cut
      .filter((element) => {
        const { textOverflow, webkitLineClamp } = getComputedStyle(element);
        const hasTitle = element.closest('[title]') !== null || element.querySelector('[title]') !== null;
        return !hasTitle || (textOverflow !== 'ellipsis' && webkitLineClamp === 'none');
      })
      .map(({ className, textContent }) => `${className}: ${textContent}`);
  });
}

/**
 * Links and buttons that a finger may miss: less than 24 CSS pixels in a dimension, unless they are part of a
 * sentence (WCAG 2.2, 2.5.8).
 */
async function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isInSentence = (element: Element) => {
      if (getComputedStyle(element).display !== 'inline') return false;
      const siblings = [...(element.parentElement?.childNodes ?? [])];
      return siblings.some((node) => node instanceof Text && node.data.trim().length > 2);
    };
    const targets = [...document.querySelectorAll('a[href], button, [role=button], input, select, summary')]
      .filter((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      .map((element) => ({ element, box: (element.closest('label') ?? element).getBoundingClientRect() }))
      // What only assistive technology reaches, or what is scrolled away.
      .filter(({ box }) => box.width > 1 && box.height > 1 && box.right > 0 && box.left < innerWidth);
    return targets
      .filter(({ element, box }) => (box.width < 24 || box.height < 24) && !isInSentence(element))
      .map(({ element, box }) => {
        const path = [element.parentElement, element].map((each) => `${each?.tagName}.${each?.className}`).join(' > ');
        return `${Math.round(box.width)} × ${Math.round(box.height)} px: ${element.textContent} ${path}`;
      });
  });
}

/** Zooms as a browser does: a window of 1280 by 800 px has 640 by 400 CSS pixels of two device pixels each. */
async function zoomTo200Percent(page: Page): Promise<() => Promise<void>> {
  const devtools = await page.context().newCDPSession(page);
  const metrics = { width: 640, height: 400, deviceScaleFactor: 2, mobile: false };
  await devtools.send('Emulation.setDeviceMetricsOverride', metrics);
  expect(await page.evaluate(() => [innerWidth, devicePixelRatio])).toEqual([640, 2]);
  return async () => {
    await devtools.send('Emulation.clearDeviceMetricsOverride');
    await devtools.detach();
  };
}

/** Tables change their form in the next frame. */
async function laidOut(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined)))),
  );
}

describe.skipIf(!hasBrowser)('The views of the console', () => {
  const opened = useConsole(running, port);
  let names: ReadonlyMap<string, string>;

  beforeAll(async () => {
    names = await prepareViews(running.app);
  });

  for (const [view, address] of Object.values(addresses).flatMap(Object.entries)) {
    it(`fit into every width: ${view}`, async () => {
      const { page } = opened;
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(origin + addressOf(address, names));
      await settled(page);
      const found: string[] = [];
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        await laidOut(page);
        found.push(...(await overhangs(page)).map((text) => `${width} px: ${text}`));
      }
      expect(found).toEqual([]);
    });

    it(`have targets of 24 px for a finger: ${view}`, async () => {
      const { page } = opened;
      await page.setViewportSize({ width: 390, height: 800 });
      await page.goto(origin + addressOf(address, names));
      await settled(page);
      await laidOut(page);
      expect([...new Set(await smallTargets(page))]).toEqual([]);
    });

    it(`have no axe violations at 200 % zoom and in forced colors: ${view}`, async () => {
      const { page } = opened;
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await page.goto(origin + addressOf(address, names));
      await settled(page);
      const leave = await zoomTo200Percent(page);
      await laidOut(page);
      const zoomed = { violations: await violations(page), overhangs: await overhangs(page) };
      await leave();
      expect(zoomed).toEqual({ violations: [], overhangs: [] });
      await page.setViewportSize({ width: 1280, height: 800 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ forcedColors: 'active', colorScheme });
        await page.locator(`html.${colorScheme}`).waitFor({ state: 'attached' });
        await laidOut(page);
        const found = await violations(page, colorScheme === 'dark' ? ['color-contrast'] : undefined);
        expect({ colorScheme, found }).toEqual({ colorScheme, found: [] });
      }
      await page.emulateMedia({ forcedColors: null, colorScheme: null, reducedMotion: null });
    });
  }

  it('show long names so that they can be read, beside whole words of the console', async () => {
    const { page } = opened;
    await changeAnswers(page, lengthened);
    const found: unknown[] = [];
    for (const address of [
      '/w/{main}/agents',
      '/w/{main}/agents/customs-triage',
      '/w/{main}/jobs/{job}/executions/{execution}',
      '/w/{main}/images',
      '/a/{account}/quotas',
      '/a/{account}/budgets',
      '/a/{account}/access',
      '/a/{account}/members',
      '/a/{account}/members/{owner}',
      '/a/{account}/workspaces',
      '/platform',
    ]) {
      await page.goto(origin + addressOf(address, names));
      await settled(page);
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await laidOut(page);
        const complaints = [...(await overhangs(page)), ...(await unreadable(page))];
        if (complaints.length > 0) found.push({ address, width, complaints });
      }
    }
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(origin + addressOf('/a/{account}/access', names));
      await settled(page);
      await page.getByRole('button', { name: 'Create API key' }).click();
      await page.getByRole('dialog').getByText('maria-fernanda').first().waitFor();
      found.push(...(await unreadable(page)));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('combobox', { name: 'Search or run a command' }).fill('customs');
      await page
        .getByRole('option', { name: /^customs-/ })
        .first()
        .waitFor();
      found.push(...(await unreadable(page)));
      await page.keyboard.press('Escape');
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    opened.visit.problems.splice(0);
    expect(found).toEqual([]);
  });

  it('break long words of texts that users and programs write', async () => {
    const { page } = opened;
    await changeAnswers(page, unbroken);
    const found: unknown[] = [];
    const views = Object.values(addresses).flatMap((states) => Object.values(states));
    for (const address of views) {
      await page.goto(origin + addressOf(address, names));
      await settled(page);
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await laidOut(page);
        const complaints = await overhangs(page);
        if (complaints.length > 0) found.push({ address, width, complaints });
      }
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    opened.visit.problems.splice(0);
    expect(found).toEqual([]);
  });

  it('show in forced colors what is chosen', async () => {
    const { page } = opened;
    const backgroundOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).backgroundColor);
    await page.emulateMedia({ forcedColors: 'active' });
    await page.goto(origin + addressOf('/w/{main}/agents/customs-triage', names));
    await settled(page);
    for (const of of ['.rail nav a', '.tab']) {
      const [chosen, other] = [`${of}[aria-current=page]`, `${of}:not([aria-current=page])`];
      expect({ of, isAlike: (await backgroundOf(chosen)) === (await backgroundOf(other)) }).toEqual({
        of,
        isAlike: false,
      });
    }
    await page.goto(origin + addressOf('/a/{account}/clients', names));
    await settled(page);
    const before = await backgroundOf('.button[aria-pressed=false]');
    await page.locator('.button[aria-pressed=false]').first().click();
    await page.mouse.move(0, 0);
    expect(await backgroundOf('.button[aria-pressed=true]')).not.toBe(before);
    await page.goto(origin + addressOf('/w/{main}/agents', names));
    await settled(page);
    await page.keyboard.press('j');
    const outline = await page.locator('.row-grid.active').evaluate((row) => getComputedStyle(row).outlineStyle);
    expect(outline).toBe('solid');
    await page.emulateMedia({ forcedColors: null });
  });

  it('keep the bars of states, budgets and quotas in forced colors', async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 1280, height: 800 });
    const bars: [path: string, bar: string][] = [
      [`/w/${mainWorkspace}`, '.state-share > span'],
      [`/w/${mainWorkspace}`, '.budget-bar > .used'],
      ['/w/{main}/agents/customs-triage', '.state-strip-bar > span'],
      ['/a/{account}/quotas', '.quota-bar > span'],
    ];
    for (const [path, bar] of bars) {
      await page.emulateMedia({ forcedColors: 'none' });
      await page.goto(origin + addressOf(path, names));
      await settled(page);
      const colorsOf = async () => {
        await page.locator(bar).first().waitFor({ state: 'attached' });
        return page.locator(bar).evaluateAll((all) => all.map((each) => getComputedStyle(each).backgroundColor));
      };
      const usual = await colorsOf();
      await page.emulateMedia({ forcedColors: 'active' });
      expect({ bar, colors: await colorsOf() }).toEqual({ bar, colors: usual });
      const parent = await page
        .locator(bar)
        .first()
        .evaluate((each) => {
          const holder = each.parentElement;
          return holder === null ? '' : getComputedStyle(holder).backgroundColor;
        });
      const invisible = usual.filter((color) => color === parent || color === 'rgba(0, 0, 0, 0)');
      expect({ bar, invisible }).toEqual({ bar, invisible: [] });
    }
    await page.emulateMedia({ forcedColors: null });
  });
});
