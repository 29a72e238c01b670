// The activity view in a real browser: filters, live updates, and deleted resources.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { demoOwner, mainWorkspace } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { createKey, frozenNow, graphql, useApp } from '../harness.js';
import { anExecutor } from '../lifecycle/executor.js';
import { freePort, hasBrowser, settled, useConsole, violations } from './browser.js';

const port = await freePort();
const running = useApp({ PUBLIC_URL: `http://localhost:${port}` });

describe.skipIf(!hasBrowser)('The activity view in a browser', () => {
  const opened = useConsole(running, port);
  let page: Page;
  let key: string;
  let agent: string;

  beforeAll(async () => {
    ({ page } = opened);
    const owner = { accountId: idOf('meridian-freight'), principalId: idOf(demoOwner) };
    ({ key } = await createKey(running.app, owner));
    const where = { workspaceId: idOf(mainWorkspace), status: 'DEPLOYED' } as const;
    ({ name: agent } = await running.app.services.db.agent.findFirstOrThrow({ where }));
  });

  async function change(mutation: string): Promise<void> {
    const { body } = await graphql(running.app, key, `mutation { change: ${mutation} { __typename } }`);
    expect(body).toMatchObject({ data: { change: { __typename: expect.stringMatching(/Payload$/) } } });
  }

  const inWorkspace = `workspace: "${mainWorkspace}"`;
  const goTo = (search: Record<string, string> = {}) =>
    page.goto(`${opened.origin}/w/${mainWorkspace}/activity?${new URLSearchParams(search)}`);
  const address = () => new URL(page.url()).searchParams;
  const rows = () => page.getByRole('main').getByRole('listitem');

  it('shows changes live, and filters by its URL', async () => {
    const watched = page.waitForRequest((request) => request.headers()['accept']?.includes('event-stream') ?? false);
    await goTo({ kind: 'agent', action: 'updated', actor: demoOwner });
    await watched;
    await page.getByRole('main').locator('.quiet[role=status]').filter({ hasText: /./ }).waitFor();
    const other = await opened.visit.context.newPage();
    await other.goto(`${opened.origin}/w/${mainWorkspace}/agents/${agent}`);
    await other.getByRole('button', { name: /^(Enable|Disable)$/ }).click();
    await page.getByRole('button', { name: /^Show 1 new/ }).click();
    await rows()
      .filter({ hasText: agent })
      .first()
      .getByText(/^(Enabled|Disabled)$/)
      .waitFor();
    await other.close();
    await goTo({ actor: 'nobody@example.com' });
    await page.getByText('No matching activity').waitFor();
    expect(address().get('actor')).toBe('nobody@example.com');
  });

  it('shows the changed fields of a change, and keeps it in the URL', async () => {
    await change(`updateAgent(input: { ${inWorkspace}, name: "${agent}", spec: { runtime: { memory: 6144,
      envs: [{ name: "A", value: "one, \\"two\\"" }, { name: "TOKEN", value: "not to be seen", secret: true }] } } })`);
    await goTo({ kind: 'agent', action: 'updated', name: agent });
    await rows()
      .first()
      .getByRole('link', { name: /^View change: updated/ })
      .click();
    const panel = page.getByRole('article', { name: 'Change' });
    await panel.getByText('Added: 6144').waitFor();
    await panel.getByText('one, \\"two\\"').waitFor();
    expect(await panel.innerText()).toContain(demoOwner);
    expect(await page.content()).not.toContain('not to be seen');
    await page.reload();
    await panel.getByText('Added: 6144').waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        expect(await violations(page), `${width} px, ${colorScheme}`).toEqual([]);
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await panel.getByRole('link', { name: 'View agent' }).click();
    // The change history of the agent links to the same change.
    const changed = page.getByRole('region', { name: 'Change history' });
    await changed
      .getByText(/Memory .+ → 6 GB/)
      .first()
      .waitFor();
    await changed
      .getByRole('link', { name: /^View change: updated/ })
      .first()
      .click();
    await panel.getByText('Added: 6144').waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
  });

  it('keeps its place and the focus while a change is open, and over Back', async () => {
    const view = page.locator('.list-layout > .view');
    const top = async () => view.evaluate((each) => each.scrollTop);
    const close = page.getByRole('button', { name: 'Close', exact: true });
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await goTo();
      const link = page.getByRole('link', { name: /^View change/ }).nth(12);
      await link.focus();
      await view.evaluate((each) => each.scrollTo(0, 500));
      await link.press('Enter');
      await close.waitFor();
      // On a narrow screen, the change covers the list.
      const isInside = () => page.evaluate(() => document.activeElement?.closest('.peek') !== null);
      await expect.poll(isInside).toBe(width === 390);
      await close.press('Enter');
      await close.waitFor({ state: 'detached' });
      await expect.poll(() => link.evaluate((each) => each === document.activeElement)).toBe(true);
      const before = await top();
      expect(before).toBeGreaterThan(0);
      await page.getByRole('link', { name: 'Older' }).click();
      await page.getByRole('link', { name: 'Newest' }).waitFor();
      await expect.poll(top).toBe(0);
      await page.goBack();
      await page.getByRole('link', { name: 'Newest' }).waitFor({ state: 'detached' });
      await expect.poll(top).toBeGreaterThanOrEqual(before);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('shows the history of a deleted resource', async () => {
    const made = `name: "short-lived", labels: [{ key: "team.of", value: "night" }]`;
    await change(
      `createVolume(input: { ${inWorkspace}, metadata: { ${made} }, spec: { sizeMb: 2048, region: "eu-frankfurt-1" } })`,
    );
    await change(`deleteVolume(input: { ${inWorkspace}, name: "short-lived" })`);
    await page.goto(`${opened.origin}/w/${mainWorkspace}/volumes/short-lived`);
    await page.getByText('Volume “short-lived” not found').waitFor();
    await page.getByRole('link', { name: 'its activity' }).click();
    await rows().first().waitFor();
    await settled(page);
    expect(await rows().count()).toBeGreaterThanOrEqual(2);
    await page.getByRole('link', { name: /^View change: deleted short-lived/ }).click();
    const panel = page.getByRole('article', { name: 'Change' });
    await panel
      .getByText(/^(Deleted resource|Last known state)/)
      .first()
      .waitFor();
    await panel.getByText('sizeMb: 2048').waitFor();
    await panel.getByText('team.of').waitFor();
    expect(await panel.getByRole('link', { name: /^View (?!its activity|activity)/ }).count()).toBe(0);
  });

  it('can be filtered by kind, name, action, actor and time with menus only', async () => {
    await goTo();
    await settled(page);
    await page.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Volumes' }).click();
    await page.getByRole('combobox', { name: 'Action' }).click();
    await page.getByRole('option', { name: 'Deleted', exact: true }).click();
    await page.getByRole('combobox', { name: 'Name: Any name' }).click();
    await page.getByPlaceholder('Exact name').fill('short');
    await page.getByRole('option', { name: 'short-lived' }).click();
    await page.getByRole('combobox', { name: 'Actor: Any actor' }).click();
    await page.getByRole('option', { name: demoOwner }).click();
    await page.getByRole('combobox', { name: 'Date range', exact: true }).click();
    await page.getByRole('option', { name: 'Last hour' }).click();
    await page.getByText('1 change', { exact: true }).waitFor();
    expect(Object.fromEntries(address())).toEqual({
      kind: 'volume',
      action: 'deleted',
      name: 'short-lived',
      actor: demoOwner,
      from: new Date(frozenNow.getTime() - 3_600_000).toISOString(),
    });
    await page.getByRole('combobox', { name: 'Date range', exact: true }).click();
    await page.getByRole('option', { name: 'Custom range' }).click();
    await page.getByLabel('End date').fill('2026-11-19');
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByText('No matching activity').waitFor();
    // Lisbon's days: those of the viewer.
    expect(address().get('to')).toBe('2026-11-20T00:00:00.000Z');
    await page.reload();
    await page.getByText('No matching activity').waitFor();
  });

  it('loads a change once the connection is back, and leads from an old page to the newest', async () => {
    const other = await opened.visit.context.newPage();
    let isAway = true;
    await other.route('**/graphql', async (route) => {
      const isAsked = /^ChangesAt$/.test(route.request().postDataJSON().operationName);
      if (isAway && isAsked) await route.abort('connectionrefused');
      else await route.continue();
    });
    await other.goto(`${opened.origin}/w/${mainWorkspace}/activity?change=nonsense&at=2026-11-20T11%3A00%3A00.000Z`);
    await other.getByText('This view loads when the connection is back.').waitFor();
    isAway = false;
    await other.getByText('Change not found').waitFor();
    await other.goto(`${opened.origin}/w/${mainWorkspace}/activity?before=too-old`);
    await other.getByRole('alert').getByRole('link', { name: 'Newest' }).click();
    await other.getByRole('main').getByRole('listitem').first().waitFor();
    expect(new URL(other.url()).search).toBe('');
    await other.close();
    opened.visit.problems.splice(0);
  });

  it('shows an error for a link to an unknown change', async () => {
    await goTo({ change: 'nonsense', at: '2026-11-20T11:00:00.000Z' });
    await page.getByText('Change not found').waitFor();
    await rows().first().waitFor();
    expect(await rows().count()).toBeGreaterThan(0);
  });

  it('names the person who asked for a deletion that an executor carried out', async () => {
    const executor = await anExecutor(running.app, 'storage', { kinds: ['VOLUME'] });
    const work = async (state: string) => {
      const { assignments } = await executor.claim();
      expect(assignments).toHaveLength(1);
      await executor.report(assignments[0], { state });
    };
    await change(`createVolume(input: { ${inWorkspace}, metadata: { name: "carried-out" },
      spec: { region: "eu-frankfurt-1", sizeMb: 2048 } })`);
    await work('DEPLOYED');
    await change(`deleteVolume(input: { ${inWorkspace}, name: "carried-out" })`);
    await work('TERMINATED');
    await goTo({ kind: 'volume', action: 'deleted', name: 'carried-out' });
    await rows().first().getByText(`${demoOwner} via storage`).waitFor();
    expect(await rows().count()).toBe(1);
    await running.app.services.db.executor.delete({ where: { id: executor.id } });
  });
});
