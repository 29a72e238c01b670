// The commands of docs/executors.md, pasted in order into three shells beside a gateway of their own.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/executors.md'), 'utf8');
const blocks = Array.from(page.matchAll(/^```sh\n(.*?)^```$/gms), ([, text = '']) => text);
const folder = mkdtempSync(join(tmpdir(), 'executors-page-'));
const shells: Shell[] = [];

afterAll(async () => {
  for (const shell of shells.toReversed()) await shell.end();
  rmSync(folder, { recursive: true });
});

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return String(typeof address === 'object' && address !== null ? address.port : 0);
}

/** A shell of somebody new: it has no variables but PATH and HOME. The dependencies are installed. */
class Shell {
  readonly #child: ChildProcess;
  output = '';

  constructor() {
    this.#child = spawn('bash', ['--noprofile', '--norc'], {
      cwd: root,
      env: { PATH: process.env['PATH'], HOME: folder },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    }
    this.paste('npm() { [ "$1" = ci ] || command npm "$@"; }\n');
    shells.push(this);
  }

  paste(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** Pastes a block. @returns its output, once it has ended. */
  async run(text: string): Promise<string> {
    const [before, mark] = [this.output.length, `ended-${this.output.length}`];
    this.paste(`${text}\necho ${mark}\n`);
    const until = Date.now() + 180_000;
    while (!this.output.slice(before).includes(`${mark}\n`) && Date.now() < until) await pause(100);
    return this.output.slice(before);
  }

  async end(): Promise<void> {
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGTERM');
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
  }
}

it('runs as it stands', async () => {
  const [port, router] = [await freePort(), await freePort()];
  const [gateway = '', example = '', ...others] = blocks.map((block) =>
    block
      .replaceAll('4001', port)
      .replaceAll('localhost:8080', `localhost:${router}`)
      .replaceAll('/tmp/', `${folder}/`),
  );
  const [first, second, third] = [new Shell(), new Shell(), new Shell()];
  first.paste(gateway);
  const isReady = () =>
    fetch(`http://localhost:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isReady, { timeout: 180_000, interval: 500 }).toBe(true);
  second.paste(`export ROUTER_PORT=${router}\n${example}`);
  await expect.poll(() => second.output, { timeout: 180_000 }).toContain('Agents answer at');
  const outputs: string[] = [];
  for (const block of others) outputs.push(await third.run(block));
  const [created = '', , run = ''] = outputs;
  expect(created).toContain('Hello!');
  expect(run).toContain('Agent acme-main/hello is UPLOADING.');
  expect(run).toMatch(/"status":"(RUNNING|SUCCEEDED)"/);
  expect(run).toContain('DeleteAgentPayload');
  for (const output of outputs) expect(output).not.toMatch(/"errors"|"code"|command not found|rror:/);
  expect(readFileSync(join(folder, 'executor-try-logs/acme-main/greet.log'), 'utf8')).toBe('hello from one\n');
  const query = '{ workspace(name: "acme-main") { changes(first: 100) { nodes { name message } } } }';
  const history = await third.run(`curl -s $SERVER/graphql -H "Authorization: Bearer $KEY" \\
    -H 'Content-Type: application/json' -d '${JSON.stringify({ query })}'`);
  expect(history).toContain('exit code 1');
  expect(history).toContain('Restarted after a failure (restart 1)');
}, 600_000);
