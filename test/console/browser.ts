// The console in a real browser: Debian's Chromium, driven by playwright-core, against a gateway with the demo's data.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { tryLock } from 'fs-native-extensions';
import axe from 'axe-core';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { createGateway } from '../../src/server/server.js';
import type { Gateway } from '../../src/server/server.js';
import { demoOwner } from '../../src/demo/company.js';
import { loadDemo } from '../../src/demo/load.js';
import { demoUsage } from '../../src/demo/usage.js';
import { allAccountsContext } from '../../src/cli/operator/operator-context.js';
import { recordUsage } from '../../src/metering/usage.js';
import { frozenNow } from '../harness.js';
import type { TestApp } from '../harness.js';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

/** Whether this machine has a browser. `.ci/run` installs one where it lacks. */
export const hasBrowser = executablePath !== undefined;
if (!hasBrowser) {
  process.stderr.write('\nNO CHROMIUM on this machine: the tests of the console in a browser are SKIPPED.\n\n');
}

/** For one step, however busy the machine is. */
const timeoutMs = 25_000;

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ ...(executablePath === undefined ? {} : { executablePath }), args: flags });
}

/**
 * Builds the console if its sources are newer, in a process without test settings. Parallel test files wait for each
 * other, so that one does not delete the files that another reads.
 */
export async function buildConsole(): Promise<void> {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const { NODE_ENV: _test, VITEST: _vitest, ...env } = process.env;
  mkdirSync(`${root}dist/console`, { recursive: true });
  const lock = openSync(`${root}dist/console/.building`, 'a');
  try {
    while (!tryLock(lock)) await setTimeout(100);
    await promisify(execFile)(process.execPath, ['build/compile.js', 'console'], { cwd: root, env });
  } finally {
    closeSync(lock);
  }
}

/** A port that nothing listens on: the public address has to be known before the gateway starts. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** The demo's usage of two months, which is enough to look at. */
export async function loadUsage({ services }: TestApp): Promise<void> {
  const ctx = await allAccountsContext(services);
  const from = new Date(frozenNow.getTime() - 62 * 86_400_000);
  for (const batch of demoUsage('meridian-freight', frozenNow, frozenNow, { from })) {
    await recordUsage(ctx, batch);
  }
}

/** A gateway like that of the demo: its owner gets in with one click. */
export async function serveDemo(app: TestApp, port: number): Promise<Gateway> {
  const gateway = createGateway({ ...app.services, examples: { user: demoOwner } });
  gateway.server.listen(port, '127.0.0.1');
  await once(gateway.server, 'listening');
  return gateway;
}

export async function stopServing(gateway: Gateway): Promise<void> {
  gateway.server.closeAllConnections();
  await gateway.drain(0, 0);
}

/** A visitor's own cookies and pages. */
export interface Visit {
  context: BrowserContext;
  /** Forbidden for a page: console errors, exceptions, and requests to other hosts. */
  problems: string[];
}

export async function openContext(browser: Browser, origin: string): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'Europe/Lisbon',
    acceptDownloads: true,
  });
  const problems: string[] = [];
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(`console: ${message.text()}`);
  });
  context.on('weberror', (error) => problems.push(`error: ${error.error().message}`));
  context.on('request', (request) => {
    const isOwn = request.url().startsWith(`${origin}/`) || /^(blob|data):/.test(request.url());
    if (!isOwn) problems.push(`request to elsewhere: ${request.url()}`);
  });
  // Machines that test are busy with other things.
  context.setDefaultTimeout(timeoutMs);
  await context.clock.setFixedTime(frozenNow);
  return { context, problems };
}

/** Opens the console and signs in with one click. */
export async function signInByClick(context: BrowserContext, origin: string, path = '/'): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${origin}${path}`);
  await page.getByRole('button', { name: `Continue as ${demoOwner}` }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor({ state: 'attached' });
  return page;
}

export async function signInByPassword(
  context: BrowserContext,
  origin: string,
  email: string,
  password: string,
  path = '/',
): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${origin}${path}`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor({ state: 'attached' });
  return page;
}

export interface ConsoleUnderTest {
  readonly origin: string;
  readonly app: TestApp;
  readonly browser: Browser;
  /** The demo's owner, signed in. */
  readonly visit: Visit;
  readonly page: Page;
  /** Ends the gateway as a kill does, and starts it again on the same address and database. */
  restart: (whileDown: () => Promise<void>) => Promise<void>;
}

/**
 * The console of a gateway with the demo data, open in a browser with its owner signed in, for all tests of a file. A
 * test fails if the page does something forbidden.
 */
