// The page of the platform for one of its admins in a real browser: executors are registered, edited, revoked and deleted.
import { beforeEach, describe, expect, it } from 'vitest';
import { useApp } from '../harness.js';
import { complaintsIn, freePort, hasBrowser, settled, useConsole, violations } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin, PLATFORM_ACCOUNT: 'meridian-freight' });
const name = 'frankfurt-a';

describe.skipIf(!hasBrowser)('The platform in a browser', () => {
  const tested = useConsole(running, port);
  const stored = () => running.app.services.db.executor.findUniqueOrThrow({ where: { name } });
  const row = () => tested.page.getByRole('table', { name: 'Executors' }).getByRole('row').filter({ hasText: name });
  const act = async (action: string) => {
    await row()
      .getByRole('button', { name: `Actions of ${name}` })
      .click();
    await tested.page.getByRole('menuitem', { name: action }).click();
  };

  beforeEach(async () => {
    const { page } = tested;
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${origin}/platform`);
    await settled(page);
  });

  it('registers an executor, and shows its key once', async () => {
    const { page } = tested;
    await page.getByText('Without one, resources move straight to their final state.').waitFor();
    await page.getByRole('button', { name: 'Register executor' }).click();
    const dialog = page.getByRole('dialog', { name: 'Register executor' });
    await dialog.getByLabel(/^Name/).fill(name);
    await dialog.getByRole('checkbox', { name: 'Volumes' }).uncheck();
    await dialog.getByRole('checkbox', { name: 'eu-frankfurt-1' }).check();
    await dialog.getByLabel(/^Allowed addresses/).fill('203.0.113.0/24\n2001:db8::/48');
    expect(await complaintsIn(page, 'register executor')).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await dialog.getByRole('button', { name: 'Never expires' }).click();
    await dialog.getByRole('button', { name: 'Register executor' }).click();
    const shown = page.getByRole('dialog', { name: `Key for ${name}` });
    const key = await shown.locator('code').innerText();
    await shown.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(key);
    const { prefix, regions, kinds, addressRanges, expiresAt } = await stored();
    expect(key.startsWith(prefix)).toBe(true);
    expect({ regions, addressRanges, expiresAt }).toEqual({
      regions: ['eu-frankfurt-1'],
      addressRanges: ['203.0.113.0/24', '2001:db8::/48'],
      expiresAt: null,
    });
    expect(kinds).toContain('AGENT');
    expect(kinds).not.toContain('VOLUME');
    await row().getByText('Silent').waitFor();
    expect(await row().innerText()).toMatch(/Never\s+eu-frankfurt-1\s+Agents \+8\s+203\.0\.113\.0\/24 \+1\s+Never/);
    await page.getByText('1 not healthy').waitFor();
    expect(await complaintsIn(page, 'platform of an admin')).toEqual([]);
  });

  it('counts the executors of each region', async () => {
    const regions = tested.page.getByRole('table', { name: 'Regions' });
    const countOf = (region: string) =>
      regions.getByRole('row').filter({ hasText: region }).locator('td[data-label="Executors"]').innerText();
    expect([await countOf('eu-frankfurt-1'), await countOf('eu-london-1')]).toEqual(['1', '0']);
    await regions.getByRole('button', { name: 'Executors' }).click();
    await regions.getByRole('button', { name: 'Executors' }).click();
    await expect.poll(() => regions.locator('tbody tr').first().innerText()).toContain('eu-frankfurt-1');
  });

  it('edits the key of an executor, and keeps what is not changed', async () => {
    const { page } = tested;
    const { db } = running.app.services;
    /** Another admin edits the key while the dialog is open. */
    const editElsewhere = async (data: { expiresAt: Date } | { addressRanges: string[] }) =>
      db.executor.update({ where: { name }, data });
    await act('Edit key…');
    const dialog = page.getByRole('dialog', { name: `Edit the key of ${name}` });
    await dialog.getByLabel(/^Allowed addresses/).fill('');
    expect(await violations(page)).toEqual([]);
    const expiresAt = new Date('2028-02-03T12:00:00Z');
    await editElsewhere({ expiresAt });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await stored()).toMatchObject({ addressRanges: [], expiresAt });
    await act('Edit key…');
    await editElsewhere({ addressRanges: ['198.51.100.0/24'] });
    await dialog.getByRole('button', { name: '30 days' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const after = await stored();
    expect(after.addressRanges).toEqual(['198.51.100.0/24']);
    expect(after.expiresAt?.getTime()).toBeLessThan(expiresAt.getTime());
  });

  it('counts and lists the executors of all pages', async () => {
    const { page } = tested;
    const { db } = running.app.services;
    await db.executor.createMany({
      data: Array.from({ length: 230 }, (_none, index) => ({
        name: `many-${String(index).padStart(3, '0')}`,
        regions: ['eu-london-1'],
        kinds: ['AGENT'],
        prefix: 'wcp_many',
        hash: Buffer.from(`many-${index}`),
      })),
    });
    await page.reload();
    await page.getByText('231 executors', { exact: true }).waitFor();
    await page.getByText('Showing 200 of 231 rows.').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('table', { name: 'Executors' }).getByText('many-229').waitFor();
    const london = page.getByRole('table', { name: 'Regions' }).getByRole('row').filter({ hasText: 'eu-london-1' });
    await expect.poll(() => london.locator('td[data-label="Executors"]').innerText()).toBe('230');
    expect(await page.getByText(/^Showing the first/).count()).toBe(0);
    await db.executor.deleteMany({ where: { name: { startsWith: 'many-' } } });
  });

  it('revokes an executor, and deletes a revoked one', async () => {
    const { page } = tested;
    await act('Revoke…');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await row().waitFor({ state: 'detached' });
    expect((await stored()).revokedAt).not.toBeNull();
    await page.getByRole('button', { name: 'Show revoked' }).click();
    await row().getByText('Revoked').waitFor();
    expect(await violations(page)).toEqual([]);
    await act('Delete…');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete executor' }).click();
    await page.getByText('No executors yet').waitFor();
    expect(await running.app.services.db.executor.count({ where: { name } })).toBe(0);
  });
});
