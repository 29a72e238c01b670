// Lists in a real browser: order, columns, filters and saved views.
import { beforeEach, describe, expect, it } from 'vitest';
import { mainWorkspace } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { useApp } from '../harness.js';
import { complaintsIn, freePort, hasBrowser, settled, useConsole, violations } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });
const within = { workspaceId: idOf(mainWorkspace) };

describe.skipIf(!hasBrowser)('Lists in a browser', () => {
  const opened = useConsole(running, port);

  beforeEach(async () => {
    await opened.page.setViewportSize({ width: 1280, height: 800 });
  });

  async function open(path: string): Promise<void> {
    await opened.page.goto(`${origin}/w/${mainWorkspace}/${path}`);
    await settled(opened.page);
  }

  const search = () => new URL(opened.page.url()).searchParams;
  const firstName = async () => opened.page.locator('[data-index="0"] .cell-name a').innerText();

  it('are sorted by the service when a heading is clicked, in both directions', async () => {
    const { page } = opened;
    const { db } = running.app.services;
    await open('agents');
    for (const [heading, orderBy, sort] of [
      ['Name', { name: 'asc' }, 'name'],
      ['Name', { name: 'desc' }, 'name-desc'],
      ['Updated', { updatedAt: 'desc' }, 'changed'],
      ['Created', { createdAt: 'desc' }, 'newest'],
      ['Created', { createdAt: 'asc' }, 'oldest'],
    ] as const) {
      await page.getByRole('columnheader', { name: heading, exact: true }).getByRole('button').click();
      await expect.poll(() => search().get('sort')).toBe(sort);
      const { name } = await db.agent.findFirstOrThrow({ where: within, orderBy });
      await expect.poll(firstName).toBe(name);
    }
    const created = page.getByRole('columnheader', { name: 'Created', exact: true });
    expect(await created.getAttribute('aria-sort')).toBe('ascending');
  });

  it('show the chosen columns, also after a reload', async () => {
    const { page } = opened;
    await open('agents');
    const createdBy = page.getByRole('columnheader', { name: 'Created by' });
    expect(await createdBy.count()).toBe(0);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Created by' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Labels' }).click();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.reload();
    await createdBy.waitFor();
    expect(await page.getByRole('columnheader', { name: 'Labels' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitem', { name: 'Default columns' }).click();
    await createdBy.waitFor({ state: 'detached' });
  });

  it('are filtered by region and label, count the matches, and lose one filter at a time', async () => {
    const { page } = opened;
    const { db } = running.app.services;
    await open('agents');
    const region = 'eu-frankfurt-1';
    const total = await db.agent.count({ where: within });
    const inRegion = await db.agent.count({ where: { ...within, spec: { path: ['region'], equals: region } } });
    await page.getByRole('combobox', { name: 'Add filter' }).click();
    await page.getByRole('option', { name: new RegExp(`^${region}`) }).click();
    await page.getByText(`${inRegion} of ${total} agents`).waitFor();
    expect(search().get('region')).toBe(region);
    await page.getByRole('combobox', { name: 'Add filter' }).click();
    await page.getByPlaceholder(/^Region, label/).fill('nobody:has-it');
    await page.getByRole('option', { name: 'nobody:has-it' }).first().click();
    await page.getByText(`0 of ${total} agents`).waitFor();
    const hints = page.getByRole('list', { name: 'Filters to remove' });
    const text = inRegion === 1 ? '1 agent' : `${inRegion} agents`;
    await hints.getByText(`Remove label nobody: has-it (${text} without it)`).waitFor();
    await hints.getByText(`Remove region ${region} (0 agents without it)`).waitFor();
    await hints.getByRole('link', { name: 'Remove label nobody: has-it' }).click();
    await page.getByText(`${inRegion} of ${total} agents`).waitFor();
    await page
      .getByRole('list', { name: 'Filters', exact: true })
      .getByRole('link', { name: /Region/ })
      .click();
    await page.getByText(`${total} agents`, { exact: true }).waitFor();
    expect(search().size).toBe(0);
  });

  it('keep a saved view under its name, and its URL shows the same to others', async () => {
    const { page } = opened;
    await open('agents?state=failed&sort=name');
    await page.getByRole('button', { name: 'Save view…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save view' });
    await dialog.getByLabel('Name').fill('Failing');
    await dialog.getByRole('button', { name: 'Save view' }).click();
    await dialog.waitFor({ state: 'detached' });
    await open('agents');
    const views = page.getByRole('navigation', { name: 'Saved views' });
    await views.getByRole('link', { name: 'Failing' }).click();
    await expect.poll(() => Object.fromEntries(search())).toEqual({ state: 'failed', sort: 'name' });
    await settled(page);
    expect(await complaintsIn(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await views.getByRole('button', { name: 'Remove view Failing' }).click();
    await views.waitFor({ state: 'detached' });
    await expect.poll(() => Object.fromEntries(search())).toEqual({ state: 'failed', sort: 'name' });
  });

  it('keep the views that two tabs have saved', async () => {
    const { page, visit } = opened;
    const other = await visit.context.newPage();
    await other.goto(`${origin}/w/${mainWorkspace}/agents?state=healthy`);
    await settled(other);
    await open('agents?state=failed');
    for (const [tab, name] of [
      [page, 'One tab'],
      [other, 'Other tab'],
    ] as const) {
      await tab.getByRole('button', { name: 'Save view…' }).click();
      const dialog = tab.getByRole('dialog', { name: 'Save view' });
      await dialog.getByLabel('Name').fill(name);
      await dialog.getByRole('button', { name: 'Save view' }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    await other.close();
    await open('agents');
    const views = page.getByRole('navigation', { name: 'Saved views' });
    expect(await views.getByRole('link').allInnerTexts()).toEqual(['All agents', 'One tab', 'Other tab']);
    await page.evaluate(() => localStorage.clear());
  });

  it('are filtered by labels whose keys have colons and percent signs', async () => {
    const { page } = opened;
    const { db } = running.app.services;
    const { id, name } = await db.agent.findFirstOrThrow({ where: within });
    await db.agent.update({ where: { id }, data: { labels: { 'cost:center%3A': 'ne:w' } } });
    await open(`agents?q=${name}`);
    await page.getByRole('combobox', { name: 'Add filter' }).click();
    await page.getByRole('option', { name: 'cost:center%3A:ne:w', exact: true }).click();
    await page.getByText(/^1 of \d+ agents$/).waitFor();
    const chips = page.getByRole('list', { name: 'Filters', exact: true });
    expect(await chips.innerText()).toContain('cost:center%3A: ne:w');
  });

  it('show the reason of a failure, whole in the list of failed resources', async () => {
    const { page } = opened;
    await open('agents?state=failed&sort=name');
    const { name } = await running.app.services.db.agent.findFirstOrThrow({
      where: { ...within, status: 'FAILED' },
      orderBy: { name: 'asc' },
    });
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
    await expect.poll(() => row.locator('.cell-reason').innerText()).not.toBe('');
    const reason = await row.locator('.cell-reason').innerText();
    expect(await row.locator('.cell-reason > span').evaluate((text) => text.scrollHeight <= text.clientHeight)).toBe(
      true,
    );
    await page.getByRole('columnheader', { name: 'Reason' }).waitFor();
    await open(`agents?q=${name}`);
    expect(await row.locator('.state-reason').innerText()).toBe(reason);
    expect(await page.getByRole('columnheader', { name: 'Reason' }).count()).toBe(0);
    await page.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    await page.locator('.resource-heading').getByText(reason).waitFor();
  });

  it('show the last results and the schedule of a job', async () => {
    const { page } = opened;
    const { db } = running.app.services;
    const job = await db.job.findFirstOrThrow({
      where: { ...within, executions: { some: {} } },
      include: { executions: { orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] } },
      orderBy: { name: 'asc' },
    });
    await db.job.update({
      where: { id: job.id },
      data: { spec: { ...Object(job.spec), schedule: '30 2 * * 1-5', timeZone: 'Europe/Lisbon', enabled: true } },
    });
    await open(`jobs?q=${job.name}`);
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: job.name, exact: true }) });
    await row.getByText('At 02:30, Monday through Friday').waitFor();
    // The clock of the page stands at Friday noon.
    const next = row.locator('.cell-next-run time');
    await next.waitFor();
    expect(await next.getAttribute('datetime')).toBe('2026-11-23T02:30:00.000Z');
    const marks = row.getByRole('group', { name: /^Latest executions/ }).getByRole('link');
    await expect.poll(() => marks.count()).toBe(Math.min(job.executions.length, 10));
    await marks.last().click();
    await page.waitForURL((url) => url.pathname.endsWith(`/executions/${job.executions[0]?.id}`));
  });
});
