// The ways of a day, in a real browser, against a gateway with the demo's data.
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { demoOwner, mainWorkspace, tidewaterOwner } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { setPassword } from '../../src/operator/passwords.js';
import { frozenNow, useApp } from '../harness.js';
import {
  freePort,
  hasBrowser,
  openContext,
  settled,
  signInByClick,
  signInByPassword,
  useConsole,
  violations,
} from './browser.js';
import type { Visit } from './browser.js';

const password = 'a password that is long enough';
const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });

describe.skipIf(!hasBrowser)('The console in a browser', { timeout: 60_000 }, () => {
  const opened = useConsole(running, port);
  let browser: Browser;
  let visit: Visit;
  let page: Page;

  beforeAll(async () => {
    ({ browser, visit, page } = opened);
    const { db } = running.app.services;
    await setPassword(db, tidewaterOwner, password, frozenNow);
  });

  async function agentWith(where: object): Promise<{ name: string; spec: unknown; [field: string]: unknown }> {
    return running.app.services.db.agent.findFirstOrThrow({ where: { workspaceId: idOf(mainWorkspace), ...where } });
  }

  it('takes at most 300 KB of script, as it is sent, for the first view', async () => {
    const first = await openContext(browser, origin);
    const sizes = new Map<string, number>();
    first.context.on('response', (response) => {
      if (response.url().endsWith('.js')) sizes.set(response.url(), Number(response.headers()['content-length']));
    });
    const opened = await signInByClick(first.context, origin);
    await opened.getByRole('region', { name: 'Needs attention' }).getByRole('listitem').first().waitFor();
    await first.context.close();
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    process.stdout.write(
      `First view of the console: ${Math.round(bytes / 1000)} KB of script in ${sizes.size} files\n`,
    );
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(300_000);
  });

  it('has each heading of a list above what it heads', async () => {
    await page.goto(`${origin}/w/${mainWorkspace}/agents`);
    const row = page.getByRole('row').filter({ has: page.getByRole('checkbox') });
    await row.first().waitFor();
    for (const [heading, cell] of [
      ['State', '.cell-state'],
      ['Name', '.cell-name'],
      ['Changed', '.cell-time'],
    ] as const) {
      const [above, below] = await Promise.all([
        page.getByRole('columnheader', { name: heading }).boundingBox(),
        row.first().locator(cell).boundingBox(),
      ]);
      expect([heading, above?.x]).toEqual([heading, below?.x]);
    }
  });

  it('tells a platform team what fails and why, with one click from the overview', async () => {
    await page.goto(`${origin}/w/${mainWorkspace}`);
    const first = page.getByRole('region', { name: 'Needs attention' }).locator('.trouble li').first();
    const name = await first.getByRole('link').innerText();
    const reason = await first.locator('.trouble-why').innerText();
    expect(reason).not.toBe('');
    await first.getByRole('link').click();
    const state = page.getByRole('article', { name }).locator('.resource-state');
    await state.getByText('Failed', { exact: true }).waitFor();
    await state.getByText(reason).waitFor();
    expect(new URL(page.url()).pathname).toMatch(new RegExp(`^/w/${mainWorkspace}/\\w+/${name}$`));
  });

  it('finds the failing agents of a list by their state, and opens one beside it by keyboard', async () => {
    const where = { workspaceId: idOf(mainWorkspace), status: 'FAILED' } as const;
    const { name } = await running.app.services.db.agent.findFirstOrThrow({ where });
    await page.goto(`${origin}/w/${mainWorkspace}/agents`);
    await page
      .getByRole('list', { name: 'States' })
      .getByRole('link', { name: /failing/ })
      .click();
    await page.waitForURL(/state=broken/);
    await page.getByLabel('Filter agents by name, title or label').fill(name);
    await page.getByText(`1 agent failing with “${name}”`).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Space');
    const beside = page.getByRole('complementary', { name: `agent ${name}` });
    await beside.getByRole('heading', { name }).waitFor();
    await page.keyboard.press('Escape');
    await beside.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('q')).toBe(name);
  });

  it('stays signed in over a reload, and keeps what its address says', async () => {
    await page.goto(`${origin}/a/meridian-freight/costs?by=workspace&resolution=weekly`);
    for (const reload of [true, false]) {
      const table = page.getByRole('main').getByRole('table').first();
      await table.getByText(mainWorkspace).first().waitFor();
      if (reload) await page.reload();
    }
    expect(new URL(page.url()).searchParams.get('resolution')).toBe('weekly');
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain('eyJ');
  });

  it('costs say their filters, their zone and what changed, and a link keeps commas, quotes and absolute times', async () => {
    const name = `a "quoted", name & more`;
    const search = new URLSearchParams({ name, from: '2026-11-01T00:00:00.000Z', to: '2026-11-08T00:00:00.000Z' });
    await page.goto(`${origin}/a/meridian-freight/costs?${search}`);
    const filters = page.getByRole('list', { name: 'Filters' });
    await filters.getByText(name).waitFor();
    await page.getByText('Nothing was billed in this window with these filters.').waitFor();
    await page.reload();
    await filters.getByText(name).waitFor();
    await page.getByRole('combobox', { name: /^Days of UTC/ }).waitFor();
    // The filter stands above the numbers that it changes, and goes with one click; the window stays.
    const tops = await Promise.all(
      [filters, page.getByRole('table').first()].map((each) => each.getByText(/./).first().boundingBox()),
    );
    expect(tops[0]?.y).toBeLessThan(tops[1]?.y ?? 0);
    await filters.getByRole('button').click();
    await page
      .getByText(/1\D+7 Nov 2026/)
      .first()
      .waitFor();
    const movers = page.getByLabel('What changed most');
    await movers.getByText('Dearer').or(movers.getByText('Cheaper')).first().waitFor();
    await page.getByRole('button', { name: 'Compare with before' }).click();
    await page.getByRole('columnheader', { name: 'before' }).waitFor();
    // Beside an open menu the page goes on: nothing blocks it.
    await page.getByRole('combobox', { name: 'Filter' }).click();
    await page.getByRole('option', { name: 'agent', exact: true }).click();
    await filters.getByText('agent').waitFor();
    expect(new URL(page.url()).searchParams.get('from')).toBe('2026-11-01T00:00:00.000Z');
  });

  it('shows another tenant, who comes in by password, none of it', async () => {
    const theirs = await openContext(browser, origin);
    const other = await signInByPassword(theirs.context, origin, tidewaterOwner, password, `/w/${mainWorkspace}`);
    await other.getByRole('heading', { name: `There is no workspace “${mainWorkspace}” for you` }).waitFor();
    expect(await other.locator('body').innerText()).not.toContain(demoOwner);
    expect(theirs.problems).toEqual([]);
    await theirs.context.close();
  });

  it('fixes a spec: the service refuses what cannot be, shows what changes, and saves it', async () => {
    const { name } = await agentWith({ status: 'DEPLOYED' });
    await page.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    await page.getByRole('article', { name }).waitFor();
    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'YAML' }).click();
    const text = dialog.getByRole('textbox');
    const before = await text.inputValue();
    await text.fill(before.replace(/memory: \d+/, 'memory: -3'));
    await dialog.getByRole('button', { name: 'Check' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/memory/)
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await text.fill(before.replace(/memory: \d+/, 'memory: 6144'));
    await dialog.getByRole('row', { name: /spec\.runtime\.memory.*6144/ }).waitFor();
    await dialog.getByRole('button', { name: 'Check' }).click();
    await dialog.getByText('The service accepts this.').waitFor();
    await dialog.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByText('6 GB').waitFor();
    const { spec } = await agentWith({ name });
    expect(spec).toMatchObject({ runtime: { memory: 6144 } });
  });

  it('tells an editor who was faster, and lays the change over theirs', async () => {
    const { name } = await agentWith({ status: 'DEPLOYED' });
    await page.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'YAML' }).click();
    const text = dialog.getByRole('textbox');
    await text.fill((await text.inputValue()).replace(/displayName: .*/, 'displayName: Mine'));
    const other = await visit.context.newPage();
    await other.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    await other.getByRole('button', { name: 'Switch off' }).click();
    await other.getByRole('button', { name: 'Switch on' }).waitFor();
    await other.close();
    await dialog.getByRole('button', { name: 'Check' }).click();
    await dialog.getByText(`${demoOwner} changed spec.enabled`).waitFor();
    const sides = dialog.getByRole('region', { name: 'Theirs and yours' });
    await sides.getByRole('row', { name: /^spec\.enabled true false true$/ }).waitFor();
    await sides.getByRole('row', { name: /^metadata\.displayName .* Mine$/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Load theirs, keep my changes on top' }).click();
    await dialog.getByRole('button', { name: 'Check' }).click();
    await dialog.getByRole('button', { name: 'Save 1 change' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await agentWith({ name })).toMatchObject({ displayName: 'Mine', spec: { enabled: false } });
  });

  it('makes an agent by a form: says what will not do as each field is left, and has it', async () => {
    await page.evaluate(() => localStorage.removeItem('console:editor'));
    await page.goto(`${origin}/w/${mainWorkspace}/agents`);
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'New agent' });
    await dialog.getByLabel(/^Name/).fill('Not A Name');
    await dialog.getByLabel('Display name').focus();
    await dialog.getByText('Must be 1 to 49 lowercase letters').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByLabel(/^Name/).fill('made-by-form');
    await dialog.getByRole('button', { name: 'Add to labels' }).click();
    await dialog.getByLabel('Key 1 of labels').fill('team');
    await dialog.getByLabel('Value 1 of labels').fill('ops, "night"');
    await dialog.getByText('Runtime').click();
    await dialog.getByLabel('Memory').fill('4096');
    await dialog.getByLabel('Generation').click();
    await page.getByRole('option', { name: 'mk3' }).click();
    await dialog.getByRole('button', { name: 'Create the agent' }).click();
    await page.getByRole('heading', { name: 'made-by-form' }).waitFor();
    expect(await agentWith({ name: 'made-by-form' })).toMatchObject({
      labels: { team: 'ops, "night"' },
      spec: { runtime: { memory: 4096, generation: 'mk3' } },
    });
  });

  it('switches off and deletes what is selected, and tells what failed and why', async () => {
    const { db } = running.app.services;
    const where = { workspaceId: idOf(mainWorkspace) };
    await page.goto(`${origin}/w/${mainWorkspace}/volumes?sort=name`);
    const rows = page.getByRole('row').filter({ has: page.getByRole('checkbox') });
    await rows.first().waitFor();
    const count = await rows.count();
    await rows.first().hover();
    await rows.first().getByRole('checkbox').click();
    await rows
      .nth(count - 1)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] });
    await page.getByRole('toolbar').getByText(`${count} volumes selected`).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete…' }).click();
    const asked = page.getByRole('alertdialog');
    await asked.getByRole('button', { name: `Delete ${count} volumes` }).click();
    await asked.getByText(/of them failed/).waitFor();
    await asked
      .getByRole('list', { name: 'What failed' })
      .getByText(/is in use by the (agent|sandbox)/)
      .first()
      .waitFor();
    await asked.getByRole('button', { name: 'Close' }).click();
    const left = await db.volume.count({ where });
    expect(left).toBeLessThan(count);
    expect(left).toBeGreaterThan(0);
    await page.getByRole('toolbar').getByText(`${left} volumes selected`).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('toolbar').waitFor({ state: 'detached' });
  });

  it('runs a job with tasks of its own, and cancels it', async () => {
    const where = { workspaceId: idOf(mainWorkspace), status: 'DEPLOYED' } as const;
    const { name } = await running.app.services.db.job.findFirstOrThrow({ where });
    await page.goto(`${origin}/w/${mainWorkspace}/jobs/${name}`);
    await page.getByRole('button', { name: 'Run…', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Tasks/).fill('lisbon\nlisbon');
    await dialog.getByRole('button', { name: 'Run it' }).click();
    await dialog.getByRole('alert').getByText(/tasks/).waitFor();
    await dialog.getByLabel(/^Tasks/).fill('lisbon\nporto');
    await dialog.getByRole('button', { name: 'Run it' }).click();
    await page.getByRole('button', { name: 'Cancel…' }).click();
    await page.getByRole('button', { name: 'Cancel the execution' }).click();
    const state = page.locator('.resource-state');
    await state.getByText('Cancelled', { exact: true }).waitFor();
    await state.getByText('2 cancelled').waitFor();
    expect(await state.innerText()).toContain('Cancelled');
    await page.getByRole('button', { name: 'Run again…' }).click();
    expect(await dialog.getByLabel(/^Tasks/).inputValue()).toBe('lisbon\nporto');
    const first = page.url();
    await dialog.getByRole('button', { name: 'Run it' }).click();
    await page.waitForURL((url) => url.href !== first);
    await page.getByRole('button', { name: 'Cancel…' }).waitFor();
  });

  it('invites somebody into a workspace, and takes it back', async () => {
    await page.goto(`${origin}/a/meridian-freight/members?in=${mainWorkspace}`);
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email address').fill('somebody@new.example.com');
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    const invited = page.getByRole('region', { name: 'Invited' }).getByRole('listitem');
    await invited.getByText('somebody@new.example.com').waitFor();
    await invited.getByRole('button', { name: /^Take back/ }).click();
    await page.getByRole('button', { name: 'Take it back' }).click();
    await page.getByRole('region', { name: 'Invited' }).waitFor({ state: 'detached' });
    const statusNow = async () => (await running.app.services.db.invitation.findFirstOrThrow()).status;
    await expect.poll(statusNow).toBe('revoked');
  });

  it('accepts an image that is offered, and has it', async () => {
    await page.goto(`${origin}/w/${mainWorkspace}/shares`);
    const offers = page.getByRole('region', { name: 'Offered to this workspace' }).getByRole('listitem');
    const accepted = await offers.first().locator('.mono').innerText();
    const before = await offers.count();
    await offers.first().getByRole('button', { name: 'Accept…' }).click();
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    await expect.poll(() => offers.count()).toBe(before - 1);
    await page.goto(`${origin}/w/${mainWorkspace}/images?q=${accepted}`);
    await page.getByRole('link', { name: accepted }).first().waitFor();
  });

  it('deletes a sandbox, and says before what goes with it', async () => {
    const { db } = running.app.services;
    const where = { workspaceId: idOf(mainWorkspace), previews: { some: {} } };
    const { id, name } = await db.sandbox.findFirstOrThrow({ where });
    const previews = await db.sandboxPreview.count({ where: { sandboxId: id } });
    await page.goto(`${origin}/w/${mainWorkspace}/sandboxes/${name}`);
    await page.getByRole('button', { name: 'Delete…' }).click();
    const asked = page.getByRole('alertdialog');
    await asked.getByText(previews === 1 ? 'Its one preview' : `Its ${previews} previews`).waitFor();
    await asked.getByRole('button', { name: 'Delete the sandbox' }).click();
    await page.waitForURL(/\/sandboxes$/);
    expect(await db.sandbox.count({ where: { id } })).toBe(0);
  });

  const views = {
    overview: `/w/${mainWorkspace}`,
    agents: `/w/${mainWorkspace}/agents`,
    'a list with one beside it': `/w/${mainWorkspace}/sandboxes?peek=claims-notebook`,
    jobs: `/w/${mainWorkspace}/jobs/invoice-export`,
    images: `/w/${mainWorkspace}/images`,
    shares: `/w/${mainWorkspace}/shares`,
    activity: `/w/${mainWorkspace}/activity`,
    'one agent': `/w/${mainWorkspace}/agents/customs-triage`,
    costs: '/a/meridian-freight/costs',
    access: '/a/meridian-freight/access',
    members: '/a/meridian-freight/members',
    platform: '/platform',
  };

  for (const [view, path] of Object.entries(views)) {
    it(`has nothing that axe complains of: ${view}`, async () => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(`${origin}${path}`);
      await settled(page);
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          expect(await violations(page), `${width} px, ${colorScheme}`).toEqual([]);
        }
        const overhang = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overhang, `${width} px: what hangs over the side`).toBeLessThanOrEqual(0);
      }
    });
  }
});
