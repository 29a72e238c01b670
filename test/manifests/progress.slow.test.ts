// What `apply` shows while it runs, and what an interrupt leaves.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { useApp } from '../harness.js';
import { openShell } from './command.js';
import type { Shell } from './command.js';

const running = useApp();
let shell: Shell;

beforeEach(async () => {
  shell = await openShell(running.app);
});

const nameOf = (n: number) => `agent-${String(n).padStart(3, '0')}`;
const agents = (count: number) =>
  Array.from(
    { length: count },
    (_, n) => `kind: Agent\nworkspace: ${shell.workspace}\nmetadata: { name: ${nameOf(n)}, labels: { app: shop } }\n`,
  ).join('---\n');
const createdLines = (count: number) =>
  Array.from({ length: count }, (_, n) => `created    Agent ${shell.workspace}/${nameOf(n)}\n`).join('');
const storedAgents = () => running.app.services.db.agent.count({ where: { workspace: { name: shell.workspace } } });

describe('apply, while it runs', () => {
  it('prints each line as soon as it is known, in the order of the documents', async () => {
    const printed: string[] = [];
    const storedAt: number[] = [];
    let counting = Promise.resolve();
    const print = (line: string) => {
      printed.push(line);
      if (printed.length === 10) counting = storedAgents().then((count) => void storedAt.push(count));
    };
    const result = await shell.run('apply -f -', agents(60), { print });
    await counting;
    expect(printed.join('')).toBe(createdLines(60));
    expect(result).toEqual({
      stdout: '60 created, 0 updated, 0 unchanged, 0 deleted, 0 refused.\n',
      stderr: '',
      exitCode: 0,
    });
    expect(storedAt[0]).toBeLessThan(60);
  });

  it('shows a progress bar on a terminal, and removes it before a line and at the end', async () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    const shown = text(terminal);
    await shell.run('apply -f -', agents(40), { terminal, print: (line) => void terminal.write(line) });
    terminal.end();
    const all = await shown;
    expect(all).toMatch(/Applying .*0 of 40/);
    expect(all).toMatch(/Applying .*40 of 40/);
    // Each line starts at the start of an empty line.
    expect(all.split(`\u001B[1G\u001B[2Kcreated    Agent ${shell.workspace}/`)).toHaveLength(41);
    expect(all.slice(all.lastIndexOf('40 of 40'))).toContain('\u001B[0J');
  });

  it('prints one JSON object at the end, with a bar on a terminal', async () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    const shown = text(terminal);
    const printed: string[] = [];
    const print = (line: string) => void printed.push(line);
    const { stdout } = await shell.run('apply -f - --json', agents(5), { terminal, print });
    terminal.end();
    expect(printed).toEqual([]);
    expect(JSON.parse(stdout)).toMatchObject({ summary: { created: 5 } });
    expect(await shown).toMatch(/Applying .*5 of 5/);
  });

  it('counts the deletions of --prune', async () => {
    await shell.done('apply -f -', agents(12));
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    const shown = text(terminal);
    const { stdout } = await shell.run('apply -f - --prune app=shop', agents(2), { terminal });
    terminal.end();
    expect(stdout).toContain('0 created, 0 updated, 2 unchanged, 10 deleted, 0 refused.');
    expect(await shown).toMatch(/Applying .*12 of 12/);
  });
});

describe('an interrupted apply', () => {
  it('finishes requests in progress, says what was done, and continues when it is run again', async () => {
    const interrupting = new AbortController();
    const printed: string[] = [];
    const told: string[] = [];
    const result = await shell.run('apply -f -', agents(100), {
      print: (line) => {
        printed.push(line);
        if (printed.length === 20) interrupting.abort();
      },
      tell: (line) => void told.push(line),
      interruptible: (act) => act(interrupting.signal),
    });
    const created = await storedAgents();
    expect(created).toBeGreaterThanOrEqual(20);
    expect(created).toBeLessThan(100);
    expect(printed.join('')).toBe(createdLines(created));
    expect(told).toEqual(['Interrupted. Requests in progress finish. Press Ctrl+C again to end at once.']);
    expect(result).toEqual({
      stdout:
        `${100 - created} documents were not applied. Run the command again.\n` +
        `${created} created, 0 updated, 0 unchanged, 0 deleted, 0 refused.\n`,
      stderr: 'Interrupted. Run the command again to continue.\n',
      exitCode: 1,
    });
    expect(await shell.done('apply -f -', agents(100))).toContain(
      `${100 - created} created, 0 updated, ${created} unchanged`,
    );
  });

  it('deletes nothing with --prune', async () => {
    await shell.done('apply -f -', agents(30));
    const interrupting = new AbortController();
    const { exitCode } = await shell.run('apply -f - --prune app=shop', agents(20), {
      print: () => interrupting.abort(),
      interruptible: (act) => act(interrupting.signal),
    });
    expect(exitCode).toBe(1);
    expect(await storedAgents()).toBe(30);
  });
});
