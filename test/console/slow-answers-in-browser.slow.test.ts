// Slow answers: while the answer to a question is not there, a view shows none of the answer to another question, unless it
// is marked as loading (aria-busy) with its own question.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page, Route } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { demoOwner, mainWorkspace } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { createKey, graphql, useApp } from '../harness.js';
import { freePort, hasBrowser, settled, useConsole } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });
const account = 'meridian-freight';
const other = 'meridian-staging';
const november = 'from=2026-11-01T00:00:00.000Z&to=2026-11-20T00:00:00.000Z';

/** Two questions of each view. */
const questions: Record<string, [string, string]> = {
  'the overview of two workspaces': [`/w/{main}`, `/w/${other}`],
  'a list and a filter': ['/w/{main}/agents', '/w/{main}/agents?state=failed'],
  'an empty list and a full one': ['/w/{main}/agents?q=nothing-is-called-so', '/w/{main}/agents'],
  'a list and another order': ['/w/{main}/sandboxes?sort=name', '/w/{main}/sandboxes?sort=name-desc'],
  'lists of two workspaces': ['/w/{main}/sandboxes', `/w/${other}/sandboxes`],
  'two previews': ['/w/{main}/agents?peek={agent}', '/w/{main}/agents?peek={agent2}'],
  'two agents': ['/w/{main}/agents/{agent}', '/w/{main}/agents/{agent2}'],
  'the costs of two agents': ['/w/{main}/agents/{agent}/costs', '/w/{main}/agents/{agent2}/costs'],
  'executions of two jobs': ['/w/{main}/jobs/{job}/executions', '/w/{main}/jobs/{job2}/executions'],
  'two executions': ['/w/{main}/jobs/{job}/executions/{execution}', '/w/{main}/jobs/{job2}/executions/{execution2}'],
  'images and a search': ['/w/{main}/images', '/w/{main}/images?q={image}'],
  'two images': ['/w/{main}/images/{type}/{image}', '/w/{main}/images/{type2}/{image2}'],
  'shares of two workspaces': ['/w/{main}/shares', `/w/${other}/shares`],
  'activity and a filter': ['/w/{main}/activity', '/w/{main}/activity?action=deleted'],
  'activity of two workspaces': ['/w/{main}/activity', `/w/${other}/activity`],
  'costs by type and by workspace': [
    `/a/{account}/costs?${november}`,
    `/a/{account}/costs?${november}&by=["workspace"]`,
  ],
  'costs of two periods': [
    `/a/{account}/costs?${november}&by=["workspace"]`,
    `/a/{account}/costs?from=2026-11-03T00:00:00.000Z&to=2026-11-04T00:00:00.000Z&by=["resource_name"]&compare=true`,
  ],
  'costs and a filter': [`/a/{account}/costs?${november}`, `/a/{account}/costs?${november}&type=sandbox`],
  'usage events and a filter': ['/a/{account}/usage', '/a/{account}/usage?type=sandbox'],
  'members of the account and of a workspace': ['/a/{account}/members', `/a/{account}/members?in=${other}`],
  'deliveries and a filter': ['/a/{account}/webhooks/{webhook}', '/a/{account}/webhooks/{webhook}?status=failed'],
  'workspaces and a search': ['/a/{account}/workspaces', `/a/{account}/workspaces?q=${other}`],
};

/** The texts of the view, without those that are marked as loading. */
async function textsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const main = document.querySelector('main');
    if (main === null) return [];
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    const texts = new Set<string>();
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      const text = textContent?.trim() ?? '';
      if (text.length > 2 && parentElement?.closest('[aria-busy=true]') === null) texts.add(text);
    }
    return [...texts];
  });
}

/** Opens an address without a new document, as a link does. */
async function follow(page: Page, address: string): Promise<void> {
  await page.evaluate((url) => history.pushState(null, '', url), address);
}

