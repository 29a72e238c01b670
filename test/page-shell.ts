// A shell in which the blocks of a page are pasted one after another, in a folder that looks like a clone in which the demo
// runs. The gateway listens on another port than in the pages.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { briefDatabaseFlags } from './program-flags.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const { PATH = '' } = process.env;

/** The name of the address in the pages. */
const documented = 'localhost:4000';

export interface BlockResult {
  /** Standard output and standard error, without the marks of this shell. */
  output: string;
  stdout: string;
  /** Commands that failed, with their exit codes. */
  failed: string[];
  /** HTTP statuses of the requests of curl. */
  statuses: string[];
}

/** Large folders, which no page writes to. */
const shared = new Set(['node_modules', 'dist', 'bench', 'test']);

/** A folder like a clone: what a page names is there, and the demo keeps its data in it. Nothing is written to the repository. */
export function cloneFolder(data?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pages-'));
  const left = new Set(['.git', 'data', 'release', 'usage.csv', 'platform']);
  for (const name of readdirSync(root).filter((each) => !left.has(each))) {
    if (shared.has(name)) symlinkSync(join(root, name), join(folder, name));
    else cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  if (data !== undefined) cpSync(data, join(folder, 'data'), { recursive: true });
  return folder;
}

export interface Demo {
  /** Host and port. */
  host: string;
  stop: () => Promise<void>;
}

/** Starts the demo in a folder, and waits until it answers. */
export async function startDemo(folder: string): Promise<Demo> {
  const port = await freePort();
  const child = spawn(process.execPath, [...briefDatabaseFlags, join(root, 'dist/demo/main.js')], {
    cwd: folder,
    env: { PATH, HOME: folder, PORT: String(port), SHUTDOWN_DELAY_MS: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += String(chunk);
    if (/API key +\S+/.test(output)) {
      child.stdout.resume();
      return { host: `localhost:${port}`, stop: () => ended(child) };
    }
  }
  throw new Error(`the demo ended: ${output}`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

/** Waits for one line at a time from a shell that keeps its variables, functions and aliases. */
export class PageShell {
  readonly #child: ChildProcess;
  readonly #scripts: string;
  #count = 0;
  #output = '';
  #stdout = '';
  #onOutput = (): void => {};

  constructor(
    readonly folder: string,
    private readonly host: string,
    settings: Record<string, string> = {},
  ) {
    this.#scripts = mkdtempSync(join(tmpdir(), 'page-blocks-'));
    const programs = join(this.#scripts, 'bin');
    mkdirSync(programs);
    const lines = {
      curl: `exec /usr/bin/curl -w '%{stderr}@@http %{http_code}\\n' "$@"`,
      'control-plane': `exec ${process.execPath} ${join(root, 'dist/control-plane.js')} "$@"`,
      // The folder shares its packages with this repository: nothing may install here, or run the tests in a test.
      npm: `case "$*" in 'run -s admin -- '*) shift 4; exec control-plane "$@" ;; esac; echo "no npm $* here" >&2; exit 1`,
    };
    for (const [name, line] of Object.entries(lines))
      writeFileSync(join(programs, name), `#!/usr/bin/env bash\n${line}\n`, { mode: 0o755 });
    this.#child = spawn('bash', ['--noprofile', '--norc'], {
      cwd: folder,
      env: { PATH: `${programs}:${PATH}`, HOME: folder, SERVER: `http://${host}`, LANG: 'C.UTF-8', ...settings },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child.stdout?.on('data', (chunk) => this.#take(String(chunk), true));
    this.#child.stderr?.on('data', (chunk) => this.#take(String(chunk), false));
    this.#child.stdin?.write(
      'shopt -s expand_aliases; set -E -o pipefail; trap \'echo "@@failed $? $BASH_COMMAND" >&2\' ERR\n',
    );
  }

  #take(text: string, isStdout: boolean): void {
    this.#output += text;
    if (isStdout) this.#stdout += text;
    this.#onOutput();
  }

  /** Pastes a block. With `stopAfter`, the block is stopped after so many seconds. */
  async run(text: string, stopAfter?: number): Promise<BlockResult> {
    const file = join(this.#scripts, `${++this.#count}.sh`);
    const own = text.replaceAll(documented, this.host);
    writeFileSync(file, own);
    this.#output = '';
    this.#stdout = '';
    const done = `@@done ${this.#count}`;
    const line =
      stopAfter === undefined
        ? `source ${file} </dev/null`
        : `timeout --foreground --kill-after=5 ${stopAfter} bash -c "$(declare -p KEY URL ACCOUNT 2>/dev/null)
. ${file}" </dev/null || [ $? = 124 ]`;
    this.#child.stdin?.write(`${line}\necho "${done}" >&2\n`);
    const ended = new AbortController();
    const exit = once(this.#child, 'exit', { signal: ended.signal }).then(
      () => Promise.reject(new Error(`the shell ended: ${this.#output}`)),
      () => {},
    );
    const printed = new Promise<void>((resolve) => {
      this.#onOutput = () => {
        if (this.#output.includes(done)) resolve();
      };
      this.#onOutput();
    });
    await Promise.race([exit, printed]);
    ended.abort();
    // Standard output comes on another pipe than the mark.
    await new Promise((resolve) => setTimeout(resolve, 20));
    const marked = [...this.#output.matchAll(/@@(failed|http) (.*)/g)];
    return {
      output: this.#output.replaceAll(/@@(?:failed|http|done) .*\n?/g, ''),
      stdout: this.#stdout,
      failed: marked.flatMap(([, kind, rest = '']) => (kind === 'failed' ? [rest] : [])),
      statuses: marked.flatMap(([, kind, rest = '']) => (kind === 'http' ? [rest] : [])),
    };
  }

  /** The value of a variable of the shell. */
  async value(name: string): Promise<string> {
    return (await this.run(`printf %s "$${name}"`)).stdout;
  }

  async close(): Promise<void> {
    const { pid, exitCode } = this.#child;
    if (exitCode === null && pid !== undefined) {
      const exit = once(this.#child, 'exit');
      // With the programs that its blocks have left running.
      process.kill(-pid, 'SIGKILL');
      await exit;
    }
    rmSync(this.#scripts, { recursive: true });
  }
}

/** The key that the demo keeps in its folder. */
export const demoKeyOf = (folder: string): string => readFileSync(join(folder, 'data/demo-key'), 'utf8').trim();

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
