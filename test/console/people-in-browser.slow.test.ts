// The page of a member: sessions and credentials, and the end of all access, in a real browser.
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startSession } from '../../src/auth/sign-in/browser-session.js';
import { demoOwner, mainWorkspace } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { createKey, frozenNow, useApp } from '../harness.js';
import { complaintsIn, freePort, hasBrowser, settled, useConsole, violations } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin, PLATFORM_ACCOUNT: 'meridian-freight' });
const account = 'meridian-freight';
const accountId = idOf(account);

describe.skipIf(!hasBrowser)('People in a browser', () => {
  const tested = useConsole(running, port);
  const db = () => running.app.services.db;
  const addressOf = (name: string) => `${origin}/a/${account}/members/${encodeURIComponent(name)}`;

  /** A person with a session in which the console is used, a key and a role in a workspace. */
  async function createPerson(name: string, displayName: string | null = null): Promise<string> {
    const { id: principalId } = await db().principal.create({ data: { kind: 'user', name, displayName } });
    await db().accountMember.create({ data: { accountId, principalId, role: 'member' } });
    const workspace = await db().workspace.findFirstOrThrow({ where: { accountId } });
    await db().workspaceMember.create({ data: { workspaceId: workspace.id, principalId, role: 'admin' } });
    await createKey(running.app, { accountId, principalId });
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    await startSession(db(), principalId, frozenNow, { address: '203.0.113.9', userAgent: firefox });
    const { id: sessionId } = await db().signInSession.findFirstOrThrow({ where: { principalId } });
    const lastUsedAt = new Date(frozenNow.getTime() - 4 * 60_000);
    await db().oauthAuthorization.create({
      data: {
        clientId: 'console',
        principalId,
        accountId,
        sessionId,
        scope: 'admin',
        createdAt: lastUsedAt,
        lastUsedAt,
      },
    });
    return principalId;
  }

  it('shows roles, sessions, applications and keys of another person, and when they were last active', async () => {
    const { page } = tested;
    await createPerson('noor@meridian.example.com', 'نور الحسن');
    await page.goto(addressOf('noor@meridian.example.com'));
    await settled(page);
    await page.getByText('Last active 4 m ago').waitFor();
    const sessions = page.getByRole('table', { name: 'Sessions' });
    expect(await sessions.innerText()).toMatch(/Firefox on Linux\s+203\.0\.113\.9/);
    expect(await page.getByRole('table', { name: 'Roles' }).innerText()).toMatch(
      /Member\s+Meridian Freight.*\s+Admin/s,
    );
    expect(await page.getByRole('table', { name: 'Authorized applications' }).innerText()).toContain('Console');
    expect(await page.getByRole('table', { name: 'API keys' }).innerText()).toContain('All permissions');
    await page.getByText('No OAuth clients or created resources.').waitFor();
    expect(await complaintsIn(page, 'a person')).toEqual([]);
  });

  it('keeps names from right to left, and long German ones, on their side of what follows', async () => {
    const { page } = tested;
    const long = 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen';
    await db().workspace.updateMany({ where: { name: mainWorkspace }, data: { displayName: 'إنتاج (Nord) 5' } });
    await db().agent.updateMany({ where: { name: 'customs-triage' }, data: { displayName: long } });
    await page.setViewportSize({ width: 1280, height: 800 });
    const leftOf = async (locator: Locator) => (await locator.boundingBox())?.x ?? NaN;
    await page.goto(`${origin}/a/${account}/members`);
    const row = page.getByRole('row').filter({ hasText: 'noor@meridian.example.com' });
    expect(await leftOf(row.locator('strong'))).toBeLessThan(await leftOf(row.getByText('noor@meridian.example.com')));
    await page.goto(addressOf('noor@meridian.example.com'));
    const heading = page.getByRole('heading', { name: 'نور الحسن' });
    const essentials = page.locator('.resource-essentials > span').first();
    expect(Math.abs((await leftOf(heading)) - (await leftOf(essentials)))).toBeLessThan(2);
    for (const path of [
      `/a/${account}/workspaces`,
      `/a/${account}/members`,
      `/w/${mainWorkspace}/agents/customs-triage`,
    ]) {
      await page.goto(origin + path);
      await settled(page);
      expect([path, await complaintsIn(page)]).toEqual([path, []]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('counts what a removal from the account ends, and does it', async () => {
    const { page } = tested;
    const principalId = await createPerson('lin@meridian.example.com');
    await page.goto(addressOf('lin@meridian.example.com'));
    await page.getByRole('button', { name: 'Remove…' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Remove lin@meridian.example.com from the account?' });
    const ends = dialog.getByRole('list', { name: 'What ends' });
    await ends.getByText('2 memberships').waitFor();
    await ends.getByText('1 API key').waitFor();
    await ends.getByText('1 authorized application').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await db().accountMember.count({ where: { accountId, principalId } })).toBe(1);
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.waitForURL(`**/a/${account}/members`);
    expect(await db().accountMember.count({ where: { accountId, principalId } })).toBe(0);
    expect(await db().apiKey.count({ where: { principalId, revokedAt: null } })).toBe(0);
    // The session itself may be of use for other accounts.
    expect(await db().signInSession.count({ where: { principalId } })).toBe(1);
  });

  it('ends the access everywhere, with the sessions, for admins of the platform', async () => {
    const { page } = tested;
    const principalId = await createPerson('sam@meridian.example.com');
    await page.goto(addressOf('sam@meridian.example.com'));
    await page.getByRole('button', { name: 'End access everywhere…' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'End all access of sam@meridian.example.com everywhere?' });
    await dialog.getByText('1 browser session').waitFor();
    await dialog.getByRole('button', { name: 'End access everywhere' }).click();
    await page.getByText('Not a member of the account').waitFor();
    expect(await db().signInSession.count({ where: { principalId } })).toBe(0);
    const { disabledAt } = await db().principal.findUniqueOrThrow({ where: { id: principalId } });
    expect(disabledAt).not.toBeNull();
  });

  it('asks before you leave the account, and says why its last admin cannot', async () => {
    const { page } = tested;
    const { id: principalId } = await db().principal.findFirstOrThrow({ where: { name: demoOwner } });
    const others = { accountId, principalId: { not: principalId }, role: 'admin' as const };
    await db().accountMember.updateMany({ where: others, data: { role: 'member' } });
    await page.goto(`${origin}/a/${account}/settings`);
    await page.getByRole('button', { name: 'Leave account' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Leave Meridian Freight & Customs?' });
    await dialog.getByRole('button', { name: 'Leave account' }).click();
    await dialog.getByRole('alert').getByText(/admin/).waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await db().accountMember.count({ where: { accountId, principalId } })).toBe(1);
  });

  it('searches the members of all pages, by name and display name', async () => {
    const { page } = tested;
    const crew = Array.from({ length: 201 }, (_none, index) => ({
      name: `crew-${index}@example.com`,
      displayName: 'Crew',
    }));
    const many = await db().principal.createManyAndReturn({
      data: [...crew, { name: 'zoe@example.com', displayName: 'Zoë Night' }].map((each) => ({
        ...each,
        kind: 'user' as const,
      })),
    });
    await db().accountMember.createMany({
      data: many.map(({ id: principalId }) => ({ accountId, principalId, role: 'viewer' as const })),
    });
    const all = await db().accountMember.count({ where: { accountId } });
    await page.goto(`${origin}/a/${account}/members`);
    await page.getByText(`Showing 200 of ${all} members, by name.`).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'zoe@example.com' });
    expect(await row.count()).toBe(0);
    await page.getByRole('searchbox', { name: 'Filter members by name' }).fill('night');
    await row.waitFor();
    await page.getByRole('status').getByText(`1 of ${all} members matching “night”`).waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('night');
    await page.getByRole('searchbox', { name: 'Filter members by name' }).fill('nobody at all');
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await page.getByRole('link', { name: 'Next page' }).click();
    await row.waitFor();
  });

  it('filters the members by role, also those of other pages', async () => {
    const { page } = tested;
    const all = await db().accountMember.count({ where: { accountId } });
    const admins = await db().accountMember.count({ where: { accountId, role: 'admin' } });
    await page.goto(`${origin}/a/${account}/members`);
    await page.getByText(`Showing 200 of ${all} members, by name.`).waitFor();
    await page.getByRole('combobox', { name: 'Role', exact: true }).click();
    await page.getByRole('option', { name: 'Admin', exact: true }).click();
    await page.getByRole('status').getByText(`${admins} of ${all} members`, { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('role')).toBe('admin');
    expect(await page.getByRole('combobox', { name: /^Role of/ }).allInnerTexts()).toEqual(
      Array.from({ length: admins }, () => 'Admin'),
    );
    await page.getByRole('searchbox', { name: 'Filter members by name' }).fill('nobody at all');
    await page.getByRole('heading', { name: 'No members match “nobody at all”' }).waitFor();
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await page.getByRole('status').getByText(`${all} members`, { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('combobox', { name: 'Role', exact: true }).click();
    await page.getByRole('option', { name: 'Viewer', exact: true }).click();
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByRole('row').filter({ hasText: 'zoe@example.com' }).waitFor();
    expect(await complaintsIn(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('shows a member whose name many others contain, with all credentials', async () => {
    const { page } = tested;
    const principalId = await createPerson('7@example.com', 'Seven');
    const clients = Array.from({ length: 210 }, (_none, index) => ({
      id: `of-seven-${index}`,
      displayName: `Client ${index}`,
      accountId,
      // The oldest one comes last.
      principalId: index === 209 ? principalId : idOf(demoOwner),
      createdAt: new Date(frozenNow.getTime() - index * 60_000),
      scope: 'agents:list',
      redirectUris: [],
      grantTypes: [],
    }));
    await db().oauthClient.createMany({ data: clients });
    await page.goto(addressOf('7@example.com'));
    await page.getByRole('heading', { name: 'Seven' }).waitFor();
    await page.getByRole('button', { name: 'Remove…' }).waitFor();
    await page.getByRole('table', { name: 'OAuth clients' }).getByText('Client 209').waitFor();
    await page.getByText('No created resources.').waitFor();
    expect(await page.getByText('Not a member of the account').count()).toBe(0);
    await db().oauthClient.deleteMany({ where: { id: { startsWith: 'of-seven-' } } });
  });

  it('offers the service accounts of an account with many members as owners', async () => {
    const { page } = tested;
    const program = await db().principal.create({ data: { kind: 'service_account', name: 'zz-night-sync' } });
    await db().accountMember.create({ data: { accountId, principalId: program.id, role: 'member' } });
    await page.goto(`${origin}/a/${account}/access?new=true`);
    await page.getByRole('dialog').getByRole('combobox', { name: 'Owner' }).click();
    await page.getByRole('option', { name: /^zz-night-sync/ }).click();
    // A choice is an entry as well.
    await page.keyboard.press('Escape');
    const asked = page.getByRole('alertdialog', { name: 'Discard your entries?' });
    await asked.getByRole('button', { name: 'Discard' }).click();
    await asked.waitFor({ state: 'detached' });
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('offers no end of the own access', async () => {
    const { page } = tested;
    await page.goto(addressOf(demoOwner));
    await page.getByRole('link', { name: 'View your profile' }).waitFor();
    expect(await page.getByRole('button', { name: /Remove…|End access/ }).count()).toBe(0);
  });
});
