// Dialogs with a keyboard and on a small screen: the focus stays in them after a failure, long texts fit, and buttons stay
// within reach.
import type { Locator, Page, Route } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { mainWorkspace } from '../../src/demo/company.js';
import { useApp } from '../harness.js';
import { freePort, hasBrowser, settled, useConsole, violations } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });
const account = 'meridian-freight';

/** A message with a part that has no place to break. */
const longMessage = `The service has failed for ${'a-very-long-name-'.repeat(8)}. ${'It says a lot about it. '.repeat(60)}`;

/** Lets each change fail. */
async function failChanges(page: Page): Promise<void> {
  const errors = [{ message: longMessage, extensions: { code: 'internal_error' } }];
  await page.route('**/graphql', async (route: Route) => {
    const isChange = /"query":"mutation/.test(route.request().postData() ?? '');
    if (!isChange) return route.continue();
    await new Promise((resolve) => setTimeout(resolve, 200));
    await route.fulfill({ json: { data: null, errors } });
  });
}

const isFocused = async (locator: Locator) => locator.evaluate((element) => element === document.activeElement);

describe.skipIf(!hasBrowser)('A dialog', () => {
  const opened = useConsole(running, port);

  afterEach(async () => {
    await opened.page.unroute('**/graphql');
    await opened.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('scrolls its form, and never into emptiness', async () => {
    const { page } = opened;
    await page.goto(`${origin}/w/${mainWorkspace}/agents/customs-triage`);
    await settled(page);
    await page.getByRole('button', { name: 'Edit' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('group', { name: 'Labels' }).last().waitFor({ state: 'attached' });
    const scrolls = async (locator: Locator) =>
      locator.evaluate(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight);
    expect(await scrolls(dialog.locator('.shape-form'))).toBe(true);
    expect(await scrolls(dialog)).toBe(false);
    await page.keyboard.press('Escape');
  });

  const confirmations: [path: string, opener: RegExp, item: RegExp | undefined, confirm: RegExp][] = [
    [`/w/${mainWorkspace}/agents/customs-triage`, /^(More|Actions|Further)/, /^Delete/, /^Delete agent/],
    [`/profile`, /^Sign out everywhere/, undefined, /^Sign out/],
  ];
  for (const [path, opener, item, confirm] of confirmations) {
    it(`keeps the focus after a failure, and returns it: ${String(confirm)}`, async () => {
      const { page } = opened;
      await page.goto(origin + path);
      await settled(page);
      await failChanges(page);
      const button = page.getByRole('main').getByRole('button', { name: opener }).first();
      await button.focus();
      await page.keyboard.press('Enter');
      if (item !== undefined) await page.getByRole('menuitem', { name: item }).press('Enter');
      const dialog = page.getByRole('alertdialog');
      const acting = dialog.getByRole('button', { name: confirm });
      await acting.press('Enter');
      await dialog.getByRole('alert').waitFor();
      expect(await isFocused(acting)).toBe(true);
      await page.setViewportSize({ width: 390, height: 600 });
      expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
      await acting.scrollIntoViewIfNeeded();
      const box = await acting.boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(600);
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await expect.poll(async () => isFocused(button)).toBe(true);
    });
  }

  it('with a form keeps the focus after a failure, and returns it', async () => {
    const { page } = opened;
    await page.goto(`${origin}/a/${account}/access`);
    await settled(page);
    await failChanges(page);
    const button = page.getByRole('button', { name: /^(Create|New) / }).first();
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').first().fill('key-of-a-test');
    const submit = dialog.locator('button[type=submit]');
    await submit.press('Enter');
    await dialog.getByRole('alert').waitFor();
    expect(await isFocused(submit)).toBe(true);
    await page.setViewportSize({ width: 390, height: 600 });
    expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(async () => isFocused(button)).toBe(true);
  });
});
