// `npm run --prefix bench bench:console`: the console in Debian's Chromium over a gateway with 100,000 agents. Its first view from
// a cold cache beside GraphiQL's, its script, a list scrolled to its end, a filter's answer, and a view that was seen before.
//
// ROUNDS (5) and STEPS (100) come from the environment.
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { readConfig } from '../src/config.js';
import { openDatabase } from '../src/database/open.js';
import { demoOwner, mainWorkspace } from '../src/demo/company.js';
import { storePassword } from '../src/auth/sign-in/password.js';
import { benchSecret, ensureDatabase, mainDatabase } from './databases.js';
import { median, startServer } from './processes.js';
import { describeMachine, writeResults } from './results.js';
import { numberFrom } from './smoke-mode.js';

const rounds = numberFrom('ROUNDS', 5, 1);
const steps = numberFrom('STEPS', 100, 2);
/** Parts of names of agents, each a filter. */
const words = ['invoice', 'customs', 'triage', 'planner', 'auditor', 'crew', 'port'];
const password = 'opens nothing but generated data';

const database = await ensureDatabase(mainDatabase);
await allowSignIn();
const server = await startServer('ours', database);
// The console moves to the address that the gateway calls its own.
const origin = server.origin.replace('127.0.0.1', 'localhost');
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
});
const cookies = await signIn(browser);

const cold = await coldViews();
const page = await openPage(`/w/${mainWorkspace}`);
await firstTrouble(page);
const filter = await filterLatency(page);
const again = await seenAgain(page);
const list = await scrollToEnd(page);
await browser.close();
await server.stop();

const half = (median(cold.consoleMs) / median(cold.graphiqlMs)).toFixed(2);
const rows = [
  ['GraphiQL usable, cold cache, median', `${median(cold.graphiqlMs).toFixed(0)} ms`, ''],
  ['console usable, cold cache, median', `${median(cold.consoleMs).toFixed(0)} ms`, ''],
  ['console by GraphiQL', half, 'at most 0.5'],
  ['script of the first view, compressed', `${(cold.scriptBytes / 1000).toFixed(0)} KB`, 'at most 300 KB'],
  [
    `rows in the page while ${list.rows.toLocaleString('en')} are scrolled to the end, at most`,
    String(list.rowsMax),
    'some hundred',
  ],
  ['JavaScript heap at the top of the list', `${list.heapStartMb.toFixed(1)} MB`, ''],
  ['JavaScript heap halfway and at the end', list.heapMb.map((each) => `${each.toFixed(1)} MB`).join(', '), 'flat'],
  ['a filter shows after its answer has come, median', `${median(filter).toFixed(0)} ms`, 'at most 100 ms'],
  ['the same, the slowest', `${Math.max(...filter).toFixed(0)} ms`, ''],
  ['a view that was seen shows after the click, median', `${median(again.shownMs).toFixed(0)} ms`, 'at once'],
  ['… before any answer has come', `${again.beforeAnswer} of ${rounds}`, 'each time'],
];
const text = `# Console

\`npm run --prefix bench bench:console\` on ${await describeMachine(database)}.
${rounds} rounds, contexts of their own for what starts cold; the list in ${steps} steps, each until its rows are there.

| what | measured | bar |
| --- | ---: | --- |
${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}
`;
writeResults('console', text);
process.exit(0);

async function allowSignIn(): Promise<void> {
  const { db, close } = await openDatabase(readConfig({ DATABASE_URL: database.url, SERVICE_SECRETS: benchSecret }));
  const { id } = await db.principal.findUniqueOrThrow({ where: { name: demoOwner } });
  await storePassword(db, id, password, new Date());
  await close();
}

type Cookies = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['cookies']>>;

async function signIn(from: Browser): Promise<Cookies> {
  const context = await from.newContext();
  const opened = await context.newPage();
  await opened.goto(origin);
  await opened.getByLabel('Email address').fill(demoOwner);
  await opened.getByLabel('Password').fill(password);
  await opened.getByRole('button', { name: 'Sign in', exact: true }).click();
  await opened.getByRole('navigation', { name: 'Main' }).waitFor();
  const kept = await context.cookies();
  await context.close();
  return kept;
}

/** In a context of its own: nothing is in its cache. */
async function openPage(path: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addCookies(cookies);
  const opened = await context.newPage();
  await opened.goto(`${origin}${path}`, { waitUntil: 'commit' });
  return opened;
}

/** The overview says what is wrong: it can be used. */
async function firstTrouble(of: Page): Promise<void> {
  await of.locator('.trouble li a').first().waitFor();
}

/** One after the other, in turns, so that both meet the same machine. */
async function coldViews(): Promise<{ consoleMs: number[]; graphiqlMs: number[]; scriptBytes: number }> {
  const [consoleMs, graphiqlMs]: [number[], number[]] = [[], []];
  let scriptBytes = 0;
  for (let round = 0; round < rounds; round++) {
    let startedMs = performance.now();
    const graphiql = await openPage('/graphql');
    await graphiql.locator('.graphiql-query-editor textarea, .graphiql-query-editor .view-lines').first().waitFor({
      state: 'attached',
    });
    graphiqlMs.push(performance.now() - startedMs);
    await graphiql.context().close();
    startedMs = performance.now();
    const console = await openPage(`/w/${mainWorkspace}`);
    await firstTrouble(console);
    consoleMs.push(performance.now() - startedMs);
    scriptBytes = await console.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('.js'))
        .reduce((sum, entry) => sum + (entry instanceof PerformanceResourceTiming ? entry.encodedBodySize : 0), 0),
    );
    await console.context().close();
  }
  return { consoleMs, graphiqlMs, scriptBytes };
}

