// The menus, selects and searchable selects of the console: when they close, and what they say until their options are there.
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { mainWorkspace } from '../../src/demo/company.js';
import { useApp } from '../harness.js';
import { freePort, hasBrowser, settled, useConsole, violations } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });
const account = 'meridian-freight';

describe.skipIf(!hasBrowser)('A menu of the console', () => {
  const opened = useConsole(running, port);

  afterEach(async () => {
    await opened.page.unroute('**/graphql');
  });

  const buttons: [kind: string, path: string, button: RegExp][] = [
    ['the menu of a row', `/a/${account}/workspaces`, /^Actions of/],
    ['the menu of columns', `/w/${mainWorkspace}/agents`, /^Columns$/],
    ['the menu of exports', `/a/${account}/costs`, /^Export CSV$/],
    ['the menu of the user', `/a/${account}/quotas`, /Meridian Freight & Customs$/],
    ['the workspaces', `/w/${mainWorkspace}/agents`, /^Workspace /],
    ['a searchable select', `/w/${mainWorkspace}/agents`, /^Add filter$/],
    ['a select', `/w/${mainWorkspace}/images`, /^Sort/],
  ];
  for (const [kind, path, name] of buttons) {
    it(`stays open when the page moves while its button is pressed: ${kind}`, async () => {
      const { page } = opened;
      await page.goto(origin + path);
      await settled(page);
      const button = page.getByRole('button', { name }).or(page.getByRole('combobox', { name })).first();
      // The menus of the rail are disabled until they are loaded.
      await expect.poll(async () => button.isEnabled()).toBe(true);
      await button.hover();
      await page.mouse.down();
      const popup = page.locator('.popup');
      await popup.waitFor();
      expect(await violations(page)).toEqual([]);
      await page.evaluate(async () => {
        document.body.style.paddingTop = '300px';
        document.body.style.paddingLeft = '300px';
        await new Promise(requestAnimationFrame);
      });
      await page.mouse.up();
      await page.evaluate(async () => new Promise(requestAnimationFrame));
      expect(await popup.and(page.locator('[data-open]')).count()).toBe(1);
      await page.keyboard.press('Escape');
      await popup.waitFor({ state: 'hidden' });
      expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
    });
  }

  it('keeps its button in focus, and closed, while an export works', async () => {
    const { page } = opened;
    await page.goto(`${origin}/a/${account}/costs`);
    await settled(page);
    const answering = new AbortController();
    await page.route('**/graphql', async (route) => {
      if (!answering.signal.aborted) await once(answering.signal, 'abort');
      await route.continue();
    });
    await page.getByRole('button', { name: 'Export CSV' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Totals by group' }).press('Enter');
    const busy = page.getByRole('button', { name: 'Exporting…' });
    await busy.and(page.locator('[aria-disabled=true]')).waitFor();
    const isFocused = async () => page.evaluate(() => document.activeElement?.textContent);
    await expect.poll(isFocused).toBe('Exporting…');
    for (const press of [
      async () => page.keyboard.press('Enter'),
      async () => page.keyboard.press('ArrowDown'),
      async () => busy.click({ force: true }),
    ]) {
      await press();
      await page.evaluate(async () => new Promise(requestAnimationFrame));
      expect(await page.locator('.popup[data-open]').count()).toBe(0);
    }
    const saved = page.waitForEvent('download');
    answering.abort();
    await saved;
    await expect.poll(isFocused).toBe('Export CSV');
  });

  it('leaves the focus in the page when a button filters itself away', async () => {
    const { page } = opened;
    await page.goto(`${origin}/a/${account}/costs`);
    await settled(page);
    const mover = page.getByRole('button', { name: 'sandbox', exact: true }).first();
    await mover.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/filter|sandbox/i);
    await expect.poll(async () => page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true);
    expect(await mover.evaluateAll((all) => all.includes(document.activeElement as HTMLElement))).toBe(false);
  });
});
