// Lists in a real browser: order, columns, filters and saved views, and the lists of menus.
import type { Locator } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { demoOwner, mainWorkspace } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { createKey, graphql, useApp } from '../harness.js';
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

  it('select with Shift from the last row of the same order and the same rows only', async () => {
    const { page } = opened;
    const { db } = running.app.services;
    const toolbar = page.getByRole('toolbar');
    const choose = async (index: number, modifiers: 'Shift'[] = []) => {
      const row = page.locator(`[data-index="${index}"]`);
      await row.hover();
      await row.getByRole('checkbox').click({ modifiers });
    };
    await open('volumes?sort=name');
    await choose(0);
    await toolbar.getByText('1 volume selected').waitFor();
    await page.getByRole('columnheader', { name: 'Name', exact: true }).getByRole('button').click();
    await toolbar.waitFor({ state: 'detached' });
    const { name } = await db.volume.findFirstOrThrow({ where: within, orderBy: { name: 'desc' } });
    await expect.poll(firstName).toBe(name);
    await choose(3, ['Shift']);
    await toolbar.getByText('1 volume selected').waitFor();
    await choose(1, ['Shift']);
    await toolbar.getByText('3 volumes selected').waitFor();
    await open('volumes');
    await choose(1);
    const { key } = await createKey(running.app, { accountId: idOf('meridian-freight'), principalId: idOf(demoOwner) });
    const { body } = await graphql(
      running.app,
      key,
      `mutation { made: createVolume(input: { workspace: "${mainWorkspace}", metadata: { name: "above-the-others" },
        spec: { region: "eu-frankfurt-1", sizeMb: 1024 } }) { __typename } }`,
    );
    expect(body.data.made.__typename).toBe('CreateVolumePayload');
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.getByRole('button', { name: 'Show 1 new' }).click();
    await expect.poll(firstName).toBe('above-the-others');
    // The first row of the selection has moved down by one.
    await choose(3, ['Shift']);
    await toolbar.getByText('2 volumes selected').waitFor();
    await db.volume.deleteMany({ where: { name: 'above-the-others' } });
    await page.keyboard.press('Escape');
  });

  it('take the focus back from a preview that closes', async () => {
    const { page } = opened;
    await open('agents');
    const row = page.locator('[data-index="2"]');
    const preview = page.locator('.peek');
    const hasFocus = async (part: Locator) => part.evaluate((each) => each.contains(document.activeElement));
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      for (const key of ['Enter', 'Escape']) {
        await row.getByRole('link').focus();
        await page.keyboard.press(' ');
        await preview.getByRole('button', { name: 'Close' }).waitFor();
        // On a narrow screen, it covers the list.
        expect(await row.isVisible()).toBe(width === 1280);
        await expect.poll(async () => hasFocus(preview)).toBe(width === 390);
        await preview.getByRole('button', { name: 'Close' }).focus();
        await page.keyboard.press(key);
        await preview.waitFor({ state: 'detached' });
        await expect.poll(async () => hasFocus(row)).toBe(true);
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('are where they were left after Back, and at the top when they are opened anew', async () => {
    const { page } = opened;
    const rail = page.getByRole('navigation', { name: 'Main' });
    for (const [list, other] of [
      ['Agents', 'Sandboxes'],
      ['Images', 'Agents'],
    ] as const) {
      await rail.getByRole('link', { name: list }).click();
      const scroller = page.getByRole('region', { name: list }).locator('.row-scroller');
      const top = async () => scroller.evaluate((each) => each.scrollTop);
      await scroller.getByRole('link').first().waitFor();
      await scroller.evaluate((each) => each.scrollTo(0, 500));
      await rail.getByRole('link', { name: other }).click();
      const next = page.getByRole('region', { name: other }).locator('.row-scroller');
      await next.getByRole('link').first().waitFor();
      expect(await next.evaluate((each) => each.scrollTop)).toBe(0);
      await page.goBack();
      await expect.poll(top).toBe(500);
      await rail.getByRole('link', { name: 'Quotas' }).click();
      await settled(page);
      await rail.getByRole('link', { name: list }).click();
      await scroller.getByRole('link').first().waitFor();
      expect(await top()).toBe(0);
    }
  });

  it('show all previews, egress gateways and egress IPs of a resource', async () => {
    const { page } = opened;
    const { db } = running.app.services;
    const many = Array.from({ length: 60 }, (_none, index) => `of-many-${index}`);
    const addresses = Array.from({ length: 230 }, (_none, index) => `of-many-ips-${index}`);
    const createdAt = new Date('2026-01-01T00:00:00Z');
    const preview = await db.sandboxPreview.findFirstOrThrow({ where: within, include: { sandbox: true } });
    const gateway = await db.egressGateway.findFirstOrThrow({ where: within, include: { vpc: true } });
    const ip = await db.egressIp.findFirstOrThrow({ where: { gatewayId: gateway.id } });
    const common = many.map((name) => ({ ...within, name, createdAt, search: name }));
    await db.sandboxPreview.createMany({
      data: common.map((each) => ({ ...each, sandboxId: preview.sandboxId, spec: Object(preview.spec) })),
    });
    await db.egressGateway.createMany({
      data: common.map((each) => ({ ...each, vpcId: gateway.vpcId, spec: Object(gateway.spec) })),
    });
    await db.egressIp.createMany({
      data: addresses.map((name) => {
        return { ...within, name, createdAt, search: name, gatewayId: gateway.id, spec: Object(ip.spec) };
      }),
    });
    await open(`sandboxes/${preview.sandbox.name}`);
    const previews = page.getByRole('table', { name: 'Previews' });
    await previews.getByText('of-many-0', { exact: true }).waitFor();
    await previews.getByText('of-many-59', { exact: true }).waitFor();
    expect(await page.getByText(/^(Loading|Could not load) all/).count()).toBe(0);
    const region = page.getByRole('region', { name: /^Previews/ });
    await region.getByRole('searchbox').fill('of-many-59');
    await expect.poll(() => previews.getByRole('row').count()).toBe(2);
    await region.getByRole('searchbox').fill('nothing-is-called-so');
    await region.getByRole('heading', { name: 'No rows match “nothing-is-called-so”' }).waitFor();
    await region.getByRole('button', { name: 'Clear filter' }).click();
    await previews.getByText('of-many-0', { exact: true }).waitFor();
    await open(`networks/${gateway.vpc.name}`);
    const gateways = page.getByRole('table', { name: 'Egress gateways' });
    await gateways.getByText('of-many-0', { exact: true }).waitFor();
    await gateways.getByText('of-many-59', { exact: true }).waitFor();
    expect(await page.getByText(/^(Loading|Could not load) all/).count()).toBe(0);
    const ips = page.getByRole('table', { name: 'Egress IPs' });
    await page.getByText(/^Showing 200 of 23\d rows\.$/).waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await ips.getByText('of-many-ips-0', { exact: true }).waitFor();
    await ips.getByText('of-many-ips-229', { exact: true }).waitFor();
    expect(await page.getByText(/^Showing/).count()).toBe(0);
    await page
      .getByRole('region', { name: /^Egress IPs/ })
      .getByRole('searchbox')
      .fill('of-many-ips-111');
    await expect.poll(() => ips.getByRole('row').count()).toBe(2);
    await db.sandboxPreview.deleteMany({ where: { name: { in: many } } });
    await db.egressGateway.deleteMany({ where: { name: { in: many } } });
    await db.egressIp.deleteMany({ where: { name: { in: addresses } } });
  });

  it('page through the executions of a job', async () => {
    const { page } = opened;
    const { db } = running.app.services;
    const {
      id: _id,
      job,
      ...execution
    } = await db.jobExecution.findFirstOrThrow({
      where: { job: within, status: 'failed' },
      include: { job: true },
    });
    const many = Array.from({ length: 120 }, (_none, index) => ({
      ...Object(execution),
      scheduledAt: null,
      createdAt: new Date(Date.UTC(2026, 0, 1, 0, index)),
    }));
    await db.jobExecution.createMany({ data: many });
    await open(`jobs/${job.name}/executions`);
    const rows = page.getByRole('table', { name: 'Executions' }).getByRole('row');
    await page.getByText(/^Showing 100 of \d+ executions\.$/).waitFor();
    expect(await rows.count()).toBe(101);
    const older = page.getByRole('link', { name: 'Older' });
    const latest = page.getByRole('link', { name: 'Latest' });
    await older.click();
    await older.waitFor({ state: 'detached' });
    const restCount = await rows.count();
    expect(restCount).toBeLessThan(101);
    // The page is in the URL: a reload keeps it, and the browser goes back and forward.
    await page.reload();
    await latest.waitFor();
    await expect.poll(() => rows.count()).toBe(restCount);
    await page.goBack();
    await older.waitFor();
    await expect.poll(() => rows.count()).toBe(101);
    expect(await latest.count()).toBe(0);
    await page.goForward();
    await latest.click();
    await older.waitFor();
    expect(search().size).toBe(0);
    await open(`jobs/${job.name}/executions?after=too-old`);
    await page.getByRole('alert').getByRole('link', { name: 'Latest' }).click();
    await older.waitFor();
    await db.jobExecution.deleteMany({ where: { createdAt: { lt: new Date('2026-02-01T00:00:00Z') } } });
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

  it('of menus show the first of many workspaces, and find the others', async () => {
    const { page } = opened;
    const { db } = running.app.services;
    const many = Array.from({ length: 120 }, (_none, index) => `of-many-${String(index).padStart(3, '0')}`);
    await db.workspace.createMany({ data: many.map((name) => ({ accountId: idOf('meridian-freight'), name })) });
    const choose = async (name: string) => {
      const options = page.getByRole('option');
      await options.first().waitFor();
      expect(await options.count()).toBeLessThanOrEqual(50);
      await page.getByText(/^\d+ more\. Type to narrow the list\.$/).waitFor();
      await page.keyboard.type(name);
      await expect.poll(() => options.count()).toBe(1);
      expect(await page.getByText('Type to narrow the list.').count()).toBe(0);
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Enter');
    };
    await page.goto(`${origin}/w/of-many-119`);
    await settled(page);
    await page.getByRole('combobox', { name: 'Workspace of-many-119' }).click();
    await page.getByRole('option', { name: 'of-many-119', selected: true }).waitFor();
    await choose('of-many-077');
    await page.waitForURL(`${origin}/w/of-many-077`);
    await page.goto(`${origin}/a/meridian-freight/members`);
    await settled(page);
    await page.getByRole('combobox', { name: 'Scope' }).click();
    await choose('of-many-118');
    await page.waitForURL(`${origin}/a/meridian-freight/members?in=of-many-118`);
    await page.goto(`${origin}/a/meridian-freight/costs`);
    await settled(page);
    await page.getByRole('combobox', { name: 'Filter' }).click();
    // The workspaces leave room for the other groups.
    await page.getByRole('group', { name: 'Billing dimension' }).waitFor();
    await page.getByText(/^\d+ more\. Type to narrow the list\.$/).waitFor();
    await page.keyboard.press('Escape');
    await page.goto(`${origin}/a/meridian-freight/webhooks`);
    await page.getByRole('button', { name: 'Create webhook' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create webhook' });
    const boxes = dialog.getByRole('group', { name: /^Workspaces/ }).getByRole('checkbox');
    await expect.poll(() => boxes.count()).toBe(50);
    const box = await dialog.getByRole('searchbox', { name: 'Find: Workspaces' }).boundingBox();
    expect(box?.width).toBeGreaterThan(200);
    await dialog.getByRole('searchbox', { name: 'Find: Workspaces' }).fill('of-many-117');
    await boxes.first().check();
    await dialog.getByRole('searchbox', { name: 'Find: Workspaces' }).fill('of-many-116');
    await expect.poll(() => boxes.count()).toBe(2);
    expect(await dialog.getByRole('checkbox', { name: 'of-many-117' }).isChecked()).toBe(true);
    await dialog.getByRole('combobox', { name: 'Scope' }).click();
    await choose('of-many-115');
    expect(await dialog.getByRole('combobox', { name: 'Scope' }).innerText()).toContain('of-many-115');
    await page.locator('[role=combobox]:focus', { hasText: 'of-many-115' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    await db.workspace.deleteMany({ where: { name: { in: many } } });
  });
});
