// Workspaces, parts of resources, and the user's own access, managed in a real browser.
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { demoOwner, mainWorkspace } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { createGateway } from '../../src/server/server.js';
import { readConsoleDocuments } from '../../src/server/trusted-documents.js';
import { createKey, frozenNow, graphql, useApp } from '../harness.js';
import {
  freePort,
  hasBrowser,
  openContext,
  settled,
  signInByClick,
  stopServing,
  useConsole,
  violations,
} from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });
const account = 'meridian-freight';

describe.skipIf(!hasBrowser)('Administration in a browser', () => {
  const tested = useConsole(running, port);

  it('creates a workspace with only a name, and opens it', async () => {
    const { page } = tested;
    await page.evaluate(() => localStorage.clear());
    await page.goto(`${origin}/a/${account}/workspaces`);
    await page.getByRole('button', { name: 'Create workspace' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create workspace' });
    await dialog.getByLabel(/^Name/).fill(mainWorkspace);
    await dialog.getByRole('button', { name: 'Create workspace' }).click();
    await dialog
      .getByText(/taken|already/i)
      .first()
      .waitFor();
    await dialog.getByLabel(/^Name/).fill('made-by-form');
    await dialog.getByRole('button', { name: 'Create workspace' }).click();
    await page.waitForURL(/\/w\/made-by-form$/);
    await page.getByRole('complementary', { name: 'Navigation' }).getByText('made-by-form').waitFor();
    expect(await running.app.services.db.workspace.count({ where: { name: 'made-by-form' } })).toBe(1);
  });

  it('changes the display name of a workspace', async () => {
    const { page } = tested;
    await page.goto(`${origin}/a/${account}/workspaces`);
    await page.getByRole('button', { name: 'Actions of workspace made-by-form' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Display name').fill('Trials');
    await dialog.getByRole('row', { name: /metadata\.displayName.*Trials/ }).waitFor();
    await dialog.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByRole('table').getByRole('link', { name: 'Trials' }).waitFor();
    const { db } = running.app.services;
    expect(await db.workspace.findUnique({ where: { name: 'made-by-form' } })).toMatchObject({ displayName: 'Trials' });
  });

  it('deletes a workspace after it lists the counted resources and asks for the name', async () => {
    const { page } = tested;
    const { db } = running.app.services;
    const { id } = await db.workspace.findUniqueOrThrow({ where: { name: 'made-by-form' } });
    await page.goto(`${origin}/w/made-by-form/agents?new=true`);
    const making = page.getByRole('dialog', { name: 'Create agent' });
    await making.getByRole('textbox', { name: 'Name required' }).fill('kept-there');
    await making.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('heading', { name: 'kept-there' }).waitFor();
    await page.goto(`${origin}/a/${account}/workspaces`);
    await page.getByRole('button', { name: 'Actions of workspace made-by-form' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const asked = page.getByRole('alertdialog');
    await asked.getByText('1 agent', { exact: true }).waitFor();
    const go = asked.getByRole('button', { name: 'Delete workspace' });
    expect(await go.isDisabled()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await asked.getByRole('textbox').fill('made-by-form');
    const sent: unknown[] = [];
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/graphql', async (route) => {
      const { operationName, variables } = route.request().postDataJSON();
      if (operationName === 'DeleteWorkspace') {
        sent.push(variables);
        await answered;
      }
      await route.continue();
    });
    // Pressed twice, it is sent once.
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await expect.poll(() => sent.length).toBe(1);
    expect(await go.isDisabled()).toBe(true);
    answer();
    // Behind a dialog the table is hidden from roles, whatever its content.
    await asked.waitFor({ state: 'detached' });
    await page.getByRole('table').getByText('made-by-form').waitFor({ state: 'detached' });
    await expect.poll(() => db.workspace.count({ where: { id } })).toBe(0);
    expect(sent).toHaveLength(1);
    await page.unroute('**/graphql');
    expect(await db.agent.count({ where: { workspaceId: id } })).toBe(0);
  });

  it('edits a preview, a gateway and its address in place', async () => {
    const { page } = tested;
    const { db } = running.app.services;
    const within = { workspaceId: idOf(mainWorkspace) };
    const preview = await db.sandboxPreview.findFirstOrThrow({ where: within, include: { sandbox: true } });
    await page.goto(`${origin}/w/${mainWorkspace}/sandboxes/${preview.sandbox.name}`);
    await settled(page);
    await page.getByRole('button', { name: `Actions of preview ${preview.name}` }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Port').fill('70000');
    await dialog.getByLabel('Display name').focus();
    await dialog.getByText(/65535/).first().waitFor();
    await dialog.getByLabel('Port').fill('4321');
    await dialog.getByRole('button', { name: 'Save 1 change' }).click();
    await page
      .getByRole('region', { name: /^Previews/ })
      .getByRole('cell', { name: '4321' })
      .waitFor();
    // Headers that are discarded for another user's version are not shown anymore.
    await page.getByRole('button', { name: `Actions of preview ${preview.name}` }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    const headers = dialog.getByLabel('Request headers');
    await dialog.locator('details').evaluate((advanced) => advanced.setAttribute('open', ''));
    const before = await headers.inputValue();
    await headers.fill('X-Env: mine');
    const theirs = { displayName: 'Theirs', version: { increment: 1 } };
    await db.sandboxPreview.update({ where: { id: preview.id }, data: theirs });
    await dialog.getByLabel('Display name').focus();
    await dialog.getByLabel('Port').focus();
    await dialog.getByRole('button', { name: 'Discard my changes' }).click();
    await expect.poll(() => dialog.getByLabel('Display name').inputValue()).toBe('Theirs');
    expect(await headers.inputValue()).toBe(before);
    // The rule of one header is beside the field of all headers.
    await headers.fill('"X Env": mine');
    await dialog.getByLabel('Port').focus();
    await dialog.getByText(/^X Env: /).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    const ip = await db.egressIp.findFirstOrThrow({
      where: within,
      include: { gateway: { include: { vpc: true } } },
    });
    await page.goto(`${origin}/w/${mainWorkspace}/networks/${ip.gateway.vpc.name}`);
    for (const name of [`egress gateway ${ip.gateway.name}`, `egress IP ${ip.name}`]) {
      await page
        .getByRole('button', { name: `Actions of ${name}` })
        .first()
        .click();
      await page.getByRole('menuitem', { name: 'Edit…' }).click();
      await dialog.getByLabel('Display name').fill('Customs, outbound');
      await dialog.getByRole('button', { name: 'Save 1 change' }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    await page.getByText('Customs, outbound').nth(1).waitFor();
    expect(await db.egressIp.findUniqueOrThrow({ where: { id: ip.id } })).toMatchObject({
      displayName: 'Customs, outbound',
    });
  });

  it('keeps what was typed when another user deletes the preview, the gateway or the webhook', async () => {
    const { page } = tested;
    const { db } = running.app.services;
    const within = { workspaceId: idOf(mainWorkspace) };
    const preview = await db.sandboxPreview.findFirstOrThrow({ where: within, include: { sandbox: true } });
    const gateway = await db.egressGateway.findFirstOrThrow({ where: within, include: { vpc: true } });
    const { key } = await createKey(running.app, { accountId: idOf(account), principalId: idOf(demoOwner) });
    const { body } = await graphql(
      running.app,
      key,
      `
        mutation {
          made: createWebhook(input: { name: "short-lived", url: "https://hooks.example.com/a" }) {
            ... on CreateWebhookPayload {
              webhook {
                id
              }
            }
          }
        }
      `,
    );
    const { id } = body.data.made.webhook;
    const menu = (name: string) => async () => {
      // By keyboard: the button can still move between pressing and releasing the mouse, which closes the menu again.
      await page.getByRole('button', { name: `Actions of ${name}` }).press('Enter');
      await page.getByRole('menuitem', { name: 'Edit…' }).click();
    };
    for (const { path, open, field, remove } of [
      {
        path: `/w/${mainWorkspace}/sandboxes/${preview.sandbox.name}`,
        open: menu(`preview ${preview.name}`),
        field: /^Display name/,
        remove: () => db.sandboxPreview.delete({ where: { id: preview.id } }),
      },
      {
        path: `/w/${mainWorkspace}/networks/${gateway.vpc.name}`,
        open: menu(`egress gateway ${gateway.name}`),
        field: /^Display name/,
        remove: () => db.egressGateway.delete({ where: { id: gateway.id } }),
      },
      {
        path: `/a/${account}/webhooks/${id}`,
        open: () => page.getByRole('button', { name: 'Edit', exact: true }).click(),
        field: /^Name/,
        remove: () => graphql(running.app, key, `mutation { deleteWebhook(input: { id: "${id}" }) { __typename } }`),
      },
    ]) {
      await page.goto(`${origin}${path}`);
      await settled(page);
      await open();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: field }).fill('Typed for a long time');
      await remove();
      // The page would read the object again now.
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      await dialog.getByRole('button', { name: /^Save/ }).click();
      await dialog.getByRole('alert').waitFor();
      expect(await dialog.getByRole('textbox', { name: field }).inputValue()).toBe('Typed for a long time');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      const gone = page.waitForResponse('**/graphql');
      await page.getByRole('button', { name: 'Discard' }).click();
      await dialog.waitFor({ state: 'detached' });
      await gone;
    }
    await page.getByText('Webhook not found').waitFor();
  });

  it('renames the account everywhere immediately', async () => {
    const { page } = tested;
    const { db } = running.app.services;
    await page.goto(`${origin}/a/${account}/settings`);
    await page.getByRole('button', { name: 'Rename…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Display name/).fill('Meridian "M&F", Ltd <b>');
    // Another admin renames it while the dialog is open.
    const renamed = { displayName: 'Meridian Sea', version: { increment: 1 } };
    await db.account.update({ where: { name: account }, data: renamed });
    await dialog.getByRole('button', { name: 'Rename account' }).click();
    await dialog.getByRole('cell', { name: 'Meridian Sea' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Apply my changes on top' }).click();
    await dialog.getByRole('button', { name: 'Rename account' }).click();
    await page.getByRole('main').getByText('Meridian "M&F", Ltd <b>').waitFor();
    await page.getByRole('complementary', { name: 'Navigation' }).getByText('Meridian "M&F", Ltd <b>').waitFor();
    const { displayName, name } = await db.account.findUniqueOrThrow({ where: { name: account } });
    expect({ displayName, name }).toEqual({ displayName: 'Meridian "M&F", Ltd <b>', name: account });
    await page.getByRole('main').getByRole('link', { name: 'View budgets' }).click();
    await page.waitForURL(new RegExp(`/a/${account}/budgets$`));
  });

  it('revokes the access of an application', async () => {
    const { page } = tested;
    const { db } = running.app.services;
    const { id: principalId } = await db.principal.findFirstOrThrow({ where: { name: demoOwner } });
    const { id: accountId } = await db.account.findUniqueOrThrow({ where: { name: account } });
    const client = { id: 'rate-board', displayName: 'Rate board', grantTypes: [], redirectUris: [], scope: 'admin' };
    await db.oauthClient.create({ data: client });
    const consent = { clientId: client.id, principalId, accountId, scope: 'agents:list', givenAt: frozenNow };
    await db.oauthConsent.create({ data: consent });
    await page.goto(`${origin}/profile`);
    const row = page.getByRole('row').filter({ hasText: 'Rate board' });
    await row.getByText('agents:list').waitFor();
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    await expect.poll(() => db.oauthConsent.count({ where: { clientId: client.id } })).toBe(0);
  });

  it('runs on a gateway that accepts only trusted documents', async () => {
    const { page } = tested;
    const trusted = { areOnlyTrusted: true, trustedDocuments: readConsoleDocuments() };
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('/graphql') && response.status() === 400) refused.push(page.url());
    });
    await tested.restart(async () => {
      const services = { ...running.app.services, ...trusted, examples: { user: demoOwner } };
      const gateway = createGateway(services);
      gateway.server.listen(port, '127.0.0.1');
      await once(gateway.server, 'listening');
      const agents = `/w/${mainWorkspace}/agents`;
      const { name } = await services.db.agent.findFirstOrThrow({ where: { workspaceId: idOf(mainWorkspace) } });
      const places = [`/w/${mainWorkspace}`, agents, `${agents}/${name}`, `/w/${mainWorkspace}/activity`];
      const ofAccount = ['costs', 'budgets', 'access', 'clients', 'members', 'webhooks', 'workspaces', 'settings'].map(
        (each) => `/a/${account}/${each}`,
      );
      for (const path of [...places, ...ofAccount, '/profile', '/platform']) {
        await page.goto(`${origin}${path}`);
        await settled(page);
        expect([path, await page.getByRole('alert').count()]).toEqual([path, 0]);
      }
      // A mutation whose document is generated from the inputs.
      await page.goto(`${origin}${agents}/${name}`);
      await page.getByRole('button', { name: /^(Enable|Disable)$/ }).click();
      await expect.poll(() => services.db.change.count({ where: { name, verb: 'updated' } })).toBeGreaterThan(0);
      const { id: principalId } = await services.db.principal.findFirstOrThrow({ where: { name: demoOwner } });
      const { id: accountId } = await services.db.account.findUniqueOrThrow({ where: { name: account } });
      const { key } = await createKey(running.app, { accountId, principalId });
      const foreign = await fetch(`${origin}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ query: '{ viewer { name credential } }' }),
      });
      expect(await foreign.json()).toMatchObject({ errors: [{ extensions: { code: 'document_not_trusted' } }] });
      await stopServing(gateway);
    });
    expect(refused).toEqual([]);
    // The browser itself also logs that the gateway is unreachable for a moment, on a busy machine only after the restart.
    await page.goto(`${origin}/profile`);
    await settled(page);
    const { problems } = tested.visit;
    problems.splice(0, problems.length, ...problems.filter((each) => !/ERR_/.test(each)));
  });

  it('signs out of this browser, in all of its tabs', async () => {
    const { db } = running.app.services;
    const others = (await db.signInSession.findMany({ select: { id: true } })).map(({ id }) => id);
    const before = others.length;
    const one = await openContext(tested.browser, origin);
    const page = await signInByClick(one.context, origin, `/w/${mainWorkspace}/agents`);
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    const tab = await one.context.newPage();
    await tab.goto(`${origin}/w/${mainWorkspace}/jobs`);
    await tab.getByRole('heading', { name: 'Jobs' }).waitFor();
    expect(await db.signInSession.count()).toBe(before + 1);
    const session = await db.signInSession.findFirstOrThrow({ where: { id: { notIn: others } } });
    await page.locator('button:has(.account-mark)').click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    await tab.getByText('You signed out in another tab.').waitFor();
    await expect.poll(() => db.signInSession.count()).toBe(before);
    const authorizations = { sessionId: session.id, endedAt: null };
    expect(await db.oauthAuthorization.count({ where: authorizations })).toBe(0);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/oauth\/authorize/);
    await one.context.close();
  });

  it('signs out everywhere, also another browser with an open console', async () => {
    const { page } = tested;
    const other = await openContext(tested.browser, origin);
    const open = await signInByClick(other.context, origin, `/w/${mainWorkspace}/agents`);
    await open.getByRole('heading', { name: 'Agents' }).waitFor();
    await page.goto(`${origin}/profile`);
    const sessions = page.getByRole('table', { name: 'Sessions' });
    await sessions.getByRole('row').nth(2).waitFor();
    expect(await sessions.getByText('This browser').count()).toBe(1);
    await page.getByRole('button', { name: 'Sign out everywhere…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('heading', { name: 'Signed out' }).waitFor();
    expect(await running.app.services.db.signInSession.count()).toBe(0);
    // It asks again by itself within seconds, and learns that it may not.
    await open.getByText('Your session has ended.').waitFor();
    await other.context.close();
    // The browser itself also logs a rejected request, and a connection that ends with its session.
    for (const { problems } of [tested.visit, other]) {
      problems.splice(
        0,
        problems.length,
        ...problems.filter((each) => !/401|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/.test(each)),
      );
      expect(problems).toEqual([]);
    }
  });
});
