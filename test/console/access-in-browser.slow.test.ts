// Members, credentials and webhooks, managed in a real browser.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeliveryLoop } from '../../src/webhooks/delivery-loop.js';
import { apiKeyScopes } from '../../src/auth/scopes.js';
import { demoOwner, mainWorkspace } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { startDeliveries } from '../../src/server/deliveries.js';
import { toReceivers } from '../webhooks/sending.js';
import { createKey, frozenNow, graphql, useApp } from '../harness.js';
import { freePort, hasBrowser, useConsole, violations } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin, ...toReceivers });
const account = 'meridian-freight';

describe.skipIf(!hasBrowser)('Access in a browser', () => {
  const tested = useConsole(running, port);
  let deliveries: DeliveryLoop;
  /** The responses of the webhook receiver. */
  let answer = 204;
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(answer).end(answer === 204 ? '' : 'the queue is full');
  });

  beforeAll(async () => {
    await running.app.services.db.webhook.deleteMany();
    deliveries = startDeliveries(running.app.services, running.app.database.changesDb);
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
  });

  afterAll(async () => {
    await deliveries?.stop(0);
    receiver.close();
    receiver.closeAllConnections();
  });

  function receiverAddress(): string {
    const address = receiver.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/hook`;
  }

  it('creates a webhook, with errors beside their fields, and shows its secret once', async () => {
    const { page } = tested;
    await page.goto(`${origin}/a/${account}/webhooks`);
    await page.getByText('No webhooks yet').waitFor();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create webhook' });
    await dialog.getByRole('textbox', { name: /^Name/ }).fill('night shift');
    await dialog.getByRole('textbox', { name: /^URL/ }).fill('http://10.0.0.1/hook');
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
    await dialog.getByText('Must be a public address').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('textbox', { name: /^URL/ }).fill(receiverAddress());
    await dialog.getByRole('button', { name: 'Status changes' }).click();
    await dialog.getByText(/^Sends: agents, .*, status changed\.$/).waitFor();
    await dialog.getByRole('button', { name: 'Everything' }).click();
    await dialog.getByRole('checkbox', { name: 'Agents', exact: true }).check();
    await dialog.getByRole('checkbox', { name: 'Updated', exact: true }).check();
    await dialog.getByText('Sends: agents, updated.').waitFor();
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
    const secret = page.getByRole('dialog', { name: 'Secret for night shift' });
    expect(await secret.locator('code').innerText()).toMatch(/^whsec_/);
    expect(await violations(page)).toEqual([]);
    await secret.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { name: 'night shift' }).waitFor();
    expect(await page.locator('body').innerText()).not.toContain('whsec_');
    const { filter, origin: receiver } = await running.app.services.db.webhook.findFirstOrThrow();
    expect(filter).toEqual({ kinds: ['AGENT'], actions: ['updated'] });
    expect(receiver).toBe(new URL(receiverAddress()).origin);
  });

  it('tests a webhook, shows the response, and delivers it again', async () => {
    const { page } = tested;
    answer = 503;
    await page.getByRole('button', { name: 'Send test' }).click();
    const table = page.getByRole('table');
    await table.getByText('the queue is full').waitFor();
    await table.getByText('503').first().waitFor();
    // Rows and counts are in the same response.
    const states = page.getByRole('list', { name: 'Delivery states' });
    await states.getByRole('link', { name: /1 Failed/ }).waitFor();
    answer = 204;
    await table.getByRole('button', { name: 'Resend' }).click();
    await table.getByText('Delivered', { exact: true }).waitFor();
    expect(await table.getByRole('link', { expanded: true }).innerText()).toContain('resent');
    await states.getByRole('link', { name: /Failed/ }).click();
    await page.waitForURL(/status=failed/);
    await table.getByText('Delivered', { exact: true }).waitFor({ state: 'detached' });
    expect(await table.getByRole('link').count()).toBe(1);
  });

  it('delivers events with their names, and holds them while the webhook is paused', async () => {
    const { page } = tested;
    const { db } = running.app.services;
    const { id } = await db.webhook.findFirstOrThrow();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume…' }).waitFor();
    const other = await tested.visit.context.newPage();
    const { name } = await db.agent.findFirstOrThrow({
      where: { status: 'DEPLOYED', workspace: { name: mainWorkspace } },
    });
    await other.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    await other.getByRole('button', { name: 'Disable' }).click();
    await other.getByRole('button', { name: 'Enable' }).waitFor();
    await other.close();
    expect(await db.webhookDelivery.count({ where: { webhookId: id, reason: 'change' } })).toBe(0);
    await page.getByRole('button', { name: 'Resume…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Send missed changes' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page
      .getByRole('list', { name: 'Delivery states' })
      .getByRole('link', { name: /Failed/ })
      .click();
    const told = page.getByRole('table').getByRole('link', { name });
    await told.first().waitFor();
    await told.first().click();
    await page.getByText('spec.enabled').waitFor();
  });

  it('edits a webhook during a concurrent edit, rotates its secret, and deletes it', async () => {
    const { page } = tested;
    const { db } = running.app.services;
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: /^Name/ }).fill('day shift');
    await dialog.getByLabel('Resource names').fill('triage');
    const other = await tested.visit.context.newPage();
    await other.goto(page.url());
    await other.getByRole('button', { name: 'Edit' }).click();
    await other.getByRole('dialog').getByLabel('Actors').fill('ana@example.com');
    await other.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await other.getByRole('dialog').waitFor({ state: 'detached' });
    await other.close();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Another change was saved since you opened this.').waitFor();
    const sides = dialog.getByRole('region', { name: 'Conflicting changes' });
    await sides.getByRole('row', { name: /^filter\.actors Not set - ana@example\.com Not set$/ }).waitFor();
    await sides.getByRole('row', { name: /^filter\.names Not set Not set - triage$/ }).waitFor();
    await dialog.getByRole('button', { name: 'Apply my changes on top' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'day shift' }).waitFor();
    const { name, filter } = await db.webhook.findFirstOrThrow();
    expect(name).toBe('day shift');
    expect(filter).toMatchObject({ names: ['triage'], actors: ['ana@example.com'] });
    const act = async (action: string) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await act('Rotate secret…');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog', { name: 'Secret for day shift' }).getByRole('button', { name: 'Done' }).click();
    await page.getByText('The previous secret is valid until').waitFor();
    await act('Delete webhook…');
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText('No webhooks yet').waitFor();
    expect(await db.webhook.count()).toBe(0);
  });

  it('creates and revokes a key, although the gateway restarts meanwhile', async () => {
    const { page } = tested;
    const { db } = running.app.services;
    await page.goto(`${origin}/a/${account}/webhooks`);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'Create API key' }).click();
    const creation = page.getByRole('dialog', { name: 'Create API key' });
    await creation.getByLabel('Name').fill('nightly report');
    // Nothing is chosen in advance, and the form lists every scope that it sends.
    expect(await creation.getByRole('checkbox', { checked: true }).count()).toBe(0);
    const single = apiKeyScopes.filter((scope) => scope !== 'admin');
    expect(await creation.getByRole('checkbox').count()).toBe(single.length);
    await creation.getByRole('checkbox', { name: 'Provision users and groups' }).waitFor();
    await creation.getByRole('button', { name: 'Create API key' }).click();
    await creation.getByRole('alert').getByText('Choose at least one permission.').waitFor();
    await creation.getByRole('button', { name: 'Read costs' }).click();
    await creation.getByRole('button', { name: 'Deploy agents' }).click();
    await creation.getByText('4 permissions: agents:create, agents:get, agents:list, agents:update').waitFor();
    expect(await creation.getByRole('checkbox', { checked: true }).count()).toBe(4);
    await creation.getByLabel(/^Allowed addresses/).fill('203.0.113.0/24\n2001:db8::/48');
    // An empty date is not a key that never expires.
    await creation.getByLabel('Expires').fill('');
    await creation.getByText('the key works for the default lifetime of the service').waitFor();
    await creation.getByRole('button', { name: 'Never expires' }).click();
    await creation.getByText('The key works until it is revoked.').waitFor();
    await creation.getByRole('button', { name: '30 days' }).click();
    expect(await creation.getByLabel('Expires').inputValue()).toBe('2026-12-20');
    expect(await violations(page)).toEqual([]);
    await creation.getByRole('button', { name: 'Create API key' }).click();
    const shown = page.getByRole('dialog', { name: 'Key for nightly report' });
    expect(await shown.locator('code').innerText()).toMatch(/^wcp_/);
    // The key is shown once: a slip of the hand must not discard it.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await page.evaluate(async () => {
      const isBack = new Promise((resolve) => addEventListener('popstate', resolve, { once: true }));
      history.back();
      await isBack;
    });
    expect(await shown.locator('code').innerText()).toMatch(/^wcp_/);
    await shown.getByRole('button', { name: 'Done' }).click();
    expect(new URL(page.url()).pathname).toBe(`/a/${account}/access`);
    const row = page.getByRole('row').filter({ hasText: 'nightly report' });
    await row.getByText('203.0.113.0/24 +1').waitFor();
    expect(await db.apiKey.findFirstOrThrow({ where: { name: 'nightly report' } })).toMatchObject({
      scope: 'agents:create agents:get agents:list agents:update',
      addressRanges: ['203.0.113.0/24', '2001:db8::/48'],
    });
    const asked = page.getByRole('alertdialog');
    await tested.restart(async () => {
      await row.getByRole('button', { name: 'Actions of nightly report' }).click();
      await page.getByRole('menuitem', { name: 'Revoke…' }).click();
      await asked.getByRole('button', { name: 'Revoke', exact: true }).click();
      await asked.getByRole('alert').getByText('Connection lost').waitFor();
    });
    await asked.getByRole('button', { name: 'Revoke', exact: true }).click();
    await asked.waitFor({ state: 'detached' });
    await row.waitFor({ state: 'detached' });
    // The browser itself also logs that the service was unreachable.
    tested.visit.problems.splice(
      0,
      tested.visit.problems.length,
      ...tested.visit.problems.filter((each) => !each.includes('ERR_')),
    );
    const { revokedAt } = await db.apiKey.findFirstOrThrow({ where: { name: 'nightly report' } });
    expect(revokedAt).toBeInstanceOf(Date);
  });

  it('registers an OAuth client, whose secret works until it is rotated or revoked', async () => {
    const { page } = tested;
    const { db } = running.app.services;
    await page.goto(`${origin}/a/${account}/clients`);
    await page.getByRole('button', { name: 'Create OAuth client' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Client ID/).fill('Not An Id');
    await dialog.getByRole('button', { name: 'Read costs' }).click();
    await dialog.getByRole('button', { name: 'Create OAuth client' }).click();
    await dialog.getByRole('alert').getByText(/name/).waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByLabel(/^Client ID/).fill('rate-board');
    await dialog.getByLabel('Display name').fill('Rate board');
    await dialog.getByRole('button', { name: 'Create OAuth client' }).click();
    const shown = page.getByRole('dialog', { name: 'Secret for Rate board' });
    const secret = await shown.locator('code').innerText();
    await shown.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(secret);
    expect(await comesIn(secret)).toBe(200);
    const row = page.getByRole('row').filter({ hasText: 'rate-board' });
    const act = async (action: string) => {
      await row.getByRole('button', { name: 'Actions of rate-board' }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await act('Edit…');
    await dialog.getByLabel('Display name').fill('Rate board, Lisbon');
    await dialog.getByRole('button', { name: 'Record usage' }).click();
    await dialog.getByRole('checkbox', { name: 'List jobs' }).check();
    await dialog.getByText('2 permissions: usage:write, jobs:list').waitFor();
    expect(await dialog.getByRole('button', { name: 'Record usage', pressed: true }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Rate board, Lisbon').waitFor();
    expect(await db.oauthClient.findUniqueOrThrow({ where: { id: 'rate-board' } })).toMatchObject({
      displayName: 'Rate board, Lisbon',
      scope: 'jobs:list usage:write',
    });
    await act('Rotate secret…');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate secret' }).click();
    const next = page.getByRole('dialog', { name: 'Secret for Rate board, Lisbon' });
    const nextSecret = await next.locator('code').innerText();
    await next.getByText(/^Previous secret works for 2[34] h/).waitFor();
    await next.getByRole('button', { name: 'Done' }).click();
    await row.getByText(/Previous secret works for 2[34] h/).waitFor();
    expect([await comesIn(secret), await comesIn(nextSecret)]).toEqual([200, 200]);
    await page.getByRole('button', { name: 'Show revoked' }).click();
    await act('Revoke…');
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await row.getByText('Revoked').waitFor();
    expect([await comesIn(secret), await comesIn(nextSecret)]).toEqual([401, 401]);
    await act('Delete…');
    await page.getByRole('button', { name: 'Delete client' }).click();
    // Behind a dialog the list is hidden from roles, whatever its content.
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await row.waitFor({ state: 'detached' });
    expect(await db.oauthClient.count({ where: { id: 'rate-board' } })).toBe(0);
  });

  /** The response of the token endpoint to the client. */
  async function comesIn(secret: string): Promise<number> {
    const { status } = await fetch(`${origin}/v0/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`rate-board:${secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    return status;
  }

  it('lists and filters the keys and OAuth clients of all pages', async () => {
    const { page } = tested;
    const { db } = running.app.services;
    const accountId = idOf(account);
    const principalId = idOf(demoOwner);
    const many = Array.from({ length: 205 }, (_none, index) => ({
      accountId,
      principalId,
      createdAt: new Date(frozenNow.getTime() - 30 * 86_400_000 - index * 60_000),
    }));
    await db.apiKey.createMany({
      data: many.map((each, index) => ({
        ...each,
        name: `one-of-many-${index}`,
        prefix: 'wcp_many',
        hash: Buffer.from(`one-of-many-${index}`),
        scope: 'agents:list',
      })),
    });
    await db.oauthClient.createMany({
      data: many.map((each, index) => ({
        ...each,
        id: `one-of-many-${index}`,
        displayName: `One of many ${index}`,
        scope: 'agents:list',
        redirectUris: [],
        grantTypes: [],
        revokedAt: index < 195 ? frozenNow : null,
      })),
    });
    const status = page.getByRole('main').locator('.view-bar [role=status]');
    const filter = page.getByRole('searchbox', { name: 'Filter rows' });
    const isValid = [{ expiresAt: null }, { expiresAt: { gt: frozenNow } }];
    const keys = await db.apiKey.count({ where: { accountId, revokedAt: null, OR: isValid } });
    await page.goto(`${origin}/a/${account}/access`);
    await expect.poll(() => status.innerText()).toBe(`${keys} keys`);
    await filter.fill('one-of-many-204');
    await page.getByRole('row').filter({ hasText: 'one-of-many-204' }).waitFor();
    expect(await status.innerText()).toBe('1 key');
    const clients = await db.oauthClient.count({ where: { accountId, revokedAt: null } });
    await page.goto(`${origin}/a/${account}/clients`);
    await expect.poll(() => status.innerText()).toBe(`${clients} clients`);
    await page.getByRole('button', { name: 'Show revoked' }).click();
    const withRevoked = await db.oauthClient.count({ where: { accountId } });
    await expect.poll(() => status.innerText()).toBe(`${withRevoked} clients`);
    await filter.fill('one-of-many-204');
    await expect.poll(() => status.innerText()).toBe('1 client');
    await db.oauthClient.deleteMany({ where: { id: { startsWith: 'one-of-many-' }, revokedAt: null } });
    // With a few rows the filter still applies, so its field stays.
    const row = page.getByRole('row').filter({ hasText: 'one-of-many-0' }).first();
    await filter.fill('one-of-many-0');
    await row.getByRole('button', { name: /^Actions/ }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete client' }).click();
    await expect.poll(() => status.innerText()).toBe('0 clients');
    await page.getByRole('button', { name: 'Show revoked' }).click();
    await filter.fill('');
    await expect.poll(() => status.innerText()).toBe(`${clients - 10} clients`);
    expect(await filter.count()).toBe(0);
    await db.apiKey.deleteMany({ where: { name: { startsWith: 'one-of-many-' } } });
    await db.oauthClient.deleteMany({ where: { id: { startsWith: 'one-of-many-' } } });
  });

  it('says why a webhook could not be paused', async () => {
    const { page } = tested;
    const { db } = running.app.services;
    const { key } = await createKey(running.app, { accountId: idOf(account), principalId: idOf(demoOwner) });
    const { body } = await graphql(
      running.app,
      key,
      'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { ... on Error { message } } }',
      { input: { name: 'unpausable', url: receiverAddress() } },
    );
    expect(body.data.createWebhook).toEqual({});
    await page.goto(`${origin}/a/${account}/webhooks`);
    await page.route('**/graphql', async (route) => {
      if (route.request().postDataJSON().operationName === 'UpdateWebhook') await route.abort('connectionrefused');
      else await route.continue();
    });
    await page.getByRole('button', { name: 'Actions of unpausable' }).click();
    await page.getByRole('menuitem', { name: 'Pause' }).click();
    await page.getByRole('row').getByRole('alert').getByText('Connection lost.').waitFor();
    await page.unroute('**/graphql');
    expect(await db.webhook.findFirstOrThrow({ where: { name: 'unpausable' } })).toMatchObject({ pausedAt: null });
    await db.webhook.deleteMany({ where: { name: 'unpausable' } });
    // The browser itself logs the request that failed.
    tested.visit.problems.splice(0);
  });

  it('changes the role of a member', async () => {
    const { page } = tested;
    const { db } = running.app.services;
    const member = await db.accountMember.findFirstOrThrow({
      where: { role: 'member', account: { name: account }, principal: { kind: 'user' } },
      include: { principal: true },
    });
    await page.goto(`${origin}/a/${account}/members`);
    await page.getByRole('combobox', { name: `Role of ${member.principal.name}` }).click();
    await page.getByRole('option', { name: 'Viewer' }).click();
    const { accountId, principalId } = member;
    const roleNow = async () => (await db.accountMember.findFirstOrThrow({ where: { accountId, principalId } })).role;
    await expect.poll(roleNow, { timeout: 30_000 }).toBe('viewer');
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('pages through many members and workspaces, and lists all invitations and limits', async () => {
    const { page } = tested;
    const { db } = running.app.services;
    const workspaceId = idOf('meridian-staging');
    const accountId = idOf(account);
    const people = Array.from({ length: 205 }, (_none, index) => ({
      id: randomUUID(),
      kind: 'user' as const,
      name: `zoe-${String(index).padStart(3, '0')}@many.example.com`,
    }));
    await db.principal.createMany({ data: people });
    await db.accountMember.createMany({
      data: people.map(({ id }) => ({ accountId, principalId: id, role: 'member' as const })),
    });
    await db.workspaceMember.createMany({
      data: people.map(({ id }) => ({ workspaceId, principalId: id, role: 'viewer' as const })),
    });
    const expiresAt = new Date(frozenNow.getTime() + 86_400_000);
    await db.invitation.createMany({
      data: people.map(({ name }) => ({ accountId, workspaceId, name, role: 'viewer' as const, expiresAt })),
    });
    const workspaces = people.map((_each, index) => ({ accountId, id: randomUUID(), name: `one-of-many-${index}` }));
    await db.workspace.createMany({ data: workspaces });
    await db.quota.createMany({
      data: workspaces.map(({ id }) => ({
        subject: `workspace ${id}`,
        accountId,
        workspaceId: id,
        limits: { AGENT: 10 },
        updatedAt: frozenNow,
      })),
    });
    await page.goto(`${origin}/a/${account}/members?in=meridian-staging`);
    await page.getByText(/^Showing 200 of \d+ members, by name\.$/).waitFor();
    const invitations = page.getByRole('table', { name: 'Invitations' }).getByRole('row');
    await page.getByText('Showing 200 of 205 rows.').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => invitations.count()).toBe(206);
    expect(await page.getByText(/^(Loading|Could not load) all/).count()).toBe(0);
    await page.goto(`${origin}/a/${account}/members`);
    const all = await db.invitation.count({ where: { accountId, status: 'pending', expiresAt: { gt: frozenNow } } });
    await page.getByText(`Showing 200 of ${all} rows.`).waitFor();
    await page.goto(`${origin}/a/${account}/members?in=meridian-staging&after=too-old`);
    await page.getByRole('alert').getByRole('link', { name: 'First page' }).click();
    await page.getByText(/^Showing 200 of \d+ members, by name\.$/).waitFor();
    const last = page.getByRole('link', { name: 'zoe-204@many.example.com', exact: true });
    expect(await last.count()).toBe(0);
    await page.getByRole('link', { name: 'Next page' }).click();
    await last.waitFor();
    await page.getByRole('link', { name: 'First page' }).click();
    await page.getByRole('link', { name: 'Next page' }).waitFor();
    expect(await last.count()).toBe(0);
    await page.goto(`${origin}/a/${account}/quotas`);
    await page.getByText(/^2\d\d limits, the most used first$/).waitFor();
    expect(await page.getByText(/^(Loading|Could not load) all/).count()).toBe(0);
    const rows = page.getByRole('row');
    expect(await rows.count()).toBe(201);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => rows.count()).toBeGreaterThan(201);
    expect(await page.getByText('Showing').count()).toBe(0);
    await page.getByRole('searchbox', { name: 'Filter rows' }).fill('one-of-many-99');
    await page.getByRole('row', { name: /^Agents one-of-many-99 / }).waitFor();
    await page.goto(`${origin}/a/${account}/workspaces`);
    await page.getByText(/^Showing 100 of \d+ workspaces, by name\.$/).waitFor();
    const lastWorkspace = page.getByRole('link', { name: 'one-of-many-99' });
    expect(await lastWorkspace.count()).toBe(0);
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'First page' }).waitFor();
    await page.getByRole('link', { name: 'Next page' }).click();
    await lastWorkspace.waitFor();
  });
});
