// The forms of the console in a real browser: few clicks, variables from .env files, schedules, images, text, duplicates.
import type { Locator, Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mainWorkspace } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { frozenNow, useApp } from '../harness.js';
import { complaintsIn, editorText, pasteEditorText, freePort, hasBrowser, useConsole } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({
  PUBLIC_URL: origin,
  LOGS_URL: 'https://logs.example.com/{kind}/{workspace}/{name}?task={task}&from={from}&to={to}',
});

describe.skipIf(!hasBrowser)('Forms in a browser', () => {
  const opened = useConsole(running, port);
  let page: Page;

  beforeAll(() => {
    ({ page } = opened);
  });

  beforeEach(async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.evaluate(() => localStorage.clear());
  });

  async function agentWith(where: object): Promise<{ name: string; spec: unknown; [field: string]: unknown }> {
    return running.app.services.db.agent.findFirstOrThrow({
      where: { workspaceId: idOf(mainWorkspace), ...where },
      // Those of the demo come before those of other tests.
      orderBy: [{ createdAt: 'asc' }, { name: 'asc' }],
    });
  }

  async function openList(kind: string): Promise<void> {
    await page.goto(`${origin}/w/${mainWorkspace}/${kind}`);
    await page.getByRole('main').locator('h1').waitFor();
    await page.getByRole('grid').or(page.getByRole('table')).first().waitFor();
  }

  /** Until what is typed goes to the field. */
  async function focused(field: Locator): Promise<void> {
    await expect.poll(() => field.evaluate((element) => element.matches(':focus'))).toBe(true);
  }

  const scheduleIn = (dialog: Locator) =>
    dialog.getByRole('group', { name: 'Cron trigger 1' }).getByRole('textbox').first();

  /** Counts clicks of the pointer, and keys that press something. */
  async function countPresses(): Promise<() => Promise<{ clicks: number; keys: number }>> {
    await page.evaluate(() => {
      Object.assign(window, { presses: { clicks: 0, keys: 0 } });
      document.addEventListener(
        'click',
        ({ detail }) => {
          const { presses }: { presses: { clicks: number; keys: number } } = Object(window);
          if (detail > 0) presses.clicks++;
          else presses.keys++;
        },
        true,
      );
    });
    return async () => page.evaluate(() => Object(window).presses);
  }

  async function pasteInto(field: Locator, text: string): Promise<void> {
    await field.evaluate((element, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', pasted);
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, text);
  }

  // It is the first to load everything, and looks at the longest form of all.
  it(
    'creates an agent with an image, a secret and a schedule in at most six clicks',
    { timeout: 180_000 },
    async () => {
      await openList('agents');
      const presses = await countPresses();
      await page.getByRole('button', { name: 'Create agent' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'Create agent' });
      await focused(dialog.getByLabel(/^Name required/));
      await page.keyboard.type('six-clicks');
      await dialog.getByLabel('Image').click();
      await focused(dialog.getByLabel('Image'));
      await page.keyboard.type('registry.example.com/agents/six:r1');
      await dialog.getByLabel('Name of variable 1').click();
      await focused(dialog.getByLabel('Name of variable 1'));
      await page.keyboard.type('API_TOKEN');
      await page.keyboard.press('Tab');
      await page.keyboard.type('of six clicks');
      await dialog.getByLabel('Secret: API_TOKEN').click();
      await dialog.getByRole('button', { name: 'Add cron trigger' }).click();
      await focused(scheduleIn(dialog));
      await page.keyboard.type('30 6 * * 1-5');
      await dialog.getByText('At 06:30, Monday through Friday').waitFor();
      expect((await dialog.getByText(/^Next: /).innerText()).split(' · ')).toHaveLength(3);
      expect(await complaintsIn(page, 'create agent')).toEqual([]);
      await page.setViewportSize({ width: 1280, height: 800 });
      await dialog.getByRole('button', { name: 'Create agent' }).click();
      await page.getByRole('heading', { name: 'six-clicks' }).waitFor();
      expect((await presses()).clicks).toBeLessThanOrEqual(6);
      const { spec } = await agentWith({ name: 'six-clicks' });
      expect(spec).toMatchObject({
        runtime: { image: 'registry.example.com/agents/six:r1', envs: [{ name: 'API_TOKEN', secret: true }] },
        triggers: [{ type: 'cron', configuration: { schedule: '30 6 * * 1-5' } }],
      });
      expect(JSON.stringify(spec)).not.toContain('of six clicks');
    },
  );

  it('creates the same with the keyboard alone, in at most six presses', async () => {
    await openList('agents');
    const presses = await countPresses();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Create agent' });
    await focused(dialog.getByLabel(/^Name required/));
    await page.keyboard.type('keys-only');
    const tabTo = async (field: Locator) => {
      for (let count = 0; count < 40; count++) {
        if (await field.evaluate((element) => element === document.activeElement)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error('The Tab key does not reach the field.');
    };
    await tabTo(dialog.getByLabel('Image'));
    await page.keyboard.type('registry.example.com/agents/keys:r1');
    await tabTo(dialog.getByLabel('Name of variable 1'));
    await page.keyboard.type('API_TOKEN');
    await page.keyboard.press('Tab');
    await page.keyboard.type('of keys');
    await tabTo(dialog.getByLabel('Secret: API_TOKEN'));
    await page.keyboard.press('Space');
    await tabTo(dialog.getByRole('button', { name: 'Add cron trigger' }));
    await page.keyboard.press('Enter');
    await focused(scheduleIn(dialog));
    await page.keyboard.type('0 7 * * *');
    await tabTo(dialog.getByRole('button', { name: 'Create agent' }));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'keys-only' }).waitFor();
    const { clicks, keys } = await presses();
    expect(clicks).toBe(0);
    expect(keys).toBeLessThanOrEqual(6);
    const { spec } = await agentWith({ name: 'keys-only' });
    expect(spec).toMatchObject({ runtime: { envs: [{ secret: true }] }, triggers: [{ type: 'cron' }] });
  });

  it('states the rule of a name while it is typed, and shows defaults', async () => {
    await openList('agents');
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Create agent' });
    const name = dialog.getByLabel(/^Name required/);
    await name.pressSequentially('Night shift');
    await dialog.getByText('Only lowercase letters.').waitFor();
    await name.fill('night-shift');
    await expect.poll(() => name.getAttribute('aria-invalid')).toBe('false');
    expect(await dialog.getByLabel('Memory').getAttribute('placeholder')).toBe('Default: set by the platform');
    await dialog.locator('summary', { hasText: 'Advanced' }).click();
    await dialog.getByLabel('Enabled').getByText('Default: yes').waitFor();
    await dialog.getByLabel('Region').click();
    await page.getByRole('option', { name: 'eu-frankfurt-1' }).click();
    await dialog.getByLabel('Region').getByText('eu-frankfurt-1').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  it('offers images of the workspace, also shared ones, with their tags', async () => {
    const shared = await running.app.services.db.image.findFirstOrThrow({
      where: { workspaceId: idOf(mainWorkspace), sourceWorkspace: { not: null } },
    });
    const kind = shared.resourceType;
    await openList(kind);
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Image').click();
    await dialog.getByLabel('Image').pressSequentially(shared.name.slice(0, 6));
    const option = page.getByRole('option', {
      name: new RegExp(`^${shared.name}.*shared by ${shared.sourceWorkspace}`),
    });
    await option.first().waitFor();
    expect(await complaintsIn(page, 'image picker')).toEqual([]);
    await option.first().click();
    const chosen = await dialog.getByLabel('Image').inputValue();
    expect(chosen).toMatch(new RegExp(`^${shared.name}(:.+)?$`));
    await page.locator('.popup').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keep editing' }).click();
    expect(await dialog.getByLabel('Image').inputValue()).toBe(chosen);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  it('takes the variables of a pasted .env file, and names duplicates and other lines', async () => {
    await openList('sandboxes');
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Create sandbox' });
    await dialog.getByLabel(/^Name required/).fill('from-env');
    await dialog.getByLabel('Name of variable 1').fill('MODE');
    await dialog.getByLabel('Value of MODE').fill('slow');
    const file = [
      '# comment',
      'export A="one # not a comment"',
      "B='two'",
      'KEY="-----BEGIN\nEND-----"',
      'MODE=fast # comment',
      'A=three',
      'what is this',
    ].join('\n');
    await pasteInto(dialog.getByLabel('Name of variable 2'), file);
    await dialog
      .getByText(
        'Added 3 variables. Mark the secret ones. Replaced MODE. In the file more than once, of which the last value is used: A. Not variables, and skipped: line 8.',
      )
      .waitFor();
    expect(await dialog.getByLabel('Value of KEY').inputValue()).toBe('-----BEGIN\nEND-----');
    await dialog.getByLabel('Secret: KEY').check();
    await dialog.getByRole('button', { name: 'Remove B' }).click();
    expect(await complaintsIn(page, 'environment')).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await dialog.getByLabel('Name of variable 4').fill('A');
    await dialog.getByText('A is set more than once.').waitFor();
    await dialog.getByRole('button', { name: 'Remove A' }).last().click();
    // A name that is typed anew does not become that of the next variable.
    await dialog.getByLabel('Value of A').fill('');
    await dialog.getByLabel('Name of variable 2').fill('');
    await dialog.getByLabel('Name of variable 2').pressSequentially('A');
    await dialog.getByLabel('Value of A').fill('three');
    // Of two labels with one key, only the last one is sent.
    await dialog.locator('summary', { hasText: 'Advanced' }).click();
    for (const [index, value] of ['ops', 'night'].entries()) {
      await dialog.getByRole('button', { name: 'Add to labels' }).click();
      await dialog.getByLabel(`Key ${index + 1} of labels`).fill('team');
      await dialog.getByLabel(`Value ${index + 1} of labels`).fill(value);
    }
    await dialog.getByText('team is set more than once: the last value is used').waitFor();
    await dialog.getByRole('button', { name: 'Remove team' }).first().click();
    await dialog.getByRole('button', { name: 'Create sandbox' }).click();
    await page.getByRole('heading', { name: 'from-env' }).waitFor();
    const { spec } = await running.app.services.db.sandbox.findFirstOrThrow({ where: { name: 'from-env' } });
    expect(spec).toMatchObject({
      runtime: {
        envs: [
          { name: 'MODE', value: 'fast' },
          { name: 'A', value: 'three' },
          { name: 'KEY', secret: true },
        ],
      },
    });
  });

  it('previews the schedule of a job in its time zone', async () => {
    await openList('jobs');
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Create job' });
    await dialog.getByRole('textbox', { name: 'Schedule' }).fill('0 9 1 * *');
    await dialog.getByText('At 09:00, on day 1 of the month').waitFor();
    await dialog.getByText(/^Next: .*UTC/).waitFor();
    await dialog.getByLabel('Time zone').fill('Asia/Tokyo');
    await dialog.getByText(/^Next: .*GMT\+9/).waitFor();
    await dialog.getByRole('textbox', { name: 'Schedule' }).fill('0 9 30 2 *');
    await dialog.getByText('This schedule never runs').waitFor();
    await dialog.getByRole('textbox', { name: 'Schedule' }).fill('0 99 1 * *');
    await dialog.getByText('Has an invalid hour: "99"').waitFor();
    expect(await complaintsIn(page, 'create job')).toEqual([]);
    await page.keyboard.press('Escape');
  });

  it('completes YAML by the schema, and shows problems at their lines', async () => {
    const { name } = await agentWith({ status: 'DEPLOYED', name: { not: 'six-clicks' } });
    await page.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    await page.getByRole('article', { name }).waitFor();
    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'YAML' }).click();
    const text = dialog.getByRole('textbox', { name: `agent ${name} as YAML` });
    await text.waitFor();
    const before = await editorText(text);
    expect(before).toMatch(/^ {4}memory: \d+$/m);

    await pasteEditorText(text, `${before.replace(/^ {4}memory: \d+$/m, '    memory: -3')}`);
    const marked = dialog.locator('.cm-lintRange-error');
    await expect.poll(() => marked.allInnerTexts()).toEqual(['-3']);
    await dialog.getByText('spec.runtime.memory must be').waitFor();
    expect(await complaintsIn(page, 'yaml')).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });

    // The dialog has a text before the next key, so that it never restores an older one.
    await pasteEditorText(text, before);
    const shown = await text.evaluate((element) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', 'spec: {}');
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      return document.querySelector('[role=dialog]')?.textContent;
    });
    expect(shown).toContain('"spec" is repeated');

    await pasteEditorText(text, 'spec:\n  runtime: [');
    await expect.poll(() => marked.count()).toBe(1);
    await pasteEditorText(text, 'spec:\n  runtime:\n    ');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('gen');
    const options = dialog.getByRole('option');
    await expect.poll(() => options.allInnerTexts()).toEqual([expect.stringContaining('generation')]);
    // The editor ignores keys for a moment after its list opens, by the clock of the page.
    const later = async (seconds: number) => page.clock.setFixedTime(frozenNow.getTime() + seconds * 1000);
    await later(1);
    await page.keyboard.press('Enter');
    await page.keyboard.type('mk');
    await expect.poll(() => options.allInnerTexts()).toEqual(['mk2', 'mk3']);
    await later(2);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await editorText(text)).toBe('spec:\n  runtime:\n    generation: mk3');

    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await expect.poll(() => text.evaluate((element) => element.matches(':focus'))).toBe(false);
    await dialog.getByRole('button', { name: 'Form' }).click();
    await dialog.getByLabel('Generation').getByText('mk3').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  it('restores a stored secret when its new value is cleared, also after a look at the text', async () => {
    await page.goto(`${origin}/w/${mainWorkspace}/agents/six-clicks`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    const secret = dialog.getByLabel('Value of API_TOKEN');
    await secret.fill('another one');
    await dialog.getByRole('button', { name: 'YAML' }).click();
    await dialog.getByRole('textbox', { name: 'agent six-clicks as YAML' }).waitFor();
    await dialog.getByRole('button', { name: 'Form' }).click();
    expect(await secret.inputValue()).toBe('another one');
    await secret.fill('');
    expect(await secret.getAttribute('placeholder')).toBe('Unchanged');
    await dialog.getByText('No changes.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  it('duplicates an agent, and asks for its secrets again', async () => {
    const { name } = await agentWith({ name: 'six-clicks' });
    await page.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Duplicate…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Duplicate agent' });
    expect(await dialog.getByLabel('Image').inputValue()).toBe('registry.example.com/agents/six:r1');
    await dialog.getByLabel(/^Name required/).fill('the-copy');
    await dialog.getByRole('button', { name: 'Create agent' }).click();
    await dialog.getByText('API_TOKEN: Enter the secret again, or remove the variable.').waitFor();
    expect(await complaintsIn(page, 'duplicate agent')).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await dialog.getByLabel('Value of API_TOKEN').fill('entered again');
    await dialog.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('heading', { name: 'the-copy' }).waitFor();
    const { spec } = await agentWith({ name: 'the-copy' });
    expect(spec).toMatchObject({
      runtime: { image: 'registry.example.com/agents/six:r1', envs: [{ name: 'API_TOKEN', secret: true }] },
      triggers: [{ type: 'cron' }],
    });
  });

  it('links to the logs of a workload, and to those around its failure', async () => {
    const failed = await agentWith({ status: 'FAILED' });
    await page.goto(`${origin}/w/${mainWorkspace}/agents/${failed.name}`);
    const link = page.getByRole('link', { name: 'View logs', exact: true });
    await link.waitFor();
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await link.getAttribute('target')).toBe('_blank');
    const around = page.getByRole('link', { name: 'View logs around the failure' });
    const url = new URL((await around.getAttribute('href')) ?? '');
    expect(url.pathname).toBe(`/agent/${mainWorkspace}/${failed.name}`);
    const time = Date.parse((await page.locator('.resource-reason time').first().getAttribute('datetime')) ?? '');
    expect(Date.parse(url.searchParams.get('from') ?? '')).toBeLessThan(time);
    expect(Date.parse(url.searchParams.get('to') ?? '')).toBeGreaterThan(time);
    expect(await complaintsIn(page, 'failed agent')).toEqual([]);

    const { id, job } = await running.app.services.db.jobExecution.findFirstOrThrow({
      where: { workspaceId: idOf(mainWorkspace), startedAt: { not: null } },
      include: { job: true },
    });
    await page.goto(`${origin}/w/${mainWorkspace}/jobs/${job.name}/executions/${id}`);
    const ofTask = page.getByRole('link', { name: /^View logs of / }).first();
    await ofTask.waitFor();
    expect(await ofTask.getAttribute('href')).toContain(
      `https://logs.example.com/job/${mainWorkspace}/${job.name}?task=`,
    );
    expect(await complaintsIn(page, 'execution')).toEqual([]);
  });

  it('closes with Escape without asking if nothing was typed, also without a spec', async () => {
    await page.goto(`${origin}/a/meridian-freight/workspaces`);
    const opener = page.getByRole('button', { name: 'Create workspace' }).first();
    await opener.click();
    const dialog = page.getByRole('dialog', { name: 'Create workspace' });
    await focused(dialog.getByLabel(/^Name required/));
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByRole('alertdialog').count()).toBe(0);
    await focused(opener);
  });

  it('asks before Escape, Cancel or Back discards entries, and not without entries', async () => {
    await openList('agents');
    const asked = page.getByRole('alertdialog', { name: 'Discard your entries?' });
    await page.getByRole('link', { name: 'Jobs' }).first().click();
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
    await page.getByRole('button', { name: 'Create job' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Create job' });
    const name = dialog.getByLabel(/^Name required/);
    await focused(name);
    // Without entries.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create job' }).first().click();
    await focused(name);
    await page.keyboard.type('kept');
    await page.keyboard.press('Escape');
    await asked.waitFor();
    expect(await complaintsIn(page, 'discard entries')).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await asked.getByRole('button', { name: 'Keep editing' }).click();
    await asked.waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await asked.getByRole('button', { name: 'Keep editing' }).click();
    await page.mouse.click(5, 5);
    // The palette would navigate away.
    await name.focus();
    await page.keyboard.press('ControlOrMeta+k');
    await page.goBack({ waitUntil: 'commit' }).catch(() => {});
    await asked.waitFor();
    await page.keyboard.press('Escape');
    await asked.waitFor({ state: 'detached' });
    expect(await name.inputValue()).toBe('kept');
    expect(page.url()).toContain('/jobs');
    await page.goBack({ waitUntil: 'commit' }).catch(() => {});
    await asked.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    expect(await dialog.count()).toBe(0);
  });

  it('asks before Escape discards the change of an agent, and saves it with Ctrl+Enter', async () => {
    const { name } = await agentWith({ status: 'DEPLOYED' });
    await page.goto(`${origin}/w/${mainWorkspace}/agents/${name}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Display name/).fill('Typed with care');
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).click();
    await dialog.getByLabel(/^Display name/).press('ControlOrMeta+Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(`${name} updated`).waitFor();
    expect(await agentWith({ name })).toMatchObject({ displayName: 'Typed with care' });
  });
});
