// Options and further pages that load after a view, or fail: what a view says beside them. A form sends no input that
// cannot be valid.
import type { Route } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { mainWorkspace } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { useApp } from '../harness.js';
import { freePort, hasBrowser, settled, useConsole } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });
const within = { workspaceId: idOf(mainWorkspace) };

const bodyOf = (route: Route): string => route.request().postData() ?? '';

describe.skipIf(!hasBrowser)('A view whose further answers fail', () => {
  const opened = useConsole(running, port);

  afterEach(async () => {
    await opened.page.unroute('**/graphql');
  });

  it('says in a menu that options are loading or failed, and counts none of them as zero', async () => {
    const { page, visit } = opened;
    await page.goto(`${origin}/w/${mainWorkspace}/agents`);
    await settled(page);
    let answer: 'later' | 'never' | 'now' = 'later';
    const held: Route[] = [];
    await page.route('**/graphql', async (route) => {
      const isCount = /"by":"(REGION|GENERATION)"/.test(bodyOf(route));
      if (!isCount || answer === 'now') await route.continue();
      else if (answer === 'later') held.push(route);
      else await route.fulfill({ status: 500, body: 'Internal Server Error' });
    });
    await page.getByRole('combobox', { name: 'Add filter' }).click();
    const popup = page.locator('.popup.finder');
    await popup.getByText('Loading options…').waitFor();
    expect(await popup.getByRole('option', { name: /^mk3/ }).innerText()).toBe('mk3');
    await page.keyboard.type('no option is called so');
    await expect.poll(() => popup.getByRole('option').count()).toBeLessThan(2);
    expect(await popup.getByText('No matches.').count()).toBe(0);
    answer = 'never';
    for (const route of held) await route.fulfill({ status: 500, body: 'Internal Server Error' });
    await popup.getByRole('alert').getByText('Could not load options.').waitFor();
    answer = 'now';
    await popup.getByRole('button', { name: 'Try again' }).click();
    await popup.getByRole('alert').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    // The browser itself logs the requests that failed.
    visit.problems.splice(0);
  });

  it('says that further pages of a list could not be loaded, and loads them at the next press', async () => {
    const { page, visit } = opened;
    const { db } = running.app.services;
    const createdAt = new Date('2026-01-01T00:00:00Z');
    const preview = await db.sandboxPreview.findFirstOrThrow({ where: within, include: { sandbox: true } });
    const gateway = await db.egressGateway.findFirstOrThrow({ where: within, include: { vpc: true } });
    const ip = await db.egressIp.findFirstOrThrow({ where: { gatewayId: gateway.id } });
    const named = (count: number) =>
      Array.from({ length: count }, (_none, index) => {
        const name = `of-many-${index}`;
        return { ...within, name, createdAt, search: name };
      });
    await db.sandboxPreview.createMany({
      data: named(60).map((each) => ({ ...each, sandboxId: preview.sandboxId, spec: Object(preview.spec) })),
    });
    await db.egressIp.createMany({
      data: named(230).map((each) => ({ ...each, gatewayId: gateway.id, spec: Object(ip.spec) })),
    });
    const fails = async (route: Route) =>
      /"after":"/.test(bodyOf(route))
        ? route.fulfill({ json: { data: null, errors: [{ message: 'The service has failed.' }] } })
        : route.continue();
    for (const [path, many, last] of [
      [`sandboxes/${preview.sandbox.name}`, 'previews', 'of-many-59'],
      [`networks/${gateway.vpc.name}`, 'egress IPs', undefined],
    ] as const) {
      await page.route('**/graphql', fails);
      await page.goto(`${origin}/w/${mainWorkspace}/${path}`);
      const told = page.getByRole('alert').filter({ hasText: `Could not load all ${many}: ` });
      await told.waitFor();
      expect(await page.getByText(/^Loading all/).count()).toBe(0);
      await page.unroute('**/graphql');
      await told.getByRole('button', { name: 'Try again' }).click();
      await told.waitFor({ state: 'detached' });
      if (last !== undefined) await page.getByText(last, { exact: true }).waitFor();
    }
    await db.sandboxPreview.deleteMany({ where: { name: { startsWith: 'of-many-' } } });
    await db.egressIp.deleteMany({ where: { name: { startsWith: 'of-many-' } } });
    visit.problems.splice(0);
  });

  it('keeps a table whose neighbour could not be loaded', async () => {
    const { page, visit } = opened;
    await page.route('**/graphql', async (route) =>
      bodyOf(route).includes('"operationName":"OfferedShares"')
        ? route.fulfill({ status: 500, body: 'Internal Server Error' })
        : route.continue(),
    );
    await page.goto(`${origin}/w/${mainWorkspace}/shares`);
    const others = page.getByRole('region', { name: 'Shared with others' });
    await others.getByRole('button', { name: 'Try again' }).waitFor();
    await page
      .getByRole('table', { name: 'Shared with this workspace' })
      .or(page.getByRole('heading', { name: 'No pending image shares' }))
      .first()
      .waitFor();
    await page.unroute('**/graphql');
    await others.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    visit.problems.splice(0);
  });

  it('sends no dry run without a required field, and names the field', async () => {
    const { page } = opened;
    const sent: string[] = [];
    await page.route('**/graphql', async (route) => {
      if (bodyOf(route).includes('createVolume')) sent.push(bodyOf(route));
      await route.continue();
    });
    await page.goto(`${origin}/w/${mainWorkspace}/volumes`);
    await settled(page);
    await page.getByRole('button', { name: 'Create volume' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: false }).first().fill('without-a-region');
    await dialog.getByRole('button', { name: 'Validate' }).click();
    const region = dialog.locator('.form-row').filter({ has: page.getByText('Region', { exact: false }) });
    await region.getByText('Is required.').first().waitFor();
    expect(sent).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
  });
});
