// Tasks that nobody named in the console: each is done from the overview, by mouse and by keyboard alone, without a dead end
// and in at most ten steps.
import type { Locator, Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { demoOwner, mainWorkspace, researchLead } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { createKey, frozenNow, graphql, useApp } from '../harness.js';
import { freePort, hasBrowser, settled, useConsole } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin, PLATFORM_ACCOUNT: 'meridian-freight' });
const account = 'meridian-freight';
const stepsMax = 10;
const tabsMax = 150;

describe.skipIf(!hasBrowser)('A task in the console', () => {
  const opened = useConsole(running, port);
  let page: Page;
  let steps = 0;

  beforeAll(() => {
    ({ page } = opened);
  });

  beforeEach(async () => {
    steps = 0;
    // Where nothing is highlighted by the pointer of the test before.
    await page.mouse.move(0, 0);
    await page.goto(`${origin}/w/${mainWorkspace}`);
    await settled(page);
  });

  /** Activates a control with the mouse. */
  async function click(control: Locator): Promise<void> {
    steps += 1;
    await control.click();
  }

  /** Activates a control with the keyboard alone: Tab until it has the focus, then Enter. */
  async function press(control: Locator): Promise<void> {
    steps += 1;
    await control.waitFor();
    const isFocused = async () => control.evaluate((element) => element === document.activeElement);
    for (let tabs = 0; !(await isFocused()); tabs++) {
      if (tabs > tabsMax) throw new Error(`${String(control)} cannot be reached with Tab`);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
  }

  /** Chooses an open menu's or select's item, by the arrow keys alone if by keyboard. */
  async function chooseByKeys(item: Locator): Promise<void> {
    steps += 1;
    const isHighlighted = async () => item.evaluate((element) => element.hasAttribute('data-highlighted'));
    for (let moves = 0; !(await isHighlighted()); moves++) {
      if (moves > tabsMax) throw new Error(`${String(item)} cannot be reached with the arrow keys`);
      await page.keyboard.press('ArrowDown');
      // The highlight moves with the next frame.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    }
    await page.keyboard.press('Enter');
  }

  /** A view by its keys, such as g and q. */
  async function go(key: string): Promise<void> {
    steps += 1;
    await page.keyboard.press('g');
    await page.keyboard.press(key);
  }

  const rail = (name: string) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });

  for (const by of ['mouse', 'keyboard'] as const) {
    const act = by === 'mouse' ? click : press;
    const choose = by === 'mouse' ? click : chooseByKeys;
    const open = async (name: string, key: string) => (by === 'mouse' ? click(rail(name)) : go(key));

    it(`an agent failed after an update: what changed, who did it, and back (${by})`, async () => {
      const { db } = running.app.services;
      const trouble = page.getByRole('region', { name: 'Needs attention' });
      const link = trouble.locator('a[href*="/agents/"]').first();
      const name = await link.innerText();
      const { id, spec: failed } = await db.agent.findFirstOrThrow({
        where: { workspaceId: idOf(mainWorkspace), name },
      });
      await act(link);
      const cause = page.locator('.failure-cause');
      await cause.getByText(/^Last change: .+ by \S+, /).waitFor();
      await act(cause.getByRole('button', { name: /^Roll back/ }));
      const dialog = page.getByRole('dialog', { name: `Roll back ${name}?` });
      await act(dialog.getByRole('button', { name: 'Roll back' }));
      await dialog.waitFor({ state: 'detached' });
      const now = await db.agent.findFirstOrThrow({ where: { id } });
      expect(now.spec).not.toEqual(failed);
      expect(steps).toBeLessThanOrEqual(stepsMax);
    });

    it(`a CI system deploys to staging alone, for 30 days, from one range (${by})`, async () => {
      const name = `ci-by-${by}`;
      await open('API keys', 'k');
      await act(page.getByRole('button', { name: 'Create API key' }));
      const dialog = page.getByRole('dialog', { name: 'Create API key' });
      await dialog.getByLabel('Name', { exact: true }).fill(name);
      await act(dialog.getByRole('button', { name: 'Deploy agents' }));
      await act(dialog.getByRole('combobox', { name: 'Workspace' }));
      const staging = page.getByRole('option', { name: 'meridian-staging' });
      await choose(staging);
      await dialog.getByRole('combobox', { name: 'Workspace' }).getByText('meridian-staging').waitFor();
      await dialog.getByLabel('Allowed addresses').fill('203.0.113.0/24');
      await act(dialog.getByRole('button', { name: '30 days' }));
      await act(dialog.getByRole('button', { name: 'Create API key' }));
      await page.getByText(/wcp_\w{20,}/).waitFor();
      const key = await running.app.services.db.apiKey.findFirstOrThrow({
        where: { name },
        include: { workspace: true },
      });
      expect(key.scope.split(' ').toSorted()).toEqual(['agents:create', 'agents:get', 'agents:list', 'agents:update']);
      expect(key).toMatchObject({ addressRanges: ['203.0.113.0/24'], workspace: { name: 'meridian-staging' } });
      const days = ((key.expiresAt?.getTime() ?? 0) - frozenNow.getTime()) / 86_400_000;
      expect(Math.floor(days)).toBe(30);
      expect(steps).toBeLessThanOrEqual(stepsMax);
    });

    it(`a quota is nearly reached: which, by whom, and raised (${by})`, async () => {
      await open('Quotas', 'q');
      await settled(page);
      await page
        .locator('tbody tr')
        .first()
        .getByText(/^\d+%$/)
        .waitFor();
      await page
        .getByRole('cell', { name: /^Production \d+$/ })
        .first()
        .waitFor();
      const raise = page.getByRole('button', { name: 'Raise the limit of agents of meridian-research' });
      await act(raise);
      const dialog = page.getByRole('dialog', { name: 'Limit of agents of meridian-research' });
      const limit = by === 'mouse' ? 15 : 16;
      await dialog.getByLabel('Agents').fill(String(limit));
      await act(dialog.getByRole('button', { name: 'Set limit' }));
      await page
        .getByRole('row')
        .filter({ hasText: 'Applied research' })
        .getByText(new RegExp(` of ${limit}$`))
        .first()
        .waitFor();
      expect(steps).toBeLessThanOrEqual(stepsMax);
    });

    it(`an admin of the platform raises the limit of an account (${by})`, async () => {
      await open('Quotas', 'q');
      await act(page.getByRole('button', { name: 'Raise the limit of sandboxes of account', exact: true }));
      const dialog = page.getByRole('dialog', { name: 'Limit of sandboxes of account' });
      const limit = by === 'mouse' ? 211 : 212;
      await dialog.getByLabel('Sandboxes').fill(String(limit));
      await act(dialog.getByRole('button', { name: 'Set limit' }));
      await page
        .getByRole('row')
        .filter({ hasText: 'Account' })
        .getByText(new RegExp(` of ${limit}$`))
        .waitFor();
      expect(steps).toBeLessThanOrEqual(stepsMax);
    });

    it(`which team costs most this month, and why its cost rose (${by})`, async () => {
      const { key } = await createKey(running.app, { accountId: idOf(account), principalId: idOf(demoOwner) });
      const { body } = await graphql(
        running.app,
        key,
        `
          {
            viewer {
              accounts {
                metrics(
                  startTime: "2026-11-01T00:00:00Z"
                  endTime: "2026-12-01T00:00:00Z"
                  groupByLabels: ["team"]
                  orderBy: { field: COST, direction: DESC }
                ) {
                  entries(first: 1) {
                    nodes {
                      labels {
                        value
                      }
                    }
                  }
                }
              }
            }
          }
        `,
      );
      const team: string = body.data.viewer.accounts[0].metrics.entries.nodes[0].labels[0].value;
      await open('Costs', 'c');
      await settled(page);
      await act(page.getByRole('combobox', { name: /^Date range/ }));
      await choose(page.getByRole('option', { name: 'This month' }));
      await act(page.getByRole('combobox', { name: 'Group by' }));
      await choose(page.getByRole('option', { name: 'team' }));
      await choose(page.getByRole('option', { name: 'Resource type' }));
      await page.keyboard.press('Escape');
      await page.getByRole('columnheader', { name: 'team' }).waitFor();
      const rows = page.getByRole('region', { name: 'Costs by group' }).locator('tbody tr');
      await act(rows.first().getByRole('button', { name: team, exact: true }));
      // The resources of the team, those whose cost rose, and what changed.
      await page.getByRole('columnheader', { name: 'Resource', exact: true }).waitFor();
      await page.getByLabel('Largest changes').getByText('Increased').waitFor();
      const changes = page.getByRole('region', { name: 'Changes of these resources' });
      await act(changes.getByRole('link', { name: /^View change: updated/ }).first());
      await page.getByRole('article', { name: 'Change' }).getByRole('group', { name: 'Difference' }).first().waitFor();
      expect(steps).toBeLessThanOrEqual(stepsMax);
    });

    it(`a colleague left: what they created, and all access ends (${by})`, async () => {
      const { db } = running.app.services;
      const principalId = idOf(researchLead);
      await createKey(running.app, { accountId: idOf(account), principalId });
      await db.accountMember.upsert({
        where: { accountId_principalId: { accountId: idOf(account), principalId } },
        create: { accountId: idOf(account), principalId, role: 'member' },
        update: {},
      });
      const where = { createdBy: researchLead, workspace: { accountId: idOf(account) } };
      const created =
        (await db.agent.count({ where })) +
        (await db.sandbox.count({ where })) +
        (await db.job.count({ where })) +
        (await db.volume.count({ where })) +
        (await db.vpc.count({ where }));
      await open('Members', 'm');
      const row = page.getByRole('row').filter({ hasText: researchLead });
      await act(row.getByRole('link').first());
      await page.getByRole('region', { name: `Created resources (${created})` }).waitFor();
      await act(page.getByRole('button', { name: 'Remove…' }));
      const question = page.getByRole('alertdialog');
      await question.getByRole('list', { name: 'What ends' }).getByText('1 API key', { exact: true }).waitFor();
      await act(question.getByRole('button', { name: 'Remove' }));
      await page.waitForURL(`${origin}/a/${account}/members`);
      expect(await db.accountMember.count({ where: { accountId: idOf(account), principalId } })).toBe(0);
      expect(await db.workspaceMember.count({ where: { workspace: { accountId: idOf(account) }, principalId } })).toBe(
        0,
      );
      expect(await db.apiKey.count({ where: { accountId: idOf(account), principalId, revokedAt: null } })).toBe(0);
      expect(steps).toBeLessThanOrEqual(stepsMax);
    });
  }
});