/** From the end of the last answer that came before it shows, to when it shows. */
async function filterLatency(of: Page): Promise<number[]> {
  await of
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^Agents/ })
    .click();
  await of.locator('.row-space [role=row] a').first().waitFor();
  const taken: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const shown = of.evaluate(
      () =>
        new Promise<number>((resolve) => {
          performance.clearResourceTimings();
          let isAsked = false;
          const watcher = new MutationObserver(() => {
            // The list says that it is loading, in place of its count, until the answer to its filter is there.
            const hasCount = /^\d/.test(document.querySelector('.list-count')?.textContent ?? '');
            isAsked ||= !hasCount;
            if (!isAsked || !hasCount) return;
            watcher.disconnect();
            const shownMs = performance.now();
            // What the browser notes of a request comes a moment after it.
            setTimeout(() => {
              const ends = performance
                .getEntriesByType('resource')
                .flatMap((entry) =>
                  entry instanceof PerformanceResourceTiming && entry.name.endsWith('/graphql')
                    ? [entry.responseEnd]
                    : [],
                )
                .filter((endMs) => endMs > 0 && endMs <= shownMs);
              resolve(shownMs - Math.max(...ends));
            }, 100);
          });
          watcher.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
        }),
    );
    await of.locator('.list-search').fill(words[round % words.length] ?? '');
    taken.push(await shown);
  }
  await of.locator('.list-search').fill('');
  return taken;
}

/** From the click on its link until its content is there, and whether that was before any answer. */
async function seenAgain(of: Page): Promise<{ shownMs: number[]; beforeAnswer: number }> {
  const shownMs: number[] = [];
  let beforeAnswer = 0;
  const links = of.getByRole('navigation', { name: 'Main' });
  for (let round = 0; round < rounds; round++) {
    await links.getByRole('link', { name: /^Platform/ }).click();
    await of.getByRole('heading', { name: 'Platform' }).waitFor();
    const shown = of.evaluate(
      () =>
        new Promise<{ tookMs: number; isBefore: boolean }>((resolve) => {
          let clickedMs = 0;
          addEventListener('click', () => (clickedMs = performance.now()), { capture: true, once: true });
          const watcher = new MutationObserver(() => {
            if (clickedMs === 0 || document.querySelector('.trouble li a') === null) return;
            watcher.disconnect();
            const now = performance.now();
            setTimeout(() => {
              const answers = performance
                .getEntriesByType('resource')
                .filter(
                  (entry) =>
                    entry instanceof PerformanceResourceTiming &&
                    entry.name.endsWith('/graphql') &&
                    entry.startTime > clickedMs &&
                    entry.responseEnd > 0 &&
                    entry.responseEnd < now,
                );
              resolve({ tookMs: now - clickedMs, isBefore: answers.length === 0 });
            }, 100);
          });
          watcher.observe(document.body, { subtree: true, childList: true });
        }),
    );
    await links.getByRole('link', { name: 'Overview' }).click();
    const { tookMs, isBefore } = await shown;
    shownMs.push(tookMs);
    if (isBefore) beforeAnswer += 1;
  }
  return { shownMs, beforeAnswer };
}

/** The list of all agents, from its first row to its last. */
async function scrollToEnd(
  of: Page,
): Promise<{ rows: number; rowsMax: number; heapStartMb: number; heapMb: number[] }> {
  await of
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^Agents/ })
    .click();
  await of.locator('.row-space [role=row] a').first().waitFor();
  const devtools = await of.context().newCDPSession(of);
  const heapMb = async () => {
    await devtools.send('HeapProfiler.collectGarbage');
    const { usedSize } = await devtools.send('Runtime.getHeapUsage');
    return usedSize / 1e6;
  };
  const heapStartMb = await heapMb();
  const rowCount = await of.locator('.row-scroller [role=table]').getAttribute('aria-rowcount');
  // The heading is a row of the table.
  const found = { rows: Number(rowCount) - 1, rowsMax: 0, heapStartMb, heapMb: new Array<number>() };
  for (let step = 1; step <= steps; step++) {
    await of.locator('.row-scroller').evaluate((element, share) => {
      element.scrollTop = (element.scrollHeight - element.clientHeight) * share;
    }, step / steps);
    // Every row in sight has its name, and at the end the last one is among them.
    await of.waitForFunction((isEnd) => {
      const inSight = [...document.querySelectorAll('.row-space [role=row]')];
      const last = document.querySelector('.row-scroller [role=table]')?.getAttribute('aria-rowcount');
      const reached = !isEnd || inSight.at(-1)?.getAttribute('aria-rowindex') === last;
      return inSight.length > 0 && reached && inSight.every((row) => row.querySelector('a') !== null);
    }, step === steps);
    found.rowsMax = Math.max(found.rowsMax, await of.locator('.row-space [role=row]').count());
    if (step === Math.round(steps / 2) || step === steps) found.heapMb.push(await heapMb());
  }
  return found;
}
