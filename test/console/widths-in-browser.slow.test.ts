// Every view from 320 to 1920 px, also at 200 % zoom, and in forced colors.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { mainWorkspace } from '../../src/demo/company.js';
import { useApp } from '../harness.js';
import { addresses, addressOf, prepareViews } from './all-views.js';
import { freePort, hasBrowser, settled, useConsole } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });

/** A page of 1024 or 1280 px has half as many CSS pixels at 200 % zoom. */
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
    for (const space of document.querySelectorAll('.table-space:has(> .two-lines)')) {
      if (space.scrollWidth > space.clientWidth) found.push(`a table by ${space.scrollWidth - space.clientWidth} px`);
    }
    return found;
  });
}

describe.skipIf(!hasBrowser)('The views of the console', { timeout: 120_000 }, () => {
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
        // Tables change their form in the next frame.
        await page.evaluate(
          () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined)))),
        );
        found.push(...(await overhangs(page)).map((text) => `${width} px: ${text}`));
      }
      expect(found).toEqual([]);
    });
  }

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
