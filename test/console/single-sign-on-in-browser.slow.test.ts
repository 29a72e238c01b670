// Roles of groups and the required identity provider, managed in a real browser.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { demoOwner, mainWorkspace } from '../../src/demo/company.js';
import { useApp } from '../harness.js';
import { complaintsIn, freePort, hasBrowser, useConsole, violations } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const account = 'meridian-freight';
const folder = mkdtempSync(join(tmpdir(), 'control-plane-providers-'));
const path = join(folder, 'providers.json');
const partner = {
  id: 'partner',
  name: 'Partner Login',
  issuer: 'http://127.0.0.1:1/partner',
  clientId: 'control-plane',
  domains: ['partner.example'],
  groupsClaim: 'roles',
  accounts: [account],
};
writeFileSync(path, JSON.stringify([partner]));
const running = useApp({
  PUBLIC_URL: origin,
  SIGN_IN_ISSUER: 'http://127.0.0.1:1',
  SIGN_IN_CLIENT_ID: 'control-plane',
  SIGN_IN_NAME: 'Meridian Login',
  SIGN_IN_ACCOUNTS: account,
  SIGN_IN_PROVIDERS: path,
});

describe.skipIf(!hasBrowser)('Single sign-on in a browser', () => {
  const tested = useConsole(running, port);
  const db = () => running.app.services.db;
  const open = () => tested.page.goto(`${origin}/a/${account}/single-sign-on`);
  const groupRoles = () =>
    db().groupRole.findMany({
      select: { name: true, provider: true, role: true, workspace: { select: { name: true } } },
      orderBy: { name: 'asc' },
    });
  const required = async () =>
    (await db().account.findUniqueOrThrow({ where: { name: account } })).requiredSignInProvider;

  beforeEach(() => tested.page.setViewportSize({ width: 1280, height: 800 }));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('adds roles to groups, in the account and in a workspace', async () => {
    const { page } = tested;
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Single sign-on' }).click();
    await page.waitForURL(`${origin}/a/${account}/single-sign-on`);
    await page.getByText('No group roles yet').waitFor();
    expect(await complaintsIn(page, 'single sign-on empty')).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    const dialog = page.getByRole('dialog', { name: 'Add group role' });
    const add = page.getByRole('button', { name: 'Add group role' });
    await add.click();
    await dialog.getByLabel(/^Group/).fill('zone-admins');
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'Admin' }).click();
    await dialog.getByRole('button', { name: 'Add group role' }).click();
    await dialog.waitFor({ state: 'detached' });
    await add.click();
    await dialog.getByLabel(/^Group/).fill('auditors');
    await dialog.getByRole('combobox', { name: 'Provider' }).click();
    await page.getByRole('option', { name: 'Partner Login' }).click();
    await dialog.getByText('Exactly as in the claim roles of the provider.').waitFor();
    await dialog.getByRole('combobox', { name: 'Scope' }).click();
    await page.getByRole('option', { name: mainWorkspace, exact: true }).click();
    await dialog.getByRole('button', { name: 'Add group role' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await groupRoles()).toEqual([
      { name: 'auditors', provider: 'partner', role: 'member', workspace: { name: mainWorkspace } },
      { name: 'zone-admins', provider: 'default', role: 'admin', workspace: null },
    ]);
  });

  it('shows why a group role cannot be added', async () => {
    const { page } = tested;
    const dialog = page.getByRole('dialog', { name: 'Add group role' });
    await page.getByRole('button', { name: 'Add group role' }).click();
    await dialog.getByLabel(/^Group/).fill('zone-admins');
    await dialog.getByRole('button', { name: 'Add group role' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/zone-admins/)
      .waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await groupRoles()).toHaveLength(2);
  });

  it('lists the group roles, sorted by a click on a heading', async () => {
    const { page } = tested;
    const table = page.getByRole('table', { name: 'Group roles' });
    const names = () => table.locator('tbody tr td:first-child').allInnerTexts();
    await expect.poll(names).toEqual(['auditors', 'zone-admins']);
    await table.getByRole('button', { name: 'Provider' }).click();
    await expect.poll(names).toEqual(['zone-admins', 'auditors']);
    expect(await table.getByRole('row').filter({ hasText: 'auditors' }).innerText()).toMatch(
      new RegExp(`Partner Login\\s+${mainWorkspace}\\s+Member`),
    );
    expect(await complaintsIn(page, 'single sign-on')).toEqual([]);
  });

  it('shows the settings of each provider, to copy', async () => {
    const { page } = tested;
    await tested.visit.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const partnerLogin = page.getByRole('region', { name: 'Partner Login' });
    await partnerLogin.getByText('partner.example', { exact: true }).waitFor();
    await partnerLogin.getByRole('button', { name: 'Copy redirect URI' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `${origin}/v0/oauth/provider-callback/partner`,
    );
    await page.getByRole('region', { name: 'Meridian Login' }).getByText('All other email domains').waitFor();
    await page.getByRole('region', { name: 'Sign-in' }).getByText('Configured').waitFor();
  });

  it('edits and removes a group role', async () => {
    const { page } = tested;
    await open();
    const row = page.getByRole('row').filter({ hasText: 'auditors' });
    const act = async (action: string) => {
      await row.getByRole('button', { name: `Actions of auditors in ${mainWorkspace}` }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await act('Edit…');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'Viewer' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await row.getByText('Viewer').waitFor();
    // Another admin changes the role while the dialog is open.
    await act('Edit…');
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'Member' }).click();
    await db().groupRole.updateMany({
      where: { name: 'auditors' },
      data: { role: 'admin', version: { increment: 1 } },
    });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog
      .getByRole('row', { name: 'role Both changed this field. Your value is used. VIEWER ADMIN MEMBER' })
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Discard my changes' }).click();
    await dialog.getByRole('combobox', { name: 'Role' }).getByText('Admin').waitFor();
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'Viewer' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await row.getByText('Viewer').waitFor();
    expect(await groupRoles()).toMatchObject([{ name: 'auditors', role: 'viewer' }, { name: 'zone-admins' }]);
    await act('Remove…');
    const asked = page.getByRole('alertdialog');
    await asked.getByText(/lose the role/).waitFor();
    expect(await violations(page)).toEqual([]);
    await asked.getByRole('button', { name: 'Remove group role' }).click();
    await asked.waitFor({ state: 'detached' });
    await row.waitFor({ state: 'detached' });
    expect(await groupRoles()).toMatchObject([{ name: 'zone-admins' }]);
  });

  it('lists the group roles of all pages, and edits one of the last', async () => {
    const { page } = tested;
    const { id: accountId } = await db().account.findUniqueOrThrow({ where: { name: account } });
    await db().groupRole.createMany({
      data: Array.from({ length: 205 }, (_none, index) => ({
        accountId,
        provider: 'default',
        name: `many-${String(index).padStart(3, '0')}`,
        role: 'viewer' as const,
      })),
    });
    await open();
    const groups = page.getByRole('region', { name: 'Group roles' });
    await groups.getByText('206 group roles').waitFor();
    await groups.getByRole('searchbox', { name: 'Filter rows' }).fill('many-204');
    await page.getByRole('button', { name: 'Actions of many-204 in the account' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'Member' }).click();
    await db().groupRole.updateMany({
      where: { name: 'many-204' },
      data: { role: 'admin', version: { increment: 1 } },
    });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('button', { name: 'Apply my changes on top' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await groups.getByRole('row', { name: /^many-204 .* Member/ }).waitFor();
    expect(await db().groupRole.findFirstOrThrow({ where: { name: 'many-204' } })).toMatchObject({ role: 'member' });
    await db().groupRole.deleteMany({ where: { name: { startsWith: 'many-' } } });
    await open();
  });

  it('requires a provider, after a sign-in with it only', async () => {
    const { page } = tested;
    const facts = page.getByRole('region', { name: 'Sign-in' });
    const dialog = page.getByRole('dialog', { name: 'Required identity provider' });
    const choose = async (name: string) => {
      await facts.getByRole('button', { name: 'Change the required provider' }).click();
      await dialog.getByRole('combobox', { name: 'Provider' }).click();
      await page.getByRole('option', { name }).click();
      await dialog.getByRole('button', { name: 'Save' }).click();
    };
    await facts.getByText('Every sign-in gives access to this account.').waitFor();
    await choose('Meridian Login');
    await dialog
      .getByRole('alert')
      .getByText(/Sign in with the identity provider default/)
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await required()).toBeNull();
    // As if the owner had signed in with the provider.
    const data = { provider: 'default', providerSubject: 'the owner' };
    await db().signInSession.updateMany({ data });
    await db().oauthAuthorization.updateMany({ data });
    // With another token: the gateway remembers the caller of a token for half a second.
    await open();
    await choose('Meridian Login');
    await facts.getByText('Other sign-ins give no access to this account.').waitFor();
    expect(await required()).toBe('default');
    await open();
    await facts.getByText('Other sign-ins give no access to this account.').waitFor();
    // Another admin changes the account while the dialog is open.
    await db().account.update({ where: { name: account }, data: { version: { increment: 1 } } });
    await choose('None');
    await dialog.getByRole('button', { name: 'Apply my changes on top' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await facts.getByText('Every sign-in gives access to this account.').waitFor();
    expect(await required()).toBeNull();
  });

  it('shows which members a group has added', async () => {
    const { page } = tested;
    const { id: principalId } = await db().principal.create({ data: { kind: 'user', name: 'given@partner.example' } });
    const { id: accountId } = await db().account.findUniqueOrThrow({ where: { name: account } });
    await db().accountMember.create({ data: { accountId, principalId, role: 'viewer', origin: 'provider' } });
    await page.goto(`${origin}/a/${account}/members`);
    const originOf = (name: string) =>
      page.getByRole('row').filter({ hasText: name }).locator('td[data-label="Origin"]').innerText();
    expect([await originOf('given@partner.example'), await originOf(demoOwner)]).toEqual(['Group', 'Manual']);
    expect(await complaintsIn(page, 'members with origin')).toEqual([]);
  });

  it('tells others that only admins can view it', async () => {
    const { page } = tested;
    await db().accountMember.updateMany({
      where: { account: { name: account }, principal: { name: demoOwner } },
      data: { role: 'viewer' },
    });
    await open();
    await page.getByText('Only account admins can view single sign-on').waitFor();
    expect(await page.getByRole('button', { name: 'Add group role' }).count()).toBe(0);
    expect(await complaintsIn(page)).toEqual([]);
  });
});
