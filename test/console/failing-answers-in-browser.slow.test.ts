// Answers that fail or do not come: each view says so, offers a retry or retries by itself, and calls nothing empty.
import { once } from 'node:events';
import type { Page, Route } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { useApp } from '../harness.js';
import { addresses, addressOf, prepareViews } from './all-views.js';
import { freePort, hasBrowser, settled, useConsole } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });

/** The ways in which an answer fails. Each query is tried with one of them, after a view without any answer. */
const failures = [
  [
    'errors only',
    async (route: Route) =>
      route.fulfill({
        status: 200,
        json: { data: null, errors: [{ message: 'The service has failed.', extensions: { code: 'internal_error' } }] },
      }),
  ],
  ['status 500', async (route: Route) => route.fulfill({ status: 500, body: 'Internal Server Error' })],
  ['status 503', async (route: Route) => route.fulfill({ status: 503, body: 'Service Unavailable' })],
] as const;

/** Queries whose answer a view needs for no statement, so that nothing is missing without it. */
const dispensable = new Set<string>([
  // The subscription to new changes, in whose place the view reads again.
  'Changes',
  // Links without their counts.
  'RailCounts',
  // Details of rows, which are loaded again with the list.
  'RowReasons',
  'RowExecutions',
  // The descriptions and prices of costs. The menus that offer billing dimensions say that they are missing.
  'Billed',
]);

/** Queries of sections that are shown only if they have something. */
const unannounced = new Set(['Budgets', 'MyInvitations']);

const operationOf = (route: Route): string =>
  /"operationName":"(\w+)"/.exec(route.request().postData() ?? '')?.[1] ?? '';

/** The lines of the page. */
async function linesOf(page: Page): Promise<string[]> {
  const text = await page.locator('body').innerText();
  return text.split('\n').map((line) => line.trim());
}

/** What a view says about an answer that has failed. */
const failureText = /Could not load|Try again|when the connection is back/;

/** Whether a condition becomes true. */
async function becomes(isTrue: () => Promise<boolean>): Promise<boolean> {
  return expect
    .poll(isTrue, { timeout: 10_000 })
    .toBe(true)
    .then(
      () => true,
      () => false,
    );
}

async function isMarkedAsLoading(page: Page): Promise<boolean> {
  const marks = await page.locator('[aria-busy=true], .skeleton, .skeletons').count();
  return marks > 0 || (await linesOf(page)).some((line) => line.startsWith('Loading'));
}

/** Texts that state that something is zero or does not exist. */
const isEmptiness = (line: string) =>
  /^(0( [a-z]|$)|None\b|No |Not |Never\b|\$0\.00)/.test(line) || line.endsWith(' not found');

/** The statements of the page that it does not make with all answers. */
async function emptinessIn(page: Page, whole: readonly string[]): Promise<string[]> {
  return (await linesOf(page)).filter((line) => isEmptiness(line) && !whole.includes(line));
}

describe.skipIf(!hasBrowser)('Without one of its answers', () => {
  const opened = useConsole(running, port);
  let names: ReadonlyMap<string, string>;
  const seen = new Set<string>();

  beforeAll(async () => {
    names = await prepareViews(running.app);
  });

  afterEach(async () => {
    await opened.page.unroute('**/graphql');
    // The browser itself logs the requests that failed.
    opened.visit.problems.splice(0);
  });

  for (const [view, address] of Object.values(addresses).flatMap(Object.entries)) {
    it(`a view says so: ${view}`, async () => {
      const { page } = opened;
      await page.setViewportSize({ width: 1280, height: 800 });
      const asked = new Set<string>();
      await page.route('**/graphql', async (route) => {
        asked.add(operationOf(route));
        await route.continue();
      });
      await page.goto(origin + addressOf(address, names));
      await settled(page);
      const whole = await linesOf(page);
      await page.unroute('**/graphql');
      const complaints: string[] = [];
      for (const operation of asked) {
        if (seen.has(operation) || dispensable.has(operation)) continue;
        seen.add(operation);
        const [failure, answer] = failures[seen.size % failures.length] ?? failures[0];
        const waiting = new AbortController();
        await page.route('**/graphql', async (route) => {
          if (operationOf(route) !== operation) return route.continue();
          if (!waiting.signal.aborted) await once(waiting.signal, 'abort');
          await answer(route);
        });
        await page.goto(origin + addressOf(address, names));
        const isLoading = unannounced.has(operation) || (await becomes(() => isMarkedAsLoading(page)));
        if (!isLoading) complaints.push(`${operation}, not yet: not told`);
        complaints.push(...(await emptinessIn(page, whole)).map((line) => `${operation}, not yet: ${line}`));
        waiting.abort();
        const isTold = await becomes(async () => (await linesOf(page)).some((line) => failureText.test(line)));
        if (!isTold) complaints.push(`${operation}, ${failure}: not told`);
        complaints.push(...(await emptinessIn(page, whole)).map((line) => `${operation}, ${failure}: ${line}`));
        await page.unroute('**/graphql');
      }
      expect(complaints).toEqual([]);
    });
  }
});