describe.skipIf(!hasBrowser)('While an answer is slow', () => {
  const opened = useConsole(running, port);
  const names = new Map<string, string>([
    ['main', mainWorkspace],
    ['account', account],
  ]);

  beforeAll(async () => {
    const { db } = running.app.services;
    const where = { workspaceId: idOf(mainWorkspace) };
    const [agents, images] = await Promise.all([
      db.agent.findMany({ where, take: 2, orderBy: { name: 'asc' } }),
      db.image.findMany({ where, take: 2, orderBy: { name: 'asc' } }),
    ]);
    const jobs = await db.job.findMany({
      where: { ...where, executions: { some: {} } },
      take: 2,
      orderBy: { name: 'asc' },
    });
    for (const [index, suffix] of ['', '2'].entries()) {
      const job = jobs[index];
      const execution = await db.jobExecution.findFirstOrThrow({ where: { job: { id: job?.id ?? '' } } });
      names.set(`agent${suffix}`, agents[index]?.name ?? '');
      names.set(`image${suffix}`, images[index]?.name ?? '');
      names.set(`type${suffix}`, images[index]?.resourceType.toLowerCase() ?? '');
      names.set(`job${suffix}`, job?.name ?? '');
      names.set(`execution${suffix}`, execution.id);
    }
    const { key } = await createKey(running.app, { accountId: idOf(account), principalId: idOf(demoOwner) });
    const { body } = await graphql(
      running.app,
      key,
      `
        mutation {
          made: createWebhook(input: { name: "slow", url: "https://hooks.example.com/a" }) {
            ... on CreateWebhookPayload {
              webhook {
                id
              }
            }
          }
        }
      `,
    );
    names.set('webhook', body.data.made.webhook.id);
  });

  afterEach(async () => {
    await opened.page.unroute('**/graphql');
  });

  const addressOf = (address: string) =>
    address.replace(/\{(\w+)\}/g, (_all: string, name: string) => names.get(name) ?? name);

  /** Holds all requests until the result is called. */
  async function hold(page: Page): Promise<() => Promise<void>> {
    let waiting: Route[] | undefined = [];
    await page.route('**/graphql', async (route) => {
      if (waiting === undefined) await route.continue();
      else waiting.push(route);
    });
    return async () => {
      const held = waiting ?? [];
      waiting = undefined;
      await Promise.all(held.map(async (route) => route.continue().catch(() => {})));
    };
  }

  for (const [name, [first, second]] of Object.entries(questions)) {
    it(`shows no answer to another question: ${name}`, async () => {
      const { page } = opened;
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(origin + addressOf(first));
      await settled(page);
      const before = await textsOf(page);
      const release = await hold(page);
      await follow(page, addressOf(second));
      await expect
        .poll(() => page.evaluate(() => document.querySelector('main [aria-busy=true], main .skeleton') !== null))
        .toBe(true);
      const during = await textsOf(page);
      await release();
      await settled(page);
      const after = await textsOf(page);
      const onlyBefore = before.filter((text) => !after.includes(text));
      expect(onlyBefore).not.toEqual([]);
      expect(during.filter((text) => onlyBefore.includes(text))).toEqual([]);
    });
  }

  for (const [text, address] of Object.entries({
    'Loading agents…': '/w/{main}/agents',
    'Loading images…': '/w/{main}/images',
    'Loading changes…': '/w/{main}/activity',
    'Loading keys…': '/a/{account}/access',
    'Loading clients…': '/a/{account}/clients',
    'Loading webhooks…': '/a/{account}/webhooks',
    'Loading budgets…': '/a/{account}/budgets',
    'Loading members…': '/a/{account}/members',
    'Loading workspaces…': '/a/{account}/workspaces',
    'Loading events…': '/a/{account}/usage',
    'Loading limits…': '/a/{account}/quotas',
  })) {
    it(`says in place of a count: ${text}`, async () => {
      const { page } = opened;
      await page.goto(`${origin}/profile`);
      await settled(page);
      const release = await hold(page);
      await follow(page, addressOf(address));
      const status = page.getByRole('main').getByRole('status').filter({ hasText: text });
      await status.waitFor();
      expect(await page.getByRole('main').innerText()).not.toMatch(/\b0 [a-z]/);
      await release();
      await settled(page);
      await status.waitFor({ state: 'detached' });
    });
  }

  it('shows none of the top costs of another workspace, whose links would lead into this one', async () => {
    const { page } = opened;
    await page.goto(`${origin}/w/${mainWorkspace}`);
    await settled(page);
    const costs = page.getByRole('region', { name: /^Top costs/ });
    await costs.getByRole('table').waitFor();
    const release = await hold(page);
    await follow(page, `/w/${other}`);
    await costs.locator('.skeleton').first().waitFor();
    expect(await costs.getByRole('table').count()).toBe(0);
    await release();
    await settled(page);
  });

  it('shows a clicked bar and its day only when their costs are there, and after Back those of before', async () => {
    const { page } = opened;
    await page.goto(`${origin}${addressOf(`/a/{account}/costs?${november}`)}`);
    const total = page.getByText(/^The exact total is/);
    const whole = await total.innerText();
    const release = await hold(page);
    await page.locator('.stacked-bars rect[data-series]').nth(3).click({ force: true });
    await page.locator('main [aria-busy=true]').getByText(whole).waitFor();
    expect(await page.locator('.cost-table').getByText('(none)').count()).toBe(0);
    await release();
    await settled(page);
    await expect.poll(() => total.innerText()).not.toBe(whole);
    await page.goBack();
    await expect.poll(() => total.innerText()).toBe(whole);
    expect(await page.locator('.cost-table').getByText('(none)').count()).toBe(0);
  });

  it('says when not all groups of costs could be loaded, and loads them at the next press', async () => {
    const { page, visit } = opened;
    await page.goto(`${origin}${addressOf(`/a/{account}/costs?${november}&by=["resource_uuid","billing_dimension"]`)}`);
    const button = page.getByRole('button', { name: 'Show all groups' });
    await button.waitFor();
    let answer = (): void => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/graphql', async (route) => {
      await asked;
      await route.abort();
    });
    await button.click();
    expect(await button.isDisabled()).toBe(true);
    answer();
    await page.getByRole('alert').getByText('Could not load all groups because the service did not respond.').waitFor();
    await page.unroute('**/graphql');
    // The browser itself logs the requests that failed.
    visit.problems.splice(0);
    const rows = page.locator('.cost-table tbody tr');
    const before = await rows.count();
    await button.click();
    await button.waitFor({ state: 'detached' });
    expect(await rows.count()).toBeGreaterThan(before);
    expect(await page.getByText('Could not load all groups').count()).toBe(0);
  });
});

it('lets views query only with hooks that keep an answer with its question', () => {
  const folder = fileURLToPath(new URL('../../src/console/web/', import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const querying = files.filter((file) => /\buseQuery\b|\buseClient\b/.test(readFileSync(folder + file, 'utf8')));
  expect(querying).toEqual(['api/use-answer.ts']);
});
