// Usage events with their corrections, quotas, the action of a budget, and deletion protection, in a real browser.
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setPassword } from '../set-password.js';
import { demoOwner, mainWorkspace, researchLead } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { createKey, frozenNow, graphql, useApp } from '../harness.js';
import {
  complaintsIn,
  freePort,
  hasBrowser,
  openContext,
  settled,
  signInByPassword,
  useConsole,
  violations,
} from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });
const account = 'meridian-freight';
const source = 'a meter';
const resourceName = 'corrected';

describe.skipIf(!hasBrowser)('Billing in a browser', () => {
  const opened = useConsole(running, port);
  let page: Page;
  let key: string;

  beforeAll(async () => {
    ({ page } = opened);
    ({ key } = await createKey(running.app, { accountId: idOf(account), principalId: idOf(demoOwner) }));
    const event = {
      source,
      account,
      workspace: mainWorkspace,
      resourceType: 'job',
      resourceName,
      billingDimension: 'job_compute_runtime_gbs',
      time: '2026-11-18T09:30:00Z',
      usage: '10',
      cost: '5',
    };
    const events = ['first', 'second', 'third'].map((id) => ({ ...event, id }));
    // The first view has all usage of the demo rolled up, for which other statements of the account wait.
    await settled(page);
    await ask('mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { __typename } }', {
      events,
    });
  });

  beforeEach(async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  async function ask(query: string, variables: Record<string, unknown>) {
    const { body } = await graphql(running.app, key, query, variables);
    expect(body.errors).toBeUndefined();
    return body.data;
  }

  /** The cost and state of each event of the corrected resource, by id. */
  async function eventsNow(): Promise<Record<string, string>> {
    const { account: found } = await ask(
      `query ($id: ID!, $source: String!) { account(id: $id) { usageEvents(first: 10, source: $source) {
        nodes { eventId cost state } } } }`,
      { id: await accountNodeId(), source },
    );
    return Object.fromEntries(
      found.usageEvents.nodes.map(({ eventId, cost, state }: Record<string, string>) => [eventId, `${state} ${cost}`]),
    );
  }

  async function accountNodeId(): Promise<string> {
    const { viewer } = await ask('{ viewer { accounts { id name } } }', {});
    return viewer.accounts.find(({ name }: { name: string }) => name === account).id;
  }

  async function openUsage(search: Record<string, string>): Promise<void> {
    await page.goto(`${origin}/a/${account}/usage?${new URLSearchParams(search)}`);
    await settled(page);
  }

  const rowOf = (id: string) =>
    page.getByRole('row').filter({ has: page.getByRole('cell', { name: source }).and(page.getByTitle(id)) });
  const address = () => new URL(page.url());

  async function act(button: string, action: string): Promise<void> {
    await page.getByRole('button', { name: button, exact: true }).click();
    await page.getByRole('menuitem', { name: action }).click();
  }

  it('opens the usage events behind a bar of the costs, and behind a row', async () => {
    const period = { from: '2026-11-06T00:00:00.000Z', to: '2026-11-20T00:00:00.000Z' };
    const costs = `${origin}/a/${account}/costs?${new URLSearchParams(period)}`;
    await page.goto(costs);
    await page.locator('.stacked-bars rect[data-series*="agent"]').nth(4).click();
    await page.getByRole('list', { name: 'Filters' }).getByText('agent').waitFor();
    await page.getByRole('link', { name: 'Usage events of this period' }).click();
    await page.getByRole('heading', { name: 'Usage events' }).waitFor();
    await page
      .getByRole('status')
      .getByText(/events, \$/)
      .waitFor();
    const day = { from: '2026-11-10T00:00:00.000Z', to: '2026-11-11T00:00:00.000Z' };
    expect(Object.fromEntries(address().searchParams)).toEqual({ ...day, type: 'agent' });
    const titles = await page
      .locator('.usage-resource')
      .evaluateAll((all) => all.map((each) => each.getAttribute('title') ?? ''));
    expect(titles.length).toBeGreaterThan(0);
    expect(titles.filter((title) => !title.endsWith(' (agent)'))).toEqual([]);

    await page.goto(costs);
    await page
      .getByRole('row', { name: /^sandbox/ })
      .getByRole('link', { name: 'Events' })
      .click();
    await page.getByRole('list', { name: 'Filters' }).getByText('sandbox').waitFor();
    expect(address().searchParams.get('type')).toBe('sandbox');
    await page.getByRole('link', { name: 'View costs' }).click();
    await page.getByRole('heading', { name: 'Costs' }).waitFor();
    expect(address().searchParams.get('type')).toBe('sandbox');
  });

  it('filters usage events by state, and removes a filter', async () => {
    await openUsage({ name: resourceName, source });
    await page.getByRole('status').getByText('3 events, $15.00').waitFor();
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'voided' }).click();
    await page.getByText('No usage events match').waitFor();
    expect(address().searchParams.get('is')).toBe('voided');
    await page.goBack();
    await openUsage({ name: resourceName, source, event: 'second' });
    await page.getByRole('status').getByText('1 event, $5.00').waitFor();
    await page.getByRole('button', { name: 'Event ID second' }).click();
    await page.getByRole('status').getByText('3 events, $15.00').waitFor();
    expect(await complaintsIn(page, 'corrected usage')).toEqual([]);
  });

  it('amends and voids an event after a dry run that shows what changes', async () => {
    await openUsage({ name: resourceName, source });
    await act('Actions of event first', 'Amend…');
    const dialog = page.getByRole('dialog', { name: 'Amend usage events' });
    await dialog.getByText('Enter a new value to see what changes.').waitFor();
    await dialog.getByLabel('Cost (USD)').fill('a lot');
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Cost (USD)').fill('2');
    await dialog.getByText('Changes 1 event: $5.00 → $2.00').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await eventsNow()).toMatchObject({ first: 'ACTIVE 5' });
    await dialog.getByLabel(/^Reason/).fill('the price was wrong');
    await dialog.getByRole('button', { name: 'Amend events' }).click();
    await dialog.waitFor({ state: 'detached' });
    await rowOf('first').getByText(`Amended just now by ${demoOwner}: the price was wrong`).waitFor();
    expect(await eventsNow()).toMatchObject({ first: 'AMENDED 2', second: 'ACTIVE 5' });

    await act('Actions of event first', 'Void…');
    const voiding = page.getByRole('dialog', { name: 'Void usage events' });
    await voiding.getByText('Changes 1 event: $2.00 → $0.00').waitFor();
    await voiding.getByLabel(/^Reason/).fill('counted twice');
    await voiding.getByRole('button', { name: 'Void events' }).click();
    await voiding.waitFor({ state: 'detached' });
    await rowOf('first')
      .getByRole('cell', { name: /^Voided/ })
      .waitFor();
    await rowOf('first')
      .getByRole('button', { name: /^Actions/ })
      .click();
    await page.getByRole('menuitem', { name: 'Copy event ID' }).waitFor();
    expect(await page.getByRole('menuitem', { name: /^(Amend|Void)/ }).count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await eventsNow()).toEqual({ first: 'VOIDED 0', second: 'ACTIVE 5', third: 'ACTIVE 5' });
  });

  it('keeps what was typed into a correction when newer events move the event to the next page', async () => {
    await openUsage({ name: resourceName });
    await act('Actions of event second', 'Amend…');
    const dialog = page.getByRole('dialog', { name: 'Amend usage events' });
    await dialog.getByLabel('Cost (USD)').fill('3');
    const event = {
      source: 'a later meter',
      account,
      workspace: mainWorkspace,
      resourceType: 'job',
      resourceName,
      billingDimension: 'job_compute_runtime_gbs',
      time: '2026-11-19T09:30:00Z',
      usage: '1',
      cost: '1',
    };
    const events = Array.from({ length: 60 }, (_none, index) => ({ ...event, id: `newer-${index}` }));
    await ask('mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { __typename } }', {
      events,
    });
    // The page would read the events again now.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await dialog.getByText('Changes 1 event: $5.00 → $3.00').waitFor();
    expect(await dialog.getByLabel('Cost (USD)').inputValue()).toBe('3');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.locator('.usage-events [role=status]').getByText('63 events').waitFor();
    expect(await rowOf('second').count()).toBe(0);
  });

  it('voids all events that match the filters', async () => {
    await openUsage({ name: resourceName, source });
    await act('More actions', 'Void matching events…');
    const dialog = page.getByRole('dialog', { name: 'Void usage events' });
    await dialog.getByText('Changes 2 events: $10.00 → $0.00').waitFor();
    await dialog.getByLabel(/^Reason/).fill('a broken meter');
    await dialog.getByRole('button', { name: 'Void events' }).click();
    await page.getByRole('status').getByText('3 events, $0.00').waitFor();
    expect(await eventsNow()).toEqual({ first: 'VOIDED 0', second: 'VOIDED 0', third: 'VOIDED 0' });
  });

  it('offers no corrections to a viewer', async () => {
    const { db } = running.app.services;
    await setPassword(db, researchLead, 'a password that is long enough', frozenNow);
    await db.accountMember.updateMany({
      where: { accountId: idOf(account), principalId: idOf(researchLead) },
      data: { role: 'viewer' },
    });
    const visit = await openContext(opened.browser, origin);
    const path = `/a/${account}/usage`;
    const theirs = await signInByPassword(visit.context, origin, researchLead, 'a password that is long enough', path);
    await theirs.getByRole('heading', { name: 'Usage events' }).waitFor();
    await theirs.locator('tbody tr').first().waitFor();
    expect(await theirs.getByRole('button', { name: 'More actions' }).count()).toBe(0);
    await theirs
      .getByRole('button', { name: /^Actions of event/ })
      .first()
      .click();
    await theirs.getByRole('menuitem', { name: 'Copy event ID' }).waitFor();
    expect(await theirs.getByRole('menuitem', { name: /^(Amend|Void)/ }).count()).toBe(0);
    expect(visit.problems).toEqual([]);
    await visit.context.close();
  });

  it('shows limits beside their use', async () => {
    const { db } = running.app.services;
    const where = { workspace: { accountId: idOf(account) } };
    const [sandboxes, agents] = await Promise.all([
      db.sandbox.count({ where }),
      db.agent.count({ where: { workspaceId: idOf('meridian-research') } }),
    ]);
    await page.goto(`${origin}/a/${account}/quotas`);
    await settled(page);
    const rowOf = (scope: string, label: string) =>
      page.getByRole('row').filter({ hasText: scope }).filter({ hasText: label });
    await rowOf('Account', 'Sandboxes').getByText(`${sandboxes} of 200`).waitFor();
    const ofResearch = rowOf('Applied research', 'Agents');
    await ofResearch.getByText(`${agents} of 10`).waitFor();
    expect(await ofResearch.getByRole('img').getAttribute('aria-label')).toBe(`${agents * 10}% used`);
    await ofResearch.getByText(`${agents * 10}%`, { exact: true }).waitFor();
    // The most used come first.
    const used = await page.getByRole('cell', { name: /^\d+%$/ }).allInnerTexts();
    const percents = used.map((text) => Number.parseInt(text, 10));
    expect(percents.length).toBeGreaterThan(1);
    expect(percents).toEqual(percents.toSorted((one, other) => other - one));
    // The workspace with the most, and the list of what counts.
    const byWorkspace = await db.sandbox.groupBy({ by: ['workspaceId'], where, _count: true });
    const most = Math.max(...byWorkspace.map(({ _count }) => _count));
    const uses = rowOf('Account', 'Sandboxes').getByRole('cell', { name: new RegExp(` ${most}$`) });
    expect(await uses.getByRole('link').getAttribute('href')).toMatch(/^\/w\/[\w-]+\/sandboxes$/);
    // Admins of the platform set the limits of an account: the text to send them has the use.
    await rowOf('Account', 'Sandboxes')
      .getByRole('button', { name: /^Ask for a higher limit/ })
      .click();
    await page.getByRole('dialog').getByText(`${sandboxes} of 200 is used.`).waitFor();
    await page.getByRole('dialog').getByText('control-plane quotas set SANDBOX=… --account meridian-freight').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    // An admin of the account raises those of its workspaces.
    await ofResearch.getByRole('button', { name: /^Raise the limit/ }).click();
    await page.getByRole('dialog').getByLabel('Agents').fill('12');
    await page.getByRole('dialog').getByRole('button', { name: 'Set limit' }).click();
    await ofResearch.getByText(`${agents} of 12`).waitFor();
    await ofResearch.getByRole('link', { name: 'Agents' }).click();
    await page.waitForURL(/\/w\/meridian-research\/agents/);
  });

  it('stops deployments and executions by the action of a budget', async () => {
    const { db } = running.app.services;
    await page.goto(`${origin}/a/${account}/budgets`);
    await page.getByRole('button', { name: 'Create budget' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create budget' });
    await dialog.getByLabel(/^Name/).fill('hard-limit');
    await dialog.getByLabel('Amount (USD)').fill('90000');
    const choose = async (action: string) => {
      await page.getByRole('dialog').getByRole('combobox', { name: 'At 100% of actual cost' }).click();
      await page.getByRole('option', { name: action }).click();
    };
    await choose('Stop new deployments and executions');
    await dialog.getByRole('button', { name: 'Create budget' }).click();
    const row = page.getByRole('row').filter({ hasText: 'hard-limit' });
    const stops = row.getByText('Stops new deployments and executions at 100% of actual cost.');
    await stops.waitFor();
    expect(await db.budget.findFirstOrThrow({ where: { name: 'hard-limit' } })).toMatchObject({ action: 'stop' });
    await act('Actions of hard-limit', 'Edit…');
    await choose('Only alert');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(() => db.budget.findFirstOrThrow({ where: { name: 'hard-limit' } }))
      .toMatchObject({ action: 'notify' });
    await stops.waitFor({ state: 'detached' });
  });

  it('offers to stop only for a budget of all usage, and says why', async () => {
    const { db } = running.app.services;
    await page.goto(`${origin}/a/${account}/budgets`);
    await page.getByRole('button', { name: 'Create budget' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create budget' });
    await dialog.getByLabel(/^Name/).fill('by-label');
    await dialog.getByLabel('Amount (USD)').fill('500');
    const action = dialog.getByRole('combobox', { name: 'At 100% of actual cost' });
    const stop = page.getByRole('option', { name: 'Stop new deployments and executions' });
    await action.click();
    await stop.click();
    // A condition after the choice.
    await dialog.getByRole('button', { name: 'Add label' }).click();
    expect(await action.getAttribute('aria-describedby')).toBeNull();
    await dialog.getByLabel('Key of label 1').fill('team');
    await dialog.getByLabel('Values of label 1, one in each line').fill('billing');
    const reason = 'Only a budget of all usage, or of all usage of a workspace, can stop deployments.';
    await dialog.getByText(reason, { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Create budget' }).click();
    await dialog.getByRole('alert').getByText(`${reason} Choose “Only alert”`).waitFor();
    await action.click();
    await page.getByRole('option', { name: 'Only alert' }).click();
    await action.click();
    expect(await stop.getAttribute('aria-disabled')).toBe('true');
    await stop.click({ force: true });
    await page.keyboard.press('Escape');
    await stop.waitFor({ state: 'detached' });
    expect(await action.innerText()).toBe('Only alert');
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create budget' }).click();
    await page.getByRole('row').filter({ hasText: 'by-label' }).waitFor();
    expect(await db.budget.findFirstOrThrow({ where: { name: 'by-label' } })).toMatchObject({ action: 'notify' });
  });

  it('counts only the usage with some labels in a budget', async () => {
    const { db } = running.app.services;
    await page.goto(`${origin}/a/${account}/budgets`);
    await page.getByRole('button', { name: 'Create budget' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create budget' });
    await dialog.getByLabel(/^Name/).fill('by-team');
    await dialog.getByLabel('Amount (USD)').fill('500');
    await dialog.getByRole('button', { name: 'Add label' }).click();
    await dialog.getByLabel('Key of label 1').fill('team');
    await dialog.getByRole('button', { name: 'Create budget' }).click();
    await dialog.getByRole('alert').getByText('The label team needs at least one value.').waitFor();
    await dialog.getByLabel('Values of label 1, one in each line').fill('billing\nfreight, east');
    await dialog.getByRole('button', { name: 'Add label' }).click();
    await dialog.getByLabel('Key of label 2').fill('trial');
    await dialog.getByRole('combobox', { name: 'Condition of label 2' }).click();
    await page.getByRole('option', { name: 'is not set' }).click();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create budget' }).click();
    const row = page.getByRole('row').filter({ hasText: 'by-team' });
    await row.getByText('team: billing or freight, east, no trial').waitFor();
    const labels = [
      { key: 'team', in: ['billing', 'freight, east'] },
      { key: 'trial', isSet: false },
    ];
    const stored = () => db.budget.findFirstOrThrow({ where: { name: 'by-team' } });
    expect(await stored()).toMatchObject({ filters: { labels } });
    await act('Actions of by-team', 'Edit…');
    const edited = page.getByRole('dialog');
    expect(await edited.getByLabel('Values of label 1, one in each line').inputValue()).toBe('billing\nfreight, east');
    await edited.getByRole('button', { name: 'Remove label 2' }).click();
    await edited.getByRole('button', { name: 'Save' }).click();
    await expect.poll(stored).toMatchObject({ filters: { labels: labels.slice(0, 1) } });
  });

  it('protects a resource from deletion, until the protection is removed', async () => {
    const { db } = running.app.services;
    const { body } = await graphql(
      running.app,
      key,
      `mutation { made: createAgent(input: { workspace: "${mainWorkspace}", metadata: { name: "guarded" }, spec: {} }) { __typename } }`,
    );
    expect(body.data.made.__typename).toBe('CreateAgentPayload');
    await page.goto(`${origin}/w/${mainWorkspace}/agents/guarded`);
    await act('More actions', 'Protect from deletion');
    const mark = page.locator('.resource-heading').getByText('Protected', { exact: true });
    await mark.waitFor();
    const more = page.getByRole('button', { name: 'More actions' });
    await more.click();
    const remove = page.getByRole('menuitem', { name: 'Delete agent…' });
    expect(await remove.getAttribute('aria-disabled')).toBe('true');
    expect(await remove.getAttribute('title')).toBe('guarded is protected from deletion. Remove the protection first.');
    expect(await violations(page)).toEqual([]);
    expect(await db.agent.count({ where: { name: 'guarded', protected: true } })).toBe(1);
    await page.getByRole('menuitem', { name: 'Remove deletion protection' }).click();
    await mark.waitFor({ state: 'detached' });
    await act('More actions', 'Delete agent…');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete agent' }).click();
    await page.waitForURL(/\/agents$/);
    const { status } = (await db.agent.findFirst({ where: { name: 'guarded' } })) ?? { status: 'DELETED' };
    expect(['DELETING', 'DELETED']).toContain(status);
  });
});
