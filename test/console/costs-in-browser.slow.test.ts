// Costs in a real browser: time zones, custom dimensions, and comparisons.
import { beforeAll, describe, expect, it } from 'vitest';
import { demoOwner, mainWorkspace } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { checkBudgets } from '../../src/billing/check-budgets.js';
import { usageWorkspaces } from '../../src/metering/usage-workspaces.js';
import { recordEvents } from '../../src/metering/usage.js';
import { createBillingDimension, createResourceType, setPrice } from '../../src/billing/billing-changes.js';
import { platformContext } from '../../src/cli/operator/operator-context.js';
import { createKey, graphql, useApp } from '../harness.js';
import { complaintsIn, freePort, hasBrowser, useConsole, violations } from './browser.js';

const port = await freePort();
const running = useApp({ PUBLIC_URL: `http://localhost:${port}` });
const account = 'meridian-freight';

describe.skipIf(!hasBrowser)('Costs in a browser', () => {
  const opened = useConsole(running, port);
  let key: string;

  beforeAll(async () => {
    await running.app.services.db.budget.deleteMany();
    await running.app.services.db.webhook.deleteMany();
    ({ key } = await createKey(running.app, { accountId: idOf(account), principalId: idOf(demoOwner) }));
  });

  async function ask(query: string, variables: Record<string, unknown>) {
    const { body } = await graphql(running.app, key, query, variables);
    expect(body.errors).toBeUndefined();
    return body.data;
  }

  async function costs(search: Record<string, string>): Promise<void> {
    await opened.page.goto(`${opened.origin}/a/${account}/costs?${new URLSearchParams(search)}`);
    await opened.page.getByText(/^The exact total is/).waitFor();
  }

  /** The total of the API for the window of the address, as the page writes it. */
  async function exactTotal(search: URLSearchParams): Promise<string> {
    const { viewer } = await ask(
      `query ($from: DateTime!, $to: DateTime!, $zone: String, $type: String, $name: String) { viewer { accounts {
        metrics(startTime: $from, endTime: $to, timeZone: $zone, resourceType: $type, resourceName: $name) {
          timeZone summary { totalCost } } } } }`,
      Object.fromEntries(['from', 'to', 'zone', 'type', 'name'].map((name) => [name, search.get(name)])),
    );
    const [{ metrics }] = viewer.accounts;
    expect(metrics.timeZone).toBe(search.get('zone') ?? 'UTC');
    return metrics.summary.totalCost;
  }

  const address = () => new URL(opened.page.url()).searchParams;

  it('support the days of any time zone in the URL, and equal the API exactly', async () => {
    const { page } = opened;
    await costs({ from: '2026-11-01T00:00:00.000Z', to: '2026-11-08T00:00:00.000Z', compare: 'true' });
    const inUtc = await exactTotal(address());
    await page.getByText(`The exact total is ${inUtc} USD.`).waitFor();
    await page.getByRole('combobox', { name: /^Time zone: UTC/ }).click();
    await page.getByPlaceholder('City or time zone').fill('new york');
    await page.getByRole('option', { name: /America\/New York/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: /^Time zone: America\/New York/ }).waitFor();
    // The same dates, by clocks that were put back in between.
    await expect.poll(() => address().get('zone')).toBe('America/New_York');
    expect(address().get('from')).toBe('2026-11-01T04:00:00.000Z');
    expect(address().get('to')).toBe('2026-11-08T05:00:00.000Z');
    const inNewYork = await exactTotal(address());
    expect(inNewYork).not.toBe(inUtc);
    await page.getByText(`The exact total is ${inNewYork} USD.`).waitFor();
    // A link shows the same, and where nothing is said it is the zone that was chosen last.
    await page.reload();
    await page.getByText(`The exact total is ${inNewYork} USD.`).waitFor();
    await page.goto(`${opened.origin}/a/${account}/costs`);
    await page.getByRole('combobox', { name: /^Time zone: America\/New York/ }).waitFor();
    await expect.poll(() => address().get('from')).toBe('2026-10-24T04:00:00.000Z');
    await page.evaluate(() => localStorage.removeItem('console:zone'));
  });

  it('support any typed date range', async () => {
    const { page } = opened;
    await costs({ from: '2026-11-01T00:00:00.000Z', to: '2026-11-08T00:00:00.000Z' });
    await page.getByLabel('Start date').fill('2026-10-29');
    await page.getByLabel('End date').fill('2026-10-28');
    expect(await page.getByRole('button', { name: 'Apply', exact: true }).isDisabled()).toBe(true);
    await page.getByLabel('End date').fill('2026-10-30');
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await expect.poll(() => address().get('to')).toBe('2026-10-31T00:00:00.000Z');
    await page.getByText(`The exact total is ${await exactTotal(address())} USD.`).waitFor();
  });

  it('distinguish custom dimensions and types, with unit and price', async () => {
    const { page } = opened;
    const description = 'Tokens that models read';
    await createResourceType(await platformContext(running.app.services), { name: 'model_gateway', description: '' });
    await createBillingDimension(await platformContext(running.app.services), {
      name: 'model_tokens',
      unit: 'tokens',
      kind: 'usage',
      resourceTypes: ['model_gateway'],
      description,
    });
    await setPrice(await platformContext(running.app.services), {
      dimension: 'model_tokens',
      currency: 'USD',
      unitPrice: '0.000003',
      from: '2026-01-01T00:00:00Z',
    });
    const event = {
      source: 'a meter',
      id: '1',
      account,
      workspace: mainWorkspace,
      resourceType: 'model_gateway',
      resourceName: 'router, "eu"',
      billingDimension: 'model_tokens',
      time: '2026-11-19T09:30:00Z',
      usage: '1234567',
    };
    const { recordUsage } = await ask(
      'mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { ... on RecordUsagePayload { accepted } } }',
      { events: [event] },
    );
    expect(recordUsage.accepted).toBe(1);
    const window = { from: '2026-11-14T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z' };
    await costs({ ...window, by: '["billing_dimension"]' });
    const row = page.getByRole('row', { name: /^model tokens/ });
    await row.getByText('1,234,567 tokens').waitFor();
    await row.getByText('$0.000003 / tokens').waitFor();
    await row.getByText('$3.70').waitFor();
    await row.getByTitle(`Filter by model tokens: ${description}`).waitFor();
    await page.getByRole('combobox', { name: 'Filter' }).click();
    await page.getByPlaceholder('Workspace, type, label, resource…').fill('model');
    await page.getByRole('option', { name: 'model gateway' }).click();
    await page.getByRole('list', { name: 'Filters' }).getByText('model gateway').waitFor();
    await page.getByText('The exact total is 3.703701 USD.').waitFor();
    // A name that is typed is looked for as it is, quotes and commas too.
    await page.getByRole('combobox', { name: 'Filter' }).click();
    await page.getByPlaceholder('Workspace, type, label, resource…').fill(event.resourceName);
    await page.getByRole('option', { name: `Named “${event.resourceName}”` }).click();
    await page.reload();
    await page.getByText('The exact total is 3.703701 USD.').waitFor();
    expect(address().get('name')).toBe(event.resourceName);
  });

  it('group and filter by labels, and lead to the usage events of a label', async () => {
    const { page } = opened;
    const window = { startTime: '2026-11-01T00:00:00.000Z', endTime: '2026-11-21T00:00:00.000Z' };
    const { viewer } = await ask(
      `query ($startTime: DateTime!, $endTime: DateTime!) { viewer { accounts { metrics(startTime: $startTime, endTime: $endTime,
        groupByLabels: ["team"], orderBy: { field: COST, direction: DESC }) { entries { nodes { cost labels { value } } } } } } }`,
      window,
    );
    const [first] = viewer.accounts[0].metrics.entries.nodes;
    const team = first.labels[0].value;
    const nodes: { cost: string; labels: { value: string | null }[] }[] = viewer.accounts[0].metrics.entries.nodes;
    const none = nodes.find(({ labels }) => labels[0]?.value === null);
    await costs({ from: window.startTime, to: window.endTime });
    await page.getByRole('combobox', { name: 'Group by' }).click();
    await page.getByRole('option', { name: 'team' }).click();
    await page.getByRole('option', { name: 'Resource type' }).click();
    await page.keyboard.press('Escape');
    await expect.poll(() => address().get('by')).toBe('["label:team"]');
    await page.getByRole('columnheader', { name: 'team' }).waitFor();
    const row = page.locator('.cost-table tbody tr').first();
    await row.getByRole('button', { name: team }).click();
    await page.getByText(`The exact total is ${first.cost} USD.`).waitFor();
    expect(address().get('label')).toBe(`["team:${team}"]`);
    await page.getByRole('columnheader', { name: 'Resource', exact: true }).waitFor();
    expect(await complaintsIn(page, 'costs of a label')).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    // The events of the label add up to its cost. They cannot be corrected together, because the API corrects by other filters.
    await page.getByRole('link', { name: 'Usage events of this period' }).click();
    await page.getByRole('list', { name: 'Filters' }).getByText(`team: ${team}`).waitFor();
    await page.getByRole('status').getByTitle(first.cost).waitFor();
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0);
    await page.getByRole('link', { name: 'View costs' }).click();
    await page.getByRole('list', { name: 'Filters' }).getByText(`team: ${team}`).click();
    await page.getByRole('combobox', { name: 'Filter' }).click();
    await page.getByPlaceholder('Workspace, type, label, resource…').fill('no team');
    await page.getByRole('option', { name: 'no team', exact: true }).click();
    await page.getByText(`The exact total is ${none?.cost} USD.`).waitFor();
  });

  it('offer the first of 5,000 labels, and find the others', async () => {
    const { page } = opened;
    await page.route('**/graphql', async (route) => {
      if (!String(route.request().postDataJSON().operationName).startsWith('UsedLabels')) return route.fallback();
      const response = await route.fetch();
      const body = await response.json();
      const many = Array.from({ length: 5000 }, (_none, index) => ({
        key: `of-many-${index}`,
        values: ['one', 'other'],
      }));
      body.data.account.metricsLabels.push(...many.map((label) => ({ ...label, __typename: 'UsedLabel' })));
      return route.fulfill({ json: body });
    });
    const options = page.getByRole('option');
    const more = page.getByText(/^[\d,]+ more\. Type to narrow the list\.$/);
    await costs({ from: '2026-11-01T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z' });
    const groupBy = page.getByRole('combobox', { name: 'Group by' });
    await groupBy.click();
    await more.waitFor();
    expect(await options.count()).toBeLessThanOrEqual(55);
    expect(await violations(page)).toEqual([]);
    await page.getByPlaceholder('Dimension or label').fill('of-many-4999');
    await expect.poll(() => options.count()).toBe(1);
    await page.keyboard.press('Enter');
    await expect.poll(() => address().get('by')).toBe('["label:of-many-4999","resource_type"]');
    // The menu stays open for a second label, and the chosen ones come first.
    await page.getByPlaceholder('Dimension or label').fill('');
    await page.getByRole('option', { name: 'of-many-4999', selected: true }).waitFor();
    await page.getByRole('option', { name: 'of-many-4999' }).click();
    await expect.poll(() => address().get('by')).toBe('["resource_type"]');
    expect(await page.getByRole('option', { name: 'Resource type' }).getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Escape');
    await page.locator('[role=combobox]:focus', { hasText: 'Group by' }).waitFor();
    await page.getByRole('combobox', { name: 'Filter' }).click();
    await page.getByPlaceholder('Workspace, type, label, resource…').fill('of-many-4998');
    await page.getByRole('option', { name: 'of-many-4998: one' }).waitFor();
    await page.keyboard.press('Escape');
    await page.goto(`${opened.origin}/a/meridian-freight/budgets`);
    await page.getByRole('button', { name: 'Create budget' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create budget' });
    await dialog.getByRole('button', { name: 'Add label' }).click();
    const key = dialog.getByLabel('Key of label 1');
    await key.click();
    await more.waitFor();
    expect(await options.count()).toBe(50);
    expect(await violations(page)).toEqual([]);
    await options.nth(1).click();
    await page.locator('.popup').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keep editing' }).click();
    await key.fill('MANY-4997');
    await page.getByRole('option', { name: 'of-many-4997' }).click();
    expect(await key.inputValue()).toBe('of-many-4997');
    // Any key can be entered, also one that nothing has yet.
    await key.fill('not-used-yet');
    await page.locator('.popup').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keep editing' }).click();
    expect(await key.inputValue()).toBe('not-used-yet');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.unroute('**/graphql');
  });

  it('link the largest increase of a week to its resource', async () => {
    const { page } = opened;
    await costs({ from: '2026-11-09T00:00:00.000Z', to: '2026-11-16T00:00:00.000Z' });
    await page.getByRole('button', { name: 'Compare to previous period' }).click();
    await page.getByRole('columnheader', { name: 'Previous' }).waitFor();
    const increased = page
      .getByLabel('Largest changes')
      .getByText('Increased')
      .locator('..')
      .getByRole('button')
      .first();
    const type = await increased.innerText();
    await increased.click();
    await page.getByRole('list', { name: 'Filters' }).getByText(type).waitFor();
    await expect.poll(() => increased.innerText()).not.toBe(type);
    const resource = await increased.innerText();
    await increased.click();
    await expect.poll(() => address().get('name')).toBe(resource);
    expect(address().get('compare')).toBe('true');
    await page.getByText(`The exact total is ${await exactTotal(address())} USD.`).waitFor();
    // There is one in each of two workspaces.
    await page
      .getByRole('link', { name: `Open ${resource}`, exact: true })
      .first()
      .click();
    await page.getByRole('heading', { name: resource }).waitFor();
  });

  it('keep their layout when the previous period arrives', async () => {
    const { page } = opened;
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('"startTime":"2026-10-') === true) await arrived;
      await route.continue();
    });
    await costs({ from: '2026-11-01T00:00:00.000Z', to: '2026-11-08T00:00:00.000Z' });
    const tops = async () =>
      Promise.all(
        [page.getByRole('group', { name: /^Cost by/ }), page.getByRole('table'), page.getByText(/^Usage recorded/)].map(
          async (each) => (await each.boundingBox())?.y,
        ),
      );
    const before = await tops();
    arrive();
    await page.getByLabel('Largest changes').waitFor();
    expect(await tops()).toEqual(before);
    await page.unroute('**/graphql');
  });

  it('are compared with a budget: created, shown, edited concurrently, and deleted', async () => {
    const { page } = opened;
    const { db } = running.app.services;
    await page.goto(`${opened.origin}/a/${account}/budgets`);
    await page.getByText('No budgets yet').waitFor();
    await page.getByRole('button', { name: 'Create budget' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Name/).fill('night-shift');
    await dialog.getByText('No webhook receives the alerts.').waitFor();
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
    const receiver = page.getByRole('dialog', { name: 'Create webhook' });
    expect(await receiver.getByRole('button', { name: 'Budgets', exact: true }).getAttribute('aria-pressed')).toBe(
      'true',
    );
    await receiver.getByRole('textbox', { name: /^Name/ }).fill('pager');
    await receiver.getByRole('textbox', { name: /^URL/ }).fill('https://pager.example.com/hook');
    await receiver.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('dialog', { name: 'Secret for pager' }).getByRole('button', { name: 'Done' }).click();
    await dialog.getByText('Alerts go to pager.').waitFor();
    await dialog.getByLabel('Amount (USD)').fill('a lot');
    await dialog.getByLabel('Alert at actual cost (%)').fill('80, 100');
    await dialog.getByRole('button', { name: 'Create budget' }).click();
    await dialog.getByRole('alert').getByText('Amount must be a number in US dollars').waitFor();
    await dialog.getByLabel('Amount (USD)').fill('0');
    await dialog.getByRole('button', { name: 'Create budget' }).click();
    await dialog.getByRole('alert').getByText('amount must be greater than 0').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByLabel('Amount (USD)').fill('100.50');
    await dialog.getByLabel('Resource name').fill('budgeted');
    await dialog.getByRole('button', { name: 'Create budget' }).click();
    const row = page.getByRole('row').filter({ hasText: 'night-shift' });
    const act = async (action: string) => {
      await row.getByRole('button', { name: 'Actions of night-shift' }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await row.getByText('Calculating…').waitFor();

    // The cost of a budget depends on the clock of the database.
    const [clock] = await db.$queryRaw<{ now: Date }[]>`SELECT now() AS "now"`;
    const now = clock?.now ?? new Date();
    const event = {
      source: 'a meter',
      id: 'of a budget',
      account,
      workspace: mainWorkspace,
      resourceType: 'job',
      resourceName: 'budgeted',
      billingDimension: 'job_compute_runtime_gbs',
      time: now.toISOString(),
      usage: '1',
      cost: '84.42',
    };
    const { usageMemory } = running.app.services;
    const place = usageWorkspaces(db, idOf(account));
    expect(await recordEvents(db, usageMemory, [event], () => place, now)).toMatchObject([{ outcome: 'accepted' }]);
    await db.$transaction((transaction) => transaction.$executeRaw`UPDATE "budget" SET "looked_at" = NULL`);
    await checkBudgets(db, usageMemory, () => now);
    await row.getByText('$84.42 of $100.50').waitFor();
    await row.getByRole('listitem').filter({ hasText: '80% used' }).getByText('Reached').waitFor();
    await row.getByRole('img', { name: /^84% of \$100\.50 used/ }).waitFor();
    expect(await complaintsIn(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });

    await act('Edit…');
    await dialog.getByLabel('Alert at forecast cost (%)').fill('110');
    await ask('mutation ($input: UpdateBudgetInput!) { updateBudget(input: $input) { ... on Error { message } } }', {
      input: { account, name: 'night-shift', amount: '200' },
    });
    await dialog.getByRole('button', { name: 'Save' }).click();
    const sides = dialog.getByRole('region', { name: 'Conflicting changes' });
    await sides.getByRole('row', { name: /^amount 100\.5 200 100\.5$/ }).waitFor();
    await sides.getByRole('row', { name: /^thresholds / }).waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Apply my changes on top' }).click();
    expect(await dialog.getByLabel('Amount (USD)').inputValue()).toBe('200');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await row.getByText('110% forecast').waitFor();
    await row.getByText('of $200.00').waitFor();
    await row.getByText('per month').waitFor();
    await act('Edit…');
    await dialog.getByRole('combobox', { name: 'Period' }).click();
    await page.getByRole('option', { name: 'Rolling days' }).click();
    await dialog.getByLabel('Days', { exact: true }).fill('14');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('per rolling 14 days').waitFor();
    await act('View costs');
    await page.getByRole('list', { name: 'Filters' }).getByText('budgeted').waitFor();
    // The hours that the budget counts.
    expect([address().get('from'), address().get('to')]).toEqual([
      '2026-11-06T13:00:00.000Z',
      '2026-11-20T13:00:00.000Z',
    ]);
    await page.goBack();
    await act('Delete…');
    await page.getByRole('button', { name: 'Delete budget' }).click();
    await page.getByText('No budgets yet').waitFor();
    expect(await db.budget.count()).toBe(0);
  });

  it('keep what was typed when another admin deletes the budget', async () => {
    const { page } = opened;
    await ask('mutation ($input: CreateBudgetInput!) { createBudget(input: $input) { __typename } }', {
      input: {
        account,
        name: 'short-lived',
        amount: '10',
        period: 'MONTHLY',
        thresholds: [{ percent: 50, measure: 'ACTUAL' }],
      },
    });
    await page.goto(`${opened.origin}/a/${account}/budgets`);
    await page.getByRole('button', { name: 'Actions of short-lived' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit short-lived' });
    await dialog.getByLabel('Amount (USD)').fill('25');
    await ask('mutation ($input: DeleteBudgetInput!) { deleteBudget(input: $input) { __typename } }', {
      input: { account, name: 'short-lived' },
    });
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/not found|does not exist|no budget/i)
      .waitFor();
    expect(await dialog.getByLabel('Amount (USD)').inputValue()).toBe('25');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('No budgets yet').waitFor();
  });

  it('are filtered by a tap on a bar', async () => {
    const { page, visit } = opened;
    await costs({ from: '2026-11-06T00:00:00.000Z', to: '2026-11-20T00:00:00.000Z' });
    const bar = await page.locator('.stacked-bars rect[data-series*="agent"]').nth(4).boundingBox();
    const at = { x: (bar?.x ?? 0) + (bar?.width ?? 0) / 2, y: (bar?.y ?? 0) + (bar?.height ?? 0) / 2 };
    const browser = await visit.context.newCDPSession(page);
    await browser.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await browser.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] });
    await browser.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.getByRole('list', { name: 'Filters' }).getByText('agent').waitFor();
    expect(address().get('from')).toBe('2026-11-10T00:00:00.000Z');
    await browser.detach();
  });

  it('hide a series by its legend, and export each day with the previous period', async () => {
    const { page } = opened;
    await costs({ from: '2026-11-06T00:00:00.000Z', to: '2026-11-20T00:00:00.000Z', compare: 'true' });
    const chart = page.locator('.stacked-bars');
    const bars = async () => chart.locator('rect[data-series*="agent"]').count();
    await expect.poll(bars).toBeGreaterThan(0);
    await chart.locator('path.before').first().waitFor({ state: 'attached' });
    const agents = page.getByRole('button', { name: 'agent', exact: true, pressed: true });
    // The menu of the right button neither filters nor zooms.
    const shown = page.url();
    await chart.locator('rect[data-series*="agent"]').first().click({ button: 'right', force: true });
    await agents.click();
    expect(page.url()).toBe(shown);
    await expect.poll(bars).toBe(0);
    expect(await chart.locator('path.before').count()).toBe(0);
    await page.getByTitle('Show agent').click();
    await expect.poll(bars).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Daily costs by group' }).click(),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of await saved.createReadStream()) chunks.push(Buffer.from(chunk));
    const [head = '', ...lines] = Buffer.concat(chunks).toString().trim().split('\r\n');
    expect(head).toBe('start_time,resource_type,cost_usd,previous_start_time,previous_cost_usd,change_usd');
    const cells = lines.map((line) => line.split(','));
    expect(new Set(cells.map(([start]) => start)).size).toBe(14);
    // The previous two weeks start on the same weekday.
    expect(cells.find(([start]) => start?.startsWith('2026-11-06'))?.[3]).toMatch(/^2026-10-23/);
    const total = cells.reduce((sum, [, , cost = '0']) => sum + Math.round(Number(cost) * 1e9), 0);
    expect(total / 1e9).toBeCloseTo(Number(await exactTotal(address())), 5);
  });

  it('show credits below zero, in the chart and in the table', async () => {
    const { page } = opened;
    const given = { unit: 'USD', kind: 'credit', resourceTypes: ['agent'], description: 'Given back' } as const;
    await createBillingDimension(await platformContext(running.app.services), {
      ...given,
      name: 'goodwill',
      resourceTypes: ['agent'],
    });
    const event = {
      source: 'a meter',
      id: 'goodwill',
      account,
      workspace: mainWorkspace,
      resourceType: 'agent',
      resourceName: 'somebody',
      billingDimension: 'goodwill',
      time: '2026-11-18T09:30:00Z',
      usage: '-1',
      cost: '-1234.5',
    };
    const { recordUsage } = await ask(
      'mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { ... on RecordUsagePayload { accepted } } }',
      { events: [event] },
    );
    expect(recordUsage.accepted).toBe(1);
    await costs({ from: '2026-11-14T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z', by: '["billing_dimension"]' });
    await page.getByText(`The exact total is ${await exactTotal(address())} USD.`).waitFor();
    const row = page.getByRole('row', { name: /^goodwill/ });
    await row.getByText('-$1,234.50').waitFor();
    // Its part of the bar is below zero, and the others are above.
    const chart = page.locator('.stacked-bars');
    const below = await chart
      .locator('rect[data-series*="goodwill"]')
      .evaluateAll((parts) =>
        parts
          .map((part) => ({ y: Number(part.getAttribute('y')), height: Number(part.getAttribute('height')) }))
          .filter(({ height }) => height > 0),
      );
    const zero = Number(await chart.locator('line.axis').getAttribute('y1'));
    expect(below).toHaveLength(1);
    expect(below[0]?.y).toBe(zero);
    expect(await chart.locator('line.net').count()).toBe(1);
    await page.getByRole('group', { name: /^Cost by/ }).focus();
    for (let day = 0; day < 5; day++) await page.keyboard.press('ArrowRight');
    await page.locator('.bucket-card').getByText('-$1,234.50').waitFor();
  });

  it('show the most expensive of the last 7 days, also if many others cost more before', async () => {
    const { page } = opened;
    const eventOf = (resourceName: string, time: string, cost: string) => ({
      source: 'a meter of many',
      id: resourceName,
      account,
      workspace: mainWorkspace,
      resourceType: 'job',
      resourceName,
      billingDimension: 'job_compute_runtime_gbs',
      time,
      usage: '1',
      cost,
    });
    const earlier = Array.from({ length: 45 }, (_none, index) =>
      eventOf(`was-${index}`, '2026-11-07T09:30:00Z', '90000'),
    );
    const events = [...earlier, eventOf('now-first', '2026-11-19T09:30:00Z', '80000')];
    await ask(
      'mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { ... on Error { message } } }',
      { events },
    );
    await page.goto(`${opened.origin}/w/${mainWorkspace}`);
    const first = page
      .getByRole('region', { name: /^Top costs/ })
      .locator('tbody tr')
      .first();
    await first.getByText('now-first').waitFor();
    expect(await first.innerText()).toContain('$80,000.00');
  });

  it('show the most expensive of the last 7 days, also if a credit of the days before is larger', async () => {
    const { page } = opened;
    const eventOf = (id: string, time: string, cost: string) => ({
      source: 'a meter of credits',
      id,
      account,
      workspace: mainWorkspace,
      resourceType: 'agent',
      resourceName: 'given-back',
      billingDimension: 'goodwill',
      time,
      usage: '-1',
      cost,
    });
    const events = [
      eventOf('before', '2026-11-07T09:30:00Z', '-200000'),
      { ...eventOf('now', '2026-11-19T09:30:00Z', '95000'), billingDimension: 'agent_compute_runtime_gbs', usage: '1' },
    ];
    await ask(
      'mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { ... on Error { message } } }',
      { events },
    );
    await page.goto(`${opened.origin}/w/${mainWorkspace}`);
    const rows = page.getByRole('region', { name: /^Top costs/ }).locator('tbody tr');
    await rows.first().getByText('given-back').waitFor();
    expect(await rows.first().innerText()).toContain('$95,000.00');
    expect(await rows.count()).toBe(8);
  });
});
