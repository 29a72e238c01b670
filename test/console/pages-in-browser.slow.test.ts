// The pages of resources and images in a real browser: tabs, versions that are restored, deleted resources that come
// back, and shares.
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { demoOwner, mainWorkspace } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { createKey, graphql, useApp } from '../harness.js';
import { freePort, hasBrowser, settled, useConsole, violations } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });

describe.skipIf(!hasBrowser)('Pages in a browser', () => {
  const opened = useConsole(running, port);
  const inWorkspace = `workspace: "${mainWorkspace}"`;
  const workspaceId = idOf(mainWorkspace);
  let page: Page;
  let key: string;

  beforeAll(async () => {
    ({ page } = opened);
    const owner = { accountId: idOf('meridian-freight'), principalId: idOf(demoOwner) };
    ({ key } = await createKey(running.app, owner));
    await opened.visit.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
  });

  beforeEach(async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  async function change(mutation: string): Promise<void> {
    const { body } = await graphql(running.app, key, `mutation { change: ${mutation} { __typename } }`);
    expect(body).toMatchObject({ data: { change: { __typename: expect.stringMatching(/Payload$/) } } });
  }

  /** A new agent with a secret. */
  async function createAgent(name: string, memory = 2048): Promise<void> {
    await change(`createAgent(input: { ${inWorkspace}, metadata: { name: "${name}", labels: [{ key: "team", value: "night" }] },
      spec: { runtime: { generation: MK3, memory: ${memory}, envs: [{ name: "LOG_LEVEL", value: "info" },
        { name: "TOKEN", value: "not to be seen", secret: true }] } } })`);
  }

  async function updateAgent(name: string, spec: string): Promise<void> {
    await change(`updateAgent(input: { ${inWorkspace}, name: "${name}", spec: { ${spec} } })`);
  }

  const agentNow = async (name: string) => running.app.services.db.agent.findFirst({ where: { workspaceId, name } });
  const goTo = async (path: string) => {
    await page.goto(`${origin}/w/${mainWorkspace}${path}`);
    await settled(page);
  };
  const path = () => new URL(page.url()).pathname.slice(`/w/${mainWorkspace}`.length);
  const tab = (name: string) => page.getByRole('navigation', { name: /^Pages of/ }).getByRole('link', { name });

  it('has tabs with addresses, which Back, reload and the keyboard reach', async () => {
    await createAgent('tabbed');
    await goTo('/agents/tabbed');
    expect(await tab('Overview').getAttribute('aria-current')).toBe('page');
    await page.getByText('team:night').waitFor();
    await tab('Configuration').focus();
    await page.keyboard.press('Enter');
    const environment = page.getByRole('region', { name: 'Environment' });
    await environment.getByText('•••').waitFor();
    expect(path()).toBe('/agents/tabbed/configuration');
    // The header stays, and the focus with it.
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Configuration');
    expect(await tab('Configuration').getAttribute('aria-current')).toBe('page');
    expect(await tab('Overview').getAttribute('aria-current')).toBeNull();
    expect(await page.content()).not.toContain('not to be seen');
    await page.reload();
    await environment.waitFor();
    await tab('Costs').click();
    await page.getByRole('link', { name: 'View costs' }).waitFor();
    await page.goBack();
    await environment.waitFor();
    await goTo('/agents/tabbed/nothing');
    await page.getByRole('heading', { name: 'Page not found', level: 2 }).waitFor();
    await goTo('/agents?peek=tabbed');
    await page.getByRole('article', { name: 'tabbed' }).getByRole('region', { name: 'Events' }).waitFor();
    expect(await page.getByRole('navigation', { name: /^Pages of/ }).count()).toBe(0);
  });

  it('scrolls its tabs on a narrow screen, with the current one in view', async () => {
    await page.setViewportSize({ width: 320, height: 700 });
    const job = await running.app.services.db.job.findFirstOrThrow({ where: { workspaceId } });
    await goTo(`/jobs/${job.name}/yaml`);
    await tab('YAML').waitFor();
    const { left, right, hangsOver } = await tab('YAML').evaluate((link) => {
      const box = link.getBoundingClientRect();
      const list = link.parentElement;
      return { left: box.left, right: box.right, hangsOver: (list?.scrollWidth ?? 0) > (list?.clientWidth ?? 0) };
    });
    expect(hangsOver).toBe(true);
    expect(left).toBeGreaterThanOrEqual(0);
    expect(right).toBeLessThanOrEqual(320);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  });

  it('shows the manifest that apply accepts, copies it, and opens the editor', async () => {
    await createAgent('written-down');
    await goTo('/agents/written-down/yaml');
    const text = page.getByLabel('Manifest', { exact: true }).locator('visible=true').last();
    await text.getByText('kind: Agent').waitFor();
    await page.getByRole('button', { name: 'Copy manifest' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/^kind: Agent\nworkspace: /);
    expect(copied).toContain('value: "***"');
    await page.getByRole('region', { name: 'Manifest' }).getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('undoes a change, but not if somebody has changed the resource since', async () => {
    await createAgent('undone');
    await goTo('/agents/undone');
    const enabled = async () => (await agentNow('undone'))?.spec;
    await page.getByRole('button', { name: 'Disable' }).click();
    // A toast stays while it is pointed at.
    await page.getByText('undone disabled').first().hover();
    expect(await enabled()).toMatchObject({ enabled: false });
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone', { exact: true }).first().waitFor();
    expect(await enabled()).toMatchObject({ enabled: true });
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Undo' }).hover();
    await updateAgent('undone', 'runtime: { memory: 4096 }');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Could not undo').first().waitFor();
    await page.getByText(`${demoOwner} changed it since: spec.runtime.memory. Nothing was changed.`).first().waitFor();
    expect(await enabled()).toMatchObject({ enabled: false, runtime: { memory: 4096 } });
    await page.getByRole('button', { name: 'Dismiss' }).first().click();
  });

  it('restores a version of the change history after it shows the difference', async () => {
    await createAgent('restored');
    await updateAgent('restored', 'runtime: { memory: 4096 }');
    await updateAgent('restored', 'runtime: { memory: 8192 }, public: true');
    await goTo('/agents/restored/activity');
    const restore = page.getByRole('button', { name: /^Restore this version, created/ });
    await restore.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('row', { name: /^spec\.runtime\.memory 8192 2048$/ }).waitFor();
    await dialog.getByRole('row', { name: /^spec\.public true false$/ }).waitFor();
    expect(await dialog.getByRole('row').count()).toBe(3);
    expect(await violations(page)).toEqual([]);
    // Somebody else saves while the difference is shown.
    await updateAgent('restored', 'runtime: { memory: 6144 }');
    await dialog.getByRole('button', { name: 'Restore version' }).click();
    await dialog.getByText(`${demoOwner} changed it in the meantime. Review the differences again.`).waitFor();
    await dialog.getByRole('row', { name: /^spec\.runtime\.memory 6144 2048$/ }).waitFor();
    expect((await agentNow('restored'))?.spec).toMatchObject({ runtime: { memory: 6144 } });
    await dialog.getByRole('button', { name: 'Restore version' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('restored restored').first().waitFor();
    const { spec } = (await agentNow('restored')) ?? {};
    expect(spec).toMatchObject({
      public: false,
      runtime: { memory: 2048, envs: [{}, { name: 'TOKEN', secret: true }] },
    });
  });

  it('rolls back the last update from the menu of a resource', async () => {
    await createAgent('rolled-back');
    await change(`updateAgent(input: { ${inWorkspace}, name: "rolled-back", metadata: { protected: true } })`);
    await updateAgent('rolled-back', 'runtime: { memory: 8192 }');
    await goTo('/agents/rolled-back');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Roll back last change…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('row', { name: /^spec\.runtime\.memory 8192 2048$/ }).waitFor();
    expect(await dialog.getByRole('row').count()).toBe(2);
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('mk3 · 2 GB').waitFor();
    expect(await agentNow('rolled-back')).toMatchObject({ protected: true, spec: { runtime: { memory: 2048 } } });
  });

  it('brings a deleted resource back in four clicks, and asks only for its secrets', async () => {
    await createAgent('brought-back');
    const before = await agentNow('brought-back');
    await change(`deleteAgent(input: { ${inWorkspace}, name: "brought-back" })`);
    await goTo('');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity', exact: true }).click();
    await page.getByRole('link', { name: /^View change: deleted brought-back/ }).click();
    await page.getByRole('button', { name: 'Create again' }).click();
    const dialog = page.getByRole('dialog');
    const fields = dialog.locator('input');
    await fields.first().waitFor();
    expect(await fields.count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    await dialog.getByLabel('TOKEN').fill('a new one');
    await dialog.getByRole('button', { name: 'Create agent' }).click();
    await page.waitForURL(/\/agents\/brought-back$/);
    await page.getByRole('article', { name: 'brought-back' }).waitFor();
    const after = await agentNow('brought-back');
    expect(after?.id).not.toBe(before?.id);
    expect(after?.labels).toEqual({ team: 'night' });
    expect(after?.spec).toMatchObject({
      runtime: { memory: 2048, generation: 'mk3', envs: [{ name: 'LOG_LEVEL' }, { name: 'TOKEN', secret: true }] },
    });
    expect(JSON.stringify(after)).not.toContain('a new one');
  });

  it('offers to create a deleted resource again where it was', async () => {
    await change(`createVolume(input: { ${inWorkspace}, metadata: { name: "emptied" },
      spec: { sizeMb: 2048, region: "eu-frankfurt-1" } })`);
    await change(`deleteVolume(input: { ${inWorkspace}, name: "emptied" })`);
    await goTo('/volumes/emptied');
    await page.getByRole('button', { name: 'Create again' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Its data stays deleted: the new volume is empty.').waitFor();
    await dialog.getByRole('button', { name: 'Create volume' }).click();
    await page.getByRole('article', { name: 'emptied' }).waitFor();
    const size = page.getByText('2 GB').first();
    await size.waitFor();
    expect(await size.isVisible()).toBe(true);
  });

  it('shares an image in four clicks, and revokes the share', async () => {
    const { db } = running.app.services;
    const { name } = await db.image.findFirstOrThrow({
      where: { workspaceId, sourceWorkspace: null },
      orderBy: { name: 'asc' },
    });
    await goTo(`/images?q=${name}`);
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('button', { name: 'Share…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Workspace').fill('no-such-workspace');
    await dialog.getByRole('button', { name: 'Share image' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Workspace').fill('meridian-staging');
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Share image' }).click();
    await dialog.waitFor({ state: 'detached' });
    await tab('Shares').click();
    const row = page.getByRole('row', { name: /meridian-staging.*Pending/ });
    await row.getByRole('button', { name: 'Revoke…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('row', { name: /meridian-staging.*Revoked/ }).waitFor();
  });

  it('says what a list that is not loaded whole leaves out', async () => {
    const { name } = await running.app.services.db.image.findFirstOrThrow({
      where: { workspaceId, resourceType: 'agents', tags: { some: {} } },
    });
    await page.route('**/graphql', async (route) => {
      if (/"after":"/.test(route.request().postData() ?? '')) {
        await route.fulfill({ json: { data: null, errors: [{ message: 'The service has failed.' }] } });
        return;
      }
      const response = await route.fetch();
      const body = (await response.text())
        .replaceAll(/"totalCount":\d+/g, '"totalCount":2300')
        .replaceAll('"endCursor":null', '"endCursor":"next"');
      await route.fulfill({ response, body: body.replaceAll('"hasNextPage":false', '"hasNextPage":true') });
    });
    await goTo(`/images/agents/${name}/tags`);
    await page.getByText(/^Could not load all workloads: \d+ of 2,300\./).waitFor();
    expect(await page.getByText('Not used').count()).toBe(0);
    await page
      .getByRole('button', { name: /^Actions of tag/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Delete tag…' }).click();
    await page.getByText(/Only the first \d+ of 2300 workloads of the image were checked\./).waitFor();
    await page.keyboard.press('Escape');
    await page.goto(`${origin}/platform`);
    const executors = page.getByText(/^Could not load all executors: \d+ of 2,300\./);
    await executors.waitFor();
    expect(await executors.count()).toBe(1);
    await page.unroute('**/graphql');
  });

  it('lists the tags and the shares of all pages', async () => {
    const { db } = running.app.services;
    const { name, id } = await db.image.findFirstOrThrow({ where: { workspaceId, resourceType: 'agents' } });
    const past = new Date('2026-01-01T00:00:00Z');
    const many = Array.from({ length: 210 }, (_none, index) => index);
    await db.imageTag.createMany({
      data: many.map((index) => ({
        imageId: id,
        workspaceId,
        name: `old-${index}`,
        createdAt: new Date(past.getTime() - index * 1000),
        size: 1n,
        search: `old-${index}`,
      })),
    });
    await db.imageShare.createMany({
      data: many.map((index) => ({
        workspaceId,
        sourceAccount: 'tidewater',
        sourceWorkspace: 'tidewater-labs',
        resourceType: 'agents' as const,
        name: `shared-${index}`,
        createdAt: new Date(past.getTime() - index * 1000),
        search: `shared-${index}`,
      })),
    });
    await goTo(`/images/agents/${name}/tags`);
    await page.getByText(/^Showing 200 of \d+ rows\.$/).waitFor();
    await page.getByRole('searchbox', { name: 'Filter rows' }).fill('old-209');
    await page.getByRole('row', { name: /^old-209 / }).waitFor();
    expect(await page.getByText(/^(Loading|Could not load) all/).count()).toBe(0);
    await goTo('/shares');
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('table', { name: 'Shared with this workspace' }).getByText('shared-209').waitFor();
    const offers = page.getByRole('region', { name: 'Shared with this workspace' });
    await offers.getByRole('searchbox').fill('shared-209');
    await expect.poll(() => offers.getByRole('row').count()).toBe(2);
    await offers.getByRole('searchbox').fill('nothing-is-called-so');
    await offers.getByText('No rows match “nothing-is-called-so”').waitFor();
    await offers.getByRole('button', { name: 'Clear filter' }).click();
    await offers.getByRole('button', { name: 'Show more' }).waitFor();
    await db.imageTag.deleteMany({ where: { name: { startsWith: 'old-' } } });
    await db.imageShare.deleteMany({ where: { name: { startsWith: 'shared-' } } });
  });

  it('checks the workloads of all pages before a tag is deleted', async () => {
    const { db } = running.app.services;
    const { name, id } = await db.image.findFirstOrThrow({
      where: { workspaceId, resourceType: 'agents', tags: { some: {} } },
      orderBy: { name: 'desc' },
    });
    const { name: tagName } = await db.imageTag.findFirstOrThrow({ where: { imageId: id } });
    await createAgent('copied');
    await updateAgent('copied', `runtime: { image: "registry.example.com:5000/agents/${name}:${tagName}" }`);
    const { spec, labels } = await db.agent.findFirstOrThrow({ where: { workspaceId, name: 'copied' } });
    const copies = Array.from({ length: 205 }, (_none, index) => ({
      workspaceId,
      name: `copy-${index}`,
      spec: Object(spec),
      labels: Object(labels),
      search: '',
    }));
    await db.agent.createMany({ data: copies });
    await goTo(`/images/agents/${name}/tags`);
    await page.getByRole('button', { name: `Actions of tag ${tagName}`, exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete tag…' }).click();
    const asked = page.getByRole('alertdialog');
    await asked.getByText(/^20[6-9] workloads run it: /).waitFor();
    expect(await page.getByText(/^Only the first/).count()).toBe(0);
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await db.agent.deleteMany({ where: { workspaceId, name: { startsWith: 'copy-' } } });
    await db.agent.deleteMany({ where: { workspaceId, name: 'copied' } });
  });

  it('shows who runs which tag, and deletes a tag and an image', async () => {
    const { db } = running.app.services;
    const { name, id } = await db.image.findFirstOrThrow({
      where: { workspaceId, resourceType: 'agents', tags: { some: {} } },
      orderBy: { name: 'desc' },
    });
    const tags = await db.imageTag.findMany({ where: { imageId: id }, orderBy: { createdAt: 'desc' } });
    const [used, other] = tags;
    await createAgent('tag-user');
    await updateAgent('tag-user', `runtime: { image: "registry.example.com:5000/agents/${name}:${used?.name}" }`);
    await goTo(`/images/agents/${name}/tags`);
    const rowOf = (tagName = 'missing') =>
      page.getByRole('row').filter({ has: page.getByRole('cell', { name: tagName, exact: true }) });
    await rowOf(used?.name).getByRole('link', { name: 'tag-user' }).waitFor();
    expect(await rowOf(other?.name).getByRole('link', { name: 'tag-user' }).count()).toBe(0);
    await page.getByRole('button', { name: `Actions of tag ${used?.name}`, exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete tag…' }).click();
    const asked = page.getByRole('alertdialog');
    await asked.getByText(/tag-user/).waitFor();
    await asked.getByRole('button', { name: 'Delete tag' }).click();
    await rowOf(used?.name).waitFor({ state: 'detached' });
    // An open dialog hides the rows, too.
    await expect.poll(() => db.imageTag.count({ where: { imageId: id } })).toBe(tags.length - 1);
    await tab('Overview').click();
    await page
      .getByRole('region', { name: /^Used by/ })
      .getByRole('link', { name: 'tag-user' })
      .waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete image…' }).click();
    await asked.getByRole('button', { name: 'Delete image' }).click();
    await page.waitForURL(/\/images$/);
    expect(await db.image.count({ where: { id } })).toBe(0);
  });
});
