// Creating, editing and deleting in a real browser: forms and text, conflicts, bulk actions, and results.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { demoOwner, mainWorkspace } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { createKey, graphql, useApp } from '../harness.js';
import { anExecutor } from '../lifecycle/executor.js';
import { editorText, pasteEditorText, freePort, hasBrowser, settled, useConsole, violations } from './browser.js';
import type { Visit } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });

describe.skipIf(!hasBrowser)('Editing in a browser', () => {
  const opened = useConsole(running, port);
  let visit: Visit;
  let page: Page;

  beforeAll(() => {
    ({ visit, page } = opened);
  });

  async function agentWith(where: object): Promise<{ name: string; spec: unknown; [field: string]: unknown }> {
    return running.app.services.db.agent.findFirstOrThrow({ where: { workspaceId: idOf(mainWorkspace), ...where } });
  }

  it('finds the failing agent with its reason, fixes its spec, and watches it deploy', async () => {
    const { claim, report } = await anExecutor(running.app, 'night-shift', { kinds: ['AGENT'] });
    await page.goto(`${origin}/w/${mainWorkspace}`);
    const trouble = page.getByRole('region', { name: 'Needs attention' }).locator('.trouble li');
    // The same cause once, with the resources that have it.
    const link = trouble.locator('a[href*="/agents/"]').first();
    const name = await link.innerText();
    const cause = await link.locator('xpath=ancestor::li').innerText();
    await link.click();
    const state = page.getByRole('article', { name }).locator('.resource-heading');
    const reason = await state.locator('.resource-reason > span').first().innerText();
    expect(cause).toContain(reason.split(', ')[0]);
    // What changed last before it failed, by whom, and the way back.
    await state.getByText(/^(Last change: .+|Created) by .+/).waitFor();
    await page.evaluate(() => localStorage.clear());
    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Image').fill('registry.example.com/mended:r2');
    await dialog.getByRole('row', { name: /spec\.runtime\.image.*mended:r2/ }).waitFor();
    await dialog.getByRole('button', { name: 'Save 1 change' }).click();
    await dialog.waitFor({ state: 'detached' });

    const { assignments } = await claim({ first: 20 });
    const { id: resourceId } = await agentWith({ name });
    const mine = assignments.find((each: { resourceId: string }) => each.resourceId === resourceId);
    const steps = { BUILDING: 'Building', BUILT: 'Built', DEPLOYING: 'Deploying', DEPLOYED: 'Deployed' };
    for (const [step, word] of Object.entries(steps)) {
      await report(mine, { state: step, message: `${word}, says the night shift` });
      await state.getByText(word, { exact: true }).waitFor();
      await state.getByText(`${word}, says the night shift`).waitFor();
    }
    await page.getByRole('region', { name: 'Events' }).getByText('Building, says the night shift').waitFor();
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').first().click();
    await trouble.first().waitFor();
    await expect.poll(() => trouble.filter({ has: page.getByRole('link', { name, exact: true }) }).count()).toBe(0);
  });

  it('edits a spec with validation errors and a diff, and saves it', async () => {
    const { name } = await agentWith({ status: 'DEPLOYED' });
    await page.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    await page.getByRole('article', { name }).waitFor();
    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'YAML' }).click();
    const text = dialog.getByRole('textbox');
    await text.waitFor();
    const before = await editorText(text);
    await pasteEditorText(text, before.replace(/memory: \d+/, 'memory: -3'));
    await dialog.getByRole('button', { name: 'Validate' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/memory/)
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await pasteEditorText(text, before.replace(/memory: \d+/, 'memory: 6144'));
    await dialog.getByRole('row', { name: /spec\.runtime\.memory.*6144/ }).waitFor();
    await dialog.getByRole('button', { name: 'Validate' }).click();
    await dialog.getByText('No problems found.').waitFor();
    await dialog.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByText(/· 6 GB ·/).waitFor();
    const { spec } = await agentWith({ name });
    expect(spec).toMatchObject({ runtime: { memory: 6144 } });
  });

  it('shows a conflicting edit, and merges the changes into it', async () => {
    const { name } = await agentWith({ status: 'DEPLOYED' });
    await page.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'YAML' }).click();
    const text = dialog.getByRole('textbox');
    await text.waitFor();
    await pasteEditorText(text, (await editorText(text)).replace(/displayName: .*/, 'displayName: Mine'));
    const other = await visit.context.newPage();
    await other.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    await other.getByRole('button', { name: 'Disable' }).click();
    // It shows the new state before it is saved, and cannot be pressed until then.
    await other.getByRole('button', { name: 'Enable', disabled: false }).waitFor();
    await other.close();
    await dialog.getByRole('button', { name: 'Validate' }).click();
    await dialog.getByText(`Changed: spec.enabled, status. Last change by ${demoOwner}`).waitFor();
    const sides = dialog.getByRole('region', { name: 'Conflicting changes' });
    await sides.getByRole('row', { name: /^spec\.enabled true false true$/ }).waitFor();
    await sides.getByRole('row', { name: /^metadata\.displayName .* Mine$/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Apply my changes on top' }).click();
    await dialog.getByRole('button', { name: 'Validate' }).click();
    await dialog.getByRole('button', { name: 'Save 1 change' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await agentWith({ name })).toMatchObject({ displayName: 'Mine', spec: { enabled: false } });
  });

  it('creates an agent with a form that validates each field on blur', async () => {
    await page.evaluate(() => localStorage.clear());
    await page.goto(`${origin}/w/${mainWorkspace}/agents`);
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Create agent' });
    await dialog.getByRole('textbox', { name: 'Name required' }).fill('Not A Name');
    await dialog.getByText('Only lowercase letters.').waitFor();
    await dialog.getByLabel('Memory').fill('-3');
    await dialog.getByLabel('Display name').focus();
    await dialog.getByText('Must be at least 1').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('textbox', { name: 'Name required' }).fill('made-by-form');
    await dialog.locator('summary', { hasText: 'Advanced' }).click();
    await dialog.getByRole('button', { name: 'Add to labels' }).click();
    await dialog.getByLabel('Key 1 of labels').fill('team');
    await dialog.getByLabel('Value 1 of labels').fill('ops, "night"');
    await dialog.getByLabel('Memory').fill('4096');
    await dialog.getByLabel('Generation').click();
    await page.getByRole('option', { name: 'mk3' }).click();
    await dialog.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('heading', { name: 'made-by-form' }).waitFor();
    expect(await agentWith({ name: 'made-by-form' })).toMatchObject({
      labels: { team: 'ops, "night"' },
      spec: { runtime: { memory: 4096, generation: 'mk3' } },
    });
  });

  it('deletes selected rows in bulk, and shows failures with their reasons', async () => {
    const { db } = running.app.services;
    const where = { workspaceId: idOf(mainWorkspace) };
    await page.goto(`${origin}/w/${mainWorkspace}/volumes?sort=name`);
    const rows = page.getByRole('row').filter({ has: page.getByRole('checkbox') });
    await rows.first().waitFor();
    const count = await rows.count();
    await rows.first().hover();
    await rows.first().getByRole('checkbox').click();
    await rows
      .nth(count - 1)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] });
    await page.getByRole('toolbar').getByText(`${count} volumes selected`).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete…' }).click();
    const asked = page.getByRole('alertdialog');
    await asked.getByRole('button', { name: `Delete ${count} volumes` }).click();
    await asked.getByText(/, \d+ failed/).waitFor();
    await asked
      .getByRole('list', { name: 'Failures' })
      .getByText(/is in use by the (agent|sandbox)/)
      .first()
      .waitFor();
    await asked.getByRole('button', { name: 'Close' }).click();
    const left = await db.volume.count({ where });
    expect(left).toBeLessThan(count);
    expect(left).toBeGreaterThan(0);
    await page.getByRole('toolbar').getByText(`${left} volumes selected`).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('toolbar').waitFor({ state: 'detached' });
  });

  it('disables many rows at once, and undoes it, but for those that were disabled before', async () => {
    await page.goto(`${origin}/w/${mainWorkspace}/agents?sort=name&state=healthy`);
    const rows = page.getByRole('row').filter({ has: page.getByRole('checkbox') });
    const names: string[] = [];
    for (const place of [0, 1, 2]) {
      await rows.nth(place).hover();
      await rows.nth(place).getByRole('checkbox').click();
      names.push(await rows.nth(place).locator('.cell-name .mono').innerText());
    }
    const enabled = async () => {
      const found = await Promise.all(names.map(async (name) => agentWith({ name })));
      return found.map(({ spec }) => typeof spec === 'object' && spec !== null && 'enabled' in spec && spec.enabled);
    };
    expect(await enabled()).toEqual([true, true, true]);
    // Somebody else disables one of them in the meantime.
    const owner = { accountId: idOf('meridian-freight'), principalId: idOf(demoOwner) };
    const { key } = await createKey(running.app, owner);
    const input = { workspace: mainWorkspace, name: names[1], spec: { enabled: false } };
    await graphql(
      running.app,
      key,
      'mutation ($input: UpdateAgentInput!) { updateAgent(input: $input) { __typename } }',
      {
        input,
      },
    );
    expect(await enabled()).toEqual([true, false, true]);
    await page.getByRole('toolbar').getByRole('button', { name: 'Disable' }).click();
    const told = page.getByRole('alertdialog');
    await told.getByRole('heading', { name: '3 agents disabled' }).waitFor();
    expect(await enabled()).toEqual([false, false, false]);
    await told.getByRole('button', { name: 'Undo' }).click();
    await told.getByRole('heading', { name: '2 agents enabled' }).waitFor();
    expect(await enabled()).toEqual([true, false, true]);
    await told.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('toolbar').getByText('3 agents selected').waitFor();
    await page.keyboard.press('Escape');
  });

  it('says of each selected row why it could not be changed', async () => {
    const { db } = running.app.services;
    await page.goto(`${origin}/w/${mainWorkspace}/agents?sort=name&state=healthy`);
    const row = page
      .getByRole('row')
      .filter({ has: page.getByRole('checkbox') })
      .first();
    await row.hover();
    await row.getByRole('checkbox').click();
    const name = await row.locator('.cell-name .mono').innerText();
    const told = page.getByRole('alertdialog');
    const error = { message: 'This credential cannot access it.', extensions: { code: 'access_denied' } };
    await page.route('**/graphql', async (route) =>
      /"operationName":"AgentDetail"/.test(route.request().postData() ?? '')
        ? route.fulfill({ json: { data: null, errors: [error] } })
        : route.continue(),
    );
    await page.getByRole('toolbar').getByRole('button', { name: 'Disable' }).click();
    const failures = told.getByRole('list', { name: 'Failures' });
    await failures.getByText(`${name} This credential cannot access it.`).waitFor();
    await page.unroute('**/graphql');
    await db.agent.deleteMany({ where: { workspaceId: idOf(mainWorkspace), name } });
    await told.getByRole('button', { name: 'Retry 1 failed' }).click();
    await expect.poll(() => failures.innerText()).toMatch(`${name} The agent was deleted.`);
    await told.getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('Escape');
  });

  it('deletes a sandbox, after it lists the dependent resources', async () => {
    const { db } = running.app.services;
    const where = { workspaceId: idOf(mainWorkspace), previews: { some: {} } };
    const { id, name } = await db.sandbox.findFirstOrThrow({ where });
    const previews = await db.sandboxPreview.count({ where: { sandboxId: id } });
    await page.goto(`${origin}/w/${mainWorkspace}/sandboxes/${name}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete sandbox…' }).click();
    const asked = page.getByRole('alertdialog');
    await asked.getByText(previews === 1 ? '1 preview and' : `${previews} previews and`).waitFor();
    await asked.getByRole('button', { name: 'Delete sandbox' }).click();
    await page.waitForURL(/\/sandboxes$/);
    expect(await db.sandbox.count({ where: { id } })).toBe(0);
  });

  it('does not open the form of another type as text after one was edited as text', async () => {
    const { name } = await agentWith({ status: 'DEPLOYED' });
    await page.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    await page.evaluate(() => localStorage.clear());
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'YAML' }).click();
    await dialog.getByRole('textbox', { name: `agent ${name} as YAML` }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.goto(`${origin}/a/meridian-freight/workspaces`);
    await page.getByRole('button', { name: 'Create workspace' }).click();
    await dialog.getByRole('textbox', { name: /^Name/ }).waitFor();
    expect(await dialog.getByRole('button', { name: 'Form' }).getAttribute('aria-pressed')).toBe('true');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  it('saves once when the connection is back, and says meanwhile that nothing is saved', async () => {
    const { name } = await agentWith({ status: 'DEPLOYED' });
    await page.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    await page.evaluate(() => localStorage.clear());
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Display name').fill('Saved after the restart');
    await dialog.getByRole('row', { name: /displayName.*Saved after the restart/ }).waitFor();
    const { version } = await agentWith({ name });
    await opened.restart(async () => {
      await dialog.getByRole('button', { name: 'Save 1 change' }).click();
      await dialog.getByText('Not saved yet: saving continues when the connection is back.').waitFor();
      expect(await dialog.getByRole('button', { name: 'Save 1 change' }).isDisabled()).toBe(true);
    });
    await dialog.waitFor({ state: 'detached' });
    expect(await agentWith({ name })).toMatchObject({
      displayName: 'Saved after the restart',
      version: Number(version) + 1,
    });
    // The browser itself logs the requests that failed.
    visit.problems.splice(0);
  });

  it('saves once, although typing pauses while it is saved', async () => {
    const { name } = await agentWith({ status: 'DEPLOYED' });
    await page.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'YAML' }).click();
    const text = dialog.getByRole('textbox');
    await text.waitFor();
    const { version } = await agentWith({ name });
    const sent: boolean[] = [];
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/graphql', async (route) => {
      const { operationName, variables } = route.request().postDataJSON();
      if (operationName === 'Change') {
        sent.push(variables.input.validateOnly);
        if (variables.input.validateOnly === false) await answered;
      }
      await route.continue();
    });
    await pasteEditorText(text, (await editorText(text)).replace(/memory: \d+/, 'memory: 7168'));
    const save = dialog.getByRole('button', { name: 'Save 1 change' });
    await save.click();
    await expect.poll(() => sent).toContain(false);
    // Longer than a pause of typing, after which the text is validated.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1_000)));
    expect(await save.isDisabled()).toBe(true);
    answer();
    await dialog.waitFor({ state: 'detached' });
    expect(sent.filter((validateOnly) => !validateOnly)).toHaveLength(1);
    expect(sent.lastIndexOf(true)).toBeLessThan(sent.indexOf(false));
    expect(await agentWith({ name })).toMatchObject({
      spec: { runtime: { memory: 7168 } },
      version: Number(version) + 1,
    });
    await page.unroute('**/graphql');
    await page.evaluate(() => localStorage.clear());
  });

  it('shows a switch as it was asked for until the changed resource is there', async () => {
    const { name } = await agentWith({ status: 'DEPLOYED', spec: { path: ['enabled'], equals: true } });
    await page.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/graphql', async (route) => {
      if (route.request().postDataJSON().operationName === 'AgentDetail') await answered;
      await route.continue();
    });
    const updated = page.waitForResponse((response) => response.request().postData()?.includes('updateAgent') === true);
    await page.getByRole('button', { name: 'Disable' }).click();
    await updated;
    const button = page.getByRole('button', { name: /^(Enable|Disable)$/ });
    await page.getByText(`${name} disabled`).waitFor();
    expect([await button.innerText(), await button.isDisabled()]).toEqual(['Enable', true]);
    answer();
    await page.getByRole('button', { name: 'Enable', disabled: false }).waitFor();
    await page.unroute('**/graphql');
  });

  it('keeps what was typed when another user deletes the resource', async () => {
    const { id, name } = await agentWith({ status: 'DEPLOYED', spec: { path: ['enabled'], equals: true } });
    await page.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Display name').fill('Typed for a long time');
    await running.app.services.db.agent.delete({ where: { id: String(id) } });
    // The page would read the agent again now.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await dialog.getByRole('button', { name: 'Save 1 change' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByLabel('Display name').inputValue()).toBe('Typed for a long time');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('heading', { name: `Agent “${name}” not found` }).waitFor();
  });

  it('keeps what was typed when the answer that the resource is gone was under way', async () => {
    const { id, name } = await agentWith({ status: 'DEPLOYED', spec: { path: ['enabled'], equals: true } });
    await page.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    const button = page.getByRole('button', { name: 'Edit', exact: true });
    await button.waitFor();
    const waiting: (() => Promise<void>)[] = [];
    await page.route('**/graphql', (route) => void waiting.push(() => route.continue()));
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await expect.poll(() => waiting.length).toBeGreaterThan(0);
    await button.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Display name').fill('Typed for a long time');
    await running.app.services.db.agent.delete({ where: { id: String(id) } });
    const answers = waiting.map(() => page.waitForResponse('**/graphql'));
    for (const answer of waiting) await answer();
    for (const answer of await Promise.all(answers)) await answer.finished();
    await page.unroute('**/graphql');
    await dialog.getByRole('button', { name: 'Save 1 change' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByLabel('Display name').inputValue()).toBe('Typed for a long time');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('heading', { name: `Agent “${name}” not found` }).waitFor();
  });

  it('keeps what was typed while the other version is read, and says if the resource was deleted meanwhile', async () => {
    const { db } = running.app.services;
    const { id, name } = await agentWith({ status: 'DEPLOYED', spec: { path: ['enabled'], equals: true } });
    const where = { id: String(id) };
    const changeElsewhere = async () => db.agent.update({ where, data: { version: { increment: 1 } } });
    await page.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    const field = dialog.getByLabel('Display name');
    const save = dialog.getByRole('button', { name: 'Save 1 change' });
    const take = dialog.getByRole('button', { name: 'Apply my changes on top' });
    await field.fill('Mine');
    await changeElsewhere();
    await save.click();
    await take.waitFor();
    const waiting: (() => Promise<void>)[] = [];
    await page.route('**/graphql', async (route) => {
      if (route.request().postDataJSON().operationName === 'AgentDetail') waiting.push(() => route.continue());
      else await route.continue();
    });
    await take.click();
    await expect.poll(() => waiting.length).toBe(1);
    await field.fill('Mine, and more');
    await waiting[0]?.();
    await take.waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe('Mine, and more');
    await page.unroute('**/graphql');
    await changeElsewhere();
    await save.click();
    await take.waitFor();
    await db.agent.delete({ where });
    await take.click();
    await dialog.getByRole('alert').getByText('The agent was deleted.', { exact: true }).waitFor();
    expect(await field.inputValue()).toBe('Mine, and more');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('heading', { name: `Agent “${name}” not found` }).waitFor();
  });

  it('selects all rows only if no other were selected meanwhile, and says if it cannot', async () => {
    await page.goto(`${origin}/w/${mainWorkspace}/agents`);
    const rows = page.getByRole('row').filter({ has: page.getByRole('checkbox') });
    const select = async (place: number) => {
      await rows.nth(place).hover();
      await rows.nth(place).getByRole('checkbox').click();
    };
    const bar = page.getByRole('toolbar', { name: 'Bulk actions' });
    const all = bar.getByRole('button', { name: /^Select all/ });
    await select(0);
    await all.waitFor();
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/graphql', async (route) => {
      if (route.request().postDataJSON().operationName === 'AgentPage') await released;
      await route.continue();
    });
    await all.click();
    await bar.getByText('Selecting…').waitFor();
    await select(1);
    await bar.getByText('2 agents selected').waitFor();
    release();
    await all.waitFor();
    expect(await bar.getByRole('status').innerText()).toBe('2 agents selected');
    await page.unroute('**/graphql');
    const errors = [{ message: 'Out of order.', extensions: { code: 'internal_error' } }];
    await page.route('**/graphql', async (route) => {
      if (route.request().postDataJSON().operationName === 'AgentPage') await route.fulfill({ json: { errors } });
      else await route.continue();
    });
    await all.click();
    await bar.getByRole('alert').getByText('Could not select all. Out of order.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.unroute('**/graphql');
    await all.click();
    await all.waitFor({ state: 'detached' });
    expect(await bar.getByRole('alert').count()).toBe(0);
    await bar.getByRole('button', { name: 'Clear' }).click();
  });

  it('moves the focus to the page of a resource that was created by keyboard', async () => {
    await page.goto(`${origin}/w/${mainWorkspace}/agents`);
    await settled(page);
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Create agent' });
    await dialog.getByRole('textbox', { name: 'Name required' }).fill('made-by-key');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'made-by-key' }).waitFor();
    await page.locator('main:focus').waitFor();
    // Until the agent is read, the page has nothing that takes the focus.
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.locator('main :focus').count()).toBe(1);
    await running.app.services.db.agent.deleteMany({ where: { name: 'made-by-key' } });
  });

  it('saves nothing after Cancel, although the connection comes back', async () => {
    const { name, displayName } = await agentWith({ status: 'DEPLOYED' });
    await page.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Display name').fill('Never saved');
    await dialog.getByRole('row', { name: /displayName.*Never saved/ }).waitFor();
    await opened.restart(async () => {
      await dialog.getByRole('button', { name: 'Save 1 change' }).click();
      await dialog.getByText('Not saved yet').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Discard' }).click();
      await dialog.waitFor({ state: 'detached' });
    });
    await page.getByText('Connection lost').waitFor({ state: 'detached' });
    expect(await agentWith({ name })).toMatchObject({ displayName });
    visit.problems.splice(0);
  });
});