export function useConsole(running: { readonly app: TestApp }, port: number): ConsoleUnderTest {
  const origin = `http://localhost:${port}`;
  let held: { gateway: Gateway; browser: Browser; visit: Visit; page: Page } | undefined;
  const now = () => {
    if (held === undefined) throw new Error('the console has not been opened');
    return held;
  };
  beforeAll(async () => {
    const { services } = running.app;
    const built = buildConsole();
    await loadDemo(services.db, services.encryption, { end: frozenNow });
    await loadUsage(running.app);
    await built;
    const gateway = await serveDemo(running.app, port);
    const browser = await launchBrowser();
    const visit = await openContext(browser, origin);
    held = { gateway, browser, visit, page: await signInByClick(visit.context, origin) };
  }, 300_000);
  afterAll(async () => {
    await held?.browser.close();
    if (held !== undefined) await stopServing(held.gateway);
  });
  afterEach(async ({ task }) => {
    const problems = held?.visit.problems.splice(0) ?? [];
    if (task.result?.state === 'fail') {
      const shown = await held?.page.locator('body').innerText();
      process.stdout.write(`${task.name} failed at ${held?.page.url()}\n${problems.join('\n')}\n${shown}\n`);
    } else if (problems[0] !== undefined) throw new Error(problems.join('\n'));
  });
  return {
    origin,
    get app() {
      return running.app;
    },
    get browser() {
      return now().browser;
    },
    get visit() {
      return now().visit;
    },
    get page() {
      return now().page;
    },
    restart: async (whileDown) => {
      await stopServing(now().gateway);
      await whileDown();
      held = { ...now(), gateway: await serveDemo(running.app, port) };
    },
  };
}

/** Until everything that was asked for is shown, in its typeface. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('main').locator('h1').first().waitFor({ state: 'attached' });
  await page.locator('main [aria-busy=true], main .skeleton').first().waitFor({ state: 'detached' });
  await page.evaluate(() => document.fonts.ready);
}

/** The text in the editor of YAML and JSON. */
export async function editorText(textbox: Locator): Promise<string> {
  await textbox.focus();
  await textbox.press('ControlOrMeta+A');
  return textbox.evaluate((element) => {
    const clipboardData = new DataTransfer();
    element.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }));
    return clipboardData.getData('text/plain');
  });
}

/** Replaces the text of the editor by pasting, because the browser adds inline styles to what a script types into it. */
export async function pasteEditorText(textbox: Locator, text: string): Promise<void> {
  await textbox.focus();
  await textbox.press('ControlOrMeta+A');
  await textbox.evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

/**
 * The axe violations, one line for each element; only of some rules if they are named. Open menus and lists are outside
 * of all landmarks, as their pattern has it.
 */
export async function violations(page: Page, rules?: string[]): Promise<unknown> {
  // Once in each document, because it is long.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const options = { resultTypes: ['violations'], elementRef: true, ...(rules === undefined ? {} : { runOnly: rules }) };
  return page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes
      .filter(({ element }) => id !== 'region' || element.closest('.popup, [class^=finder-]') === null)
      .map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`);
}

/**
 * The problems of axe and of overflowing content, in both themes, wide and narrow. With SCREENSHOTS=FOLDER it saves
 * pictures of all four under this name.
 */
export async function complaintsIn(page: Page, name?: string): Promise<unknown[]> {
  const folder = process.env['SCREENSHOTS'];
  const complaints: unknown[] = [];
  const headings = await page.evaluate(() => ({
    titles: document.querySelectorAll('h1').length,
    withControls: [...document.querySelectorAll(':is(h1, h2, h3):has(a, button)')].map((each) => each.textContent),
  }));
  if (headings.titles !== 1) complaints.push(`${headings.titles} headings of the first level`);
  complaints.push(...headings.withControls.map((text) => `a heading with a control: ${text}`));
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      // A theme changes colours and nothing else.
      const found = await violations(page, colorScheme === 'dark' ? ['color-contrast'] : undefined);
      if (Array.isArray(found)) complaints.push(...found.map((each) => `${width} px, ${colorScheme}: ${each}`));
      if (folder !== undefined && name !== undefined) {
        await page.screenshot({
          path: `${folder}/${name.replaceAll(' ', '-')}-${width}-${colorScheme}.png`,
          fullPage: true,
        });
      }
    }
    const overhang = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (overhang > 0) complaints.push(`${width} px: ${overhang} px hang over the side`);
    // Styles that were loaded only with another, earlier view.
    const atEdge = await page.evaluate(() => {
      const main = document.querySelector('main')?.getBoundingClientRect().left ?? 0;
      const boxes = [...document.querySelectorAll('main h1, main h2, main p')].map((each) =>
        each.getBoundingClientRect(),
      );
      return boxes.filter((box) => box.width > 1 && box.left < main + 6).length;
    });
    if (atEdge > 0) complaints.push(`${width} px: ${atEdge} texts touch the edge`);
  }
  return complaints;
}
