// What a role allows is offered, and nothing else: a viewer, a user without an account, and an unknown workspace.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { setPassword } from '../set-password.js';
import { mainWorkspace } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { encodeGlobalId } from '../../src/api/graphql/global-id.js';
import { frozenNow, useApp } from '../harness.js';
import { freePort, hasBrowser, openContext, settled, signInByPassword, useConsole } from './browser.js';
import type { Visit } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });
const account = 'meridian-freight';
const password = 'a password that is long enough';

describe.skipIf(!hasBrowser)('Roles in a browser', () => {
  const opened = useConsole(running, port);
  let visit: Visit;
  let page: Page;

  beforeAll(async () => {
    const { db } = running.app.services;
    const user = await db.principal.create({ data: { kind: 'user', name: 'reader@meridian.example.com' } });
    await db.accountMember.create({ data: { accountId: idOf(account), principalId: user.id, role: 'viewer' } });
    await db.workspaceMember.create({
      data: { workspaceId: idOf(mainWorkspace), principalId: user.id, role: 'viewer' },
    });
    await db.principal.create({ data: { kind: 'user', name: 'nowhere@example.com' } });
    for (const name of [user.name, 'nowhere@example.com']) await setPassword(db, name, password, frozenNow);
    visit = await openContext(opened.browser, origin);
    page = await signInByPassword(visit.context, origin, user.name, password, `/w/${mainWorkspace}`);
  });

  afterAll(async () => {
    await visit?.context.close();
  });

  it('offers a viewer no action that the role does not allow, and says why', async () => {
    const { db } = running.app.services;
    const where = { workspaceId: idOf(mainWorkspace) };
    const [agent, sandbox, network, image, execution] = await Promise.all([
      db.agent.findFirstOrThrow({ where }),
      db.sandbox.findFirstOrThrow({ where: { ...where, previews: { some: {} } } }),
      db.vpc.findFirstOrThrow({ where }),
      db.image.findFirstOrThrow({ where }),
      db.jobExecution.findFirstOrThrow({ where: { job: where, status: 'failed' }, include: { job: true } }),
    ]);
    const pages = [
      'agents',
      'jobs',
      `agents/${agent.name}`,
      `agents/${agent.name}/activity`,
      `agents/${agent.name}/yaml`,
      `sandboxes/${sandbox.name}`,
      `networks/${network.name}`,
      `jobs/${execution.job.name}`,
      `jobs/${execution.job.name}/executions/${execution.id}`,
      `images/${image.resourceType.toLowerCase()}/${image.name}`,
    ];
    const forbidden =
      /^(Create|Edit|Disable|Enable|Run job|Re-run|Cancel|Roll back|Restore|Duplicate|Delete|Share|Actions of|More actions)\b/;
    for (const path of pages) {
      await page.goto(`${origin}/w/${mainWorkspace}/${path}`);
      await settled(page);
      const offered = await page.getByRole('main').getByRole('button', { name: forbidden }).allInnerTexts();
      expect({ path, offered }).toEqual({ path, offered: [] });
      if (!/activity|yaml|images/.test(path))
        await page
          .getByText(/^View only: your role is viewer/)
          .first()
          .waitFor();
    }
    await page.goto(`${origin}/w/${mainWorkspace}/agents?new=true`);
    await settled(page);
    await page.getByRole('main').locator('h1').press('c');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('offers a viewer of the account no change of it', async () => {
    const forbidden =
      /^(Create|New|Add|Edit|Change|Invite|Remove|Revoke|Rotate|Delete|Require|Raise|Void|Amend|Pause)\b/;
    const pages = [
      ...['usage', 'quotas', 'budgets', 'access', 'clients'].map((page) => `/a/${account}/${page}`),
      ...['single-sign-on', 'settings', 'members', 'webhooks', 'workspaces'].map((page) => `/a/${account}/${page}`),
      '/platform',
    ];
    for (const path of pages) {
      await page.goto(origin + path);
      await settled(page);
      const offered = await page.getByRole('main').getByRole('button', { name: forbidden }).allInnerTexts();
      const alerts = await page.getByRole('alert').allInnerTexts();
      expect({ path, offered, alerts }).toEqual({ path, offered: [], alerts: [] });
    }
  });

  it('offers what a role allows that changes while the console is open, and keeps an open form', async () => {
    const { db } = running.app.services;
    const where = { workspaceId: idOf(mainWorkspace) };
    const { name } = await db.agent.findFirstOrThrow({ where: { ...where, status: 'DEPLOYED' } });
    const setRole = async (role: 'member' | 'viewer') =>
      db.workspaceMember.updateMany({
        where: { ...where, principal: { name: 'reader@meridian.example.com' } },
        data: { role },
      });
    /** Processes remember for a moment what a token may do. */
    const becomesVisible = async (shown: Locator) => {
      await expect
        .poll(async () => {
          await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
          return shown.isVisible();
        })
        .toBe(true);
    };
    await page.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    await page.getByText('View only: your role is viewer.').waitFor();
    await setRole('member');
    const edit = page.getByRole('button', { name: 'Edit', exact: true });
    await becomesVisible(edit);
    await edit.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Display name').fill('Typed as a member');
    await setRole('viewer');
    await expect
      .poll(async () => {
        await dialog.getByRole('button', { name: 'Validate' }).click();
        return dialog.getByRole('alert').allInnerTexts();
      })
      .toEqual([`Your role in the workspace ${mainWorkspace} is viewer, which cannot make changes.`]);
    expect(await dialog.getByLabel('Display name').inputValue()).toBe('Typed as a member');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('View only: your role is viewer.').waitFor();
    expect(await edit.count()).toBe(0);
  });

  it('says in an open form that the user is no longer a member of the account', async () => {
    const { db } = running.app.services;
    const user = await db.principal.create({ data: { kind: 'user', name: 'leaver@meridian.example.com' } });
    const membership = { accountId: idOf(account), principalId: user.id };
    await db.accountMember.create({ data: { ...membership, role: 'admin' } });
    await setPassword(db, user.name, password, frozenNow);
    const leaving = await openContext(opened.browser, origin);
    const tab = await signInByPassword(leaving.context, origin, user.name, password, `/a/${account}/workspaces`);
    await tab.getByRole('button', { name: 'Create workspace' }).click();
    const dialog = tab.getByRole('dialog');
    await dialog.getByLabel(/^Name required/).fill('typed-as-an-admin');
    await db.accountMember.deleteMany({ where: membership });
    // Processes remember for a moment what a token may do.
    await expect
      .poll(async () => {
        await dialog.getByRole('button', { name: 'Validate' }).click({ force: true });
        return dialog.getByText('Your access to this account has ended. Your entries are still here').count();
      })
      .toBe(1);
    expect(await dialog.getByLabel(/^Name required/).inputValue()).toBe('typed-as-an-admin');
    await leaving.context.close();
  });

  it('does not call a list empty that a viewer may not see', async () => {
    const { db } = running.app.services;
    expect(await db.webhook.count({ where: { accountId: idOf(account) } })).toBeGreaterThan(0);
    for (const [path, many] of [
      ['webhooks', 'webhooks'],
      ['access', 'API keys'],
      ['clients', 'OAuth clients'],
    ] as const) {
      await page.goto(`${origin}/a/${account}/${path}`);
      await page.getByRole('heading', { name: `No ${many} that you can see` }).waitFor();
      await page.getByText(`Only account admins see all ${many} of the account.`).waitFor();
      expect(await page.getByRole('button', { name: /^Create/ }).count()).toBe(0);
    }
    expect(visit.problems).toEqual([]);
  });

  it('does not call a webhook missing that a viewer may not see', async () => {
    const { db } = running.app.services;
    const { id } = await db.webhook.findFirstOrThrow({ where: { accountId: idOf(account) } });
    await page.goto(`${origin}/a/${account}/webhooks/${encodeGlobalId('Webhook', id)}`);
    await page.getByRole('heading', { name: 'Only admins can view webhooks' }).waitFor();
    expect(visit.problems).toEqual([]);
  });

  it('does not ask again for what a viewer may not see', async () => {
    const { db } = running.app.services;
    const { id } = await db.webhook.findFirstOrThrow({ where: { accountId: idOf(account) } });
    const asked: unknown[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') asked.push(request.postDataJSON()?.operationName);
    });
    const heading = (name: string) => page.getByRole('heading', { name });
    for (const [path, shown] of [
      [`/w/${mainWorkspace}`, page.locator('main h1')],
      [`/a/${account}/webhooks`, heading('No webhooks that you can see')],
      [`/a/${account}/webhooks/${encodeGlobalId('Webhook', id)}`, heading('Only admins can view webhooks')],
    ] as const) {
      await page.goto(`${origin}${path}`);
      await settled(page);
      await shown.waitFor();
      asked.splice(0);
      const viewer = page.waitForResponse((each) => each.request().postDataJSON()?.operationName === 'Viewer');
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      await viewer;
      expect(asked.filter((operation) => /Webhook|Budget/.test(String(operation)))).toEqual([]);
    }
    page.removeAllListeners('request');
    expect(visit.problems).toEqual([]);
  });

  it('leads from an unknown workspace to a known one', async () => {
    await page.goto(`${origin}/w/nothing-is-called-so/agents`);
    await page.getByRole('heading', { name: 'Workspace not found' }).waitFor();
    await page.getByRole('combobox', { name: 'Workspace Choose a workspace' }).click();
    await page.getByRole('option', { name: mainWorkspace }).click();
    await expect.poll(() => page.url()).toBe(`${origin}/w/${mainWorkspace}`);
  });

  it('leads to a workspace although the workspaces were unknown when the page was opened', async () => {
    const { context } = visit;
    const other = await context.newPage();
    let isAway = true;
    await other.route('**/graphql', async (route) => {
      if (isAway) await route.abort('connectionrefused');
      else await route.continue();
    });
    await other.goto(`${origin}/`);
    await other.getByText('This view loads when the connection is back.').waitFor();
    isAway = false;
    await other.waitForURL(`${origin}/w/*`);
    await other.getByRole('heading', { name: 'Needs attention' }).waitFor();
    expect(await other.getByText('No workspaces yet').count()).toBe(0);
    await other.close();
    visit.problems.splice(0);
  });

  it('shows a page for an address with a broken encoding', async () => {
    await page.goto(`${origin}/w/%E0%A4%A`);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(await page.getByRole('main').getByRole('heading').first().innerText()).toMatch(/not found/);
  });

  it('tells a user without an account why, and where invitations are', async () => {
    const stranger = await openContext(opened.browser, origin);
    const theirs = await stranger.context.newPage();
    await theirs.goto(origin);
    await theirs.getByLabel('Email address').fill('nowhere@example.com');
    await theirs.getByLabel('Password').fill(password);
    await theirs.getByRole('button', { name: 'Sign in', exact: true }).click();
    await theirs.getByRole('heading', { name: 'No access yet' }).waitFor();
    await theirs.getByText('The user is not a member of any account.').waitFor();
    expect(await theirs.getByRole('button', { name: 'Sign in' }).count()).toBe(0);
    await theirs.getByRole('link', { name: 'Invitations and sign-out' }).click();
    await theirs.getByRole('button', { name: 'Sign out' }).waitFor();
    await stranger.context.close();
  });
});
