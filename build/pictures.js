// `npm run pictures` makes the pictures of the documentation anew: the console and GraphiQL with the data of the demo, in
// Debian's Chromium. The document that GraphiQL shows is written beside its picture, and a test validates it.
//
//   node build/pictures.js [NAME…]    all pictures, or those with these names
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse, print } from 'graphql';
import { chromium } from 'playwright-core';
import { compile } from './compile.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const docs = join(root, 'docs');
const workspace = '/w/meridian-production';
const account = '/a/meridian-freight';
/** How long a view may take to load (milliseconds). */
const loadMsMax = 30_000;
/** The usage of the past year is recorded during the first minutes of the demo. */
const usageMsMax = 300_000;

/** The views of the console, each with the path to open and what to do then. */
const views = {
  'console-overview.png': { path: workspace },
  'console-costs.png': { path: `${account}/costs` },
  'console/agents.webp': { path: `${workspace}/agents` },
  'console/agent.webp': { path: `${workspace}/agents/customs-classifier` },
  'console/edit.webp': {
    path: `${workspace}/agents/customs-classifier`,
    act: (page) => page.getByRole('button', { name: 'Edit', exact: true }).click(),
  },
  'console/sandboxes.webp': { path: `${workspace}/sandboxes` },
  'console/jobs.webp': { path: `${workspace}/jobs` },
  'console/job.webp': { path: `${workspace}/jobs/invoice-export` },
  'console/execution.webp': {
    path: `${workspace}/jobs/invoice-export`,
    act: (page) => page.locator('a[href*="/executions/"]').first().click(),
  },
  'console/volumes.webp': { path: `${workspace}/volumes` },
  'console/networks.webp': { path: `${workspace}/vpcs` },
  'console/images.webp': { path: `${workspace}/images` },
  'console/image.webp': {
    path: `${workspace}/images`,
    act: (page) => page.locator('main a[href*="/images/"]').first().click(),
  },
  'console/shares.webp': { path: `${workspace}/shares` },
  'console/activity.webp': { path: `${workspace}/activity` },
  'console/keys.webp': { path: `${account}/access` },
  'console/members.webp': { path: `${account}/members` },
  'console/workspaces.webp': { path: `${account}/workspaces` },
  'console/account.webp': { path: `${account}/settings` },
  'console/profile.webp': { path: '/profile' },
  'console/platform.webp': { path: '/platform' },
  'console/palette.webp': { path: workspace, act: (page) => page.keyboard.press('Control+k') },
};

const asked = process.argv.slice(2);
const isAsked = (name) => asked.length === 0 || asked.includes(name);
if ((await compile({ withConsole: true })) !== 0) throw new Error('The program does not compile.');
const folder = mkdtempSync(join(tmpdir(), 'pictures-'));
const demo = await startDemo();
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
});
const failed = [];
try {
  await untilUsageIsRecorded();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  const page = await context.newPage();
  page.setDefaultTimeout(loadMsMax);
  await page.goto(demo.origin);
  await page.getByRole('button', { name: /^Continue as/ }).waitFor();
  if (isAsked('console/sign-in.webp')) await save(page, 'console/sign-in.webp');
  await page.getByRole('button', { name: /^Continue as/ }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  for (const [name, view] of Object.entries(views))
    if (isAsked(name)) await attempt(name, () => pictureOf(page, name, view));
  if (isAsked('graphiql.png')) await attempt('graphiql.png', pictureOfGraphiql);
} finally {
  await browser.close();
  await demo.stop();
  rmSync(folder, { recursive: true, force: true });
}
if (failed.length > 0) {
  process.stderr.write(`These pictures were not made, and stay as they are: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}

/** A view that has changed does not stop the pictures of the others. */
async function attempt(name, act) {
  try {
    await act();
    process.stdout.write(`${name}\n`);
  } catch (error) {
    failed.push(name);
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

async function pictureOf(page, name, { path, act }) {
  await page.goto(`${demo.origin}${path}`);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  await settled(page);
  if (act !== undefined) {
    await act(page);
    await settled(page);
  }
  await save(page, name);
}

/** No request is under way, and nothing in the page is marked as loading. */
async function settled(page) {
  await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
  // Subscriptions stay open, so the network never gets idle.
  await setTimeout(1_500);
  await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
}

/** Opens GraphiQL with its first example, runs it, and writes the document beside the picture. */
async function pictureOfGraphiql() {
  const context = await browser.newContext({ viewport: { width: 1640, height: 940 }, colorScheme: 'light' });
  const page = await context.newPage();
  page.setDefaultTimeout(loadMsMax);
  await page.goto(`${demo.origin}/graphql`);
  await page.locator('.graphiql-query-editor .view-lines').first().waitFor();
  await setTimeout(2_000);
  const sent = page.waitForRequest((request) => isOperation(request));
  await page
    .getByRole('button', { name: /execute/i })
    .first()
    .click();
  const request = await sent;
  await (await request.response())?.finished();
  await setTimeout(2_000);
  // Not the headers, which have the key of the demo.
  await page.getByRole('button', { name: 'Variables', exact: true }).click();
  await save(page, 'graphiql.png');
  const { query, operationName } = JSON.parse(request.postData() ?? '{}');
  writeFileSync(
    join(docs, 'graphiql.graphql'),
    `# The document in graphiql.png: ${operationName}.\n\n${print(parse(query))}\n`,
  );
  await context.close();
}

/** GraphiQL reads the schema with a request of its own. */
function isOperation(request) {
  const body = request.postData() ?? '';
  return request.url().endsWith('/graphql') && body.includes('"query"') && !body.includes('IntrospectionQuery');
}

async function save(page, name) {
  if (name.endsWith('.png')) {
    writeFileSync(join(docs, name), await page.screenshot());
    return;
  }
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  writeFileSync(join(docs, name), Buffer.from(data, 'base64'));
  await devtools.detach();
}

async function startDemo() {
  const port = await freePort();
  const child = spawn(process.execPath, [join(root, 'dist/demo/main.js')], {
    env: { PATH: process.env['PATH'], PORT: String(port), DATA_DIR: join(folder, 'data'), SHUTDOWN_DELAY_MS: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  let output = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += String(chunk);
    const [, key] = /API key +(\S+)/.exec(output) ?? [];
    if (key === undefined) continue;
    child.stdout.resume();
    const stop = async () => {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    };
    return { origin: `http://localhost:${port}`, key, stop };
  }
  throw new Error(`The demo ended: ${output}`);
}

/** The cost of the past year does not change any more. */
async function untilUsageIsRecorded() {
  const now = Date.now();
  const [startTime, endTime] = [now - 360 * 86_400_000, now - 86_400_000].map((time) => new Date(time).toISOString());
  const query = `{ account(name: "meridian-freight") { metrics(startTime: "${startTime}", endTime: "${endTime}") { summary { totalCost } } } }`;
  let last;
  for (const endMs = now + usageMsMax; Date.now() < endMs; await setTimeout(5_000)) {
    const response = await fetch(`${demo.origin}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    const { data, errors } = await response.json();
    if (errors !== undefined) throw new Error(errors[0].message);
    const { totalCost } = data.account.metrics.summary;
    if (totalCost === last && Number(totalCost) > 0) return;
    last = totalCost;
  }
  throw new Error(`The usage of the demo was not recorded within ${usageMsMax / 60_000} minutes.`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
