// What the first view costs, and how it comes about.
import { describe, expect, it } from 'vitest';
import { mainWorkspace } from '../../src/demo/company.js';
import { useApp } from '../harness.js';
import { freePort, hasBrowser, openContext, signInByClick, useConsole } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });

describe.skipIf(!hasBrowser)('The first view of the console', { timeout: 60_000 }, () => {
  const opened = useConsole(running, port);

  it('takes at most 300 KB of script, as it is sent, for the first view', async () => {
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

  it('signs in and asks while its script is still on the way, and asks nothing twice', async () => {
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
});
