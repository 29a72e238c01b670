#!/usr/bin/env node
// The admin command line: `control-plane --help`. It opens the database itself. If a gateway has an embedded database
// open, the gateway runs the command instead. Commands that are clients of a gateway need no database.
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { misspeltSettings, readConfig } from '../config.js';
import type { Config } from '../config.js';
import { adminSocketOf, FolderInUseError } from '../database/embedded-folder.js';
import { openDatabase } from '../database/open.js';
import { createLog, createProcessServices, requireSecrets } from '../server/create-services.js';
import { version } from '../server/version.js';
import { runCompletion } from './completion.js';
import type { CommandResult } from './print.js';
import { runIfForGateway } from './gateway-command-line.js';
import { runMigrate } from './migrate.js';
import { runRestore } from './restore.js';
import { failedResult, prepareCommandLine, withHelpOption } from './run.js';
import type { PreparedCommand } from './run.js';
import { askGateway } from './socket.js';
import { requireDatabase, whichDatabase } from './which-database.js';
import { isClosedPipe } from './write-out.js';

/**
 * Maximum wait for a gateway that is starting or stopping, or another command, which lock the folder without listening.
 */
const busyMsMax = 20_000;
const retryMs = 200;

type Run = PreparedCommand['run'];

const signals = ['SIGINT', 'SIGTERM'] as const;

/** The folder that standard input and output are spooled to, which must not outlast the process. */
let spoolFolder: string | undefined;

// A reader such as "head" may close its end early. The command continues.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error) => {
    if (!isClosedPipe(error)) throw error;
  });
}
const result = await execute(withHelpOption(process.argv.slice(2)));
process.stderr.write(result.stderr);
process.stdout.write(result.stdout);
process.exitCode = result.exitCode;

async function execute(argv: string[]): Promise<CommandResult> {
  if (argv.includes('--version')) return { stdout: `${version}\n`, stderr: '', exitCode: 0 };
  const tell = (line: string) => void process.stderr.write(`${line}\n`);
  const result = await runIfForGateway(argv, {
    environment: process.env,
    folder: process.cwd(),
    standardInput: process.stdin,
    tell,
    pause: async (ms) => void (await setTimeout(ms)),
    print: (text) => void process.stdout.write(text),
    ...(process.stderr.isTTY ? { terminal: process.stderr } : {}),
    interruptible,
  });
  if (result !== undefined) return result;
  const migrated = await runMigrate(argv, process.env, tell);
  if (migrated !== undefined) return migrated;
  const restored = await runRestore(argv, () => readConfig(process.env));
  if (restored !== undefined) return restored;
  const completion = runCompletion(argv);
  if (completion !== undefined) return completion;
  const prepared = prepareCommandLine(argv);
  if ('result' in prepared) return prepared.result;
  try {
    const config = readConfig(process.env);
    for (const warning of misspeltSettings(process.env)) tell(warning);
    requireDatabase(config);
    tell(`On ${whichDatabase(config)}:`);
    if (!prepared.asks || !process.stdin.isTTY || !process.stderr.isTTY) {
      return await runWhereDatabaseIs(config, argv, prepared);
    }
    return await runIfConfirmed(config, argv);
  } catch (error) {
    return failedResult(error);
  }
}

/** Shows what a dry run prints, asks, and runs the command. */
async function runIfConfirmed(config: Config, argv: string[]): Promise<CommandResult> {
  const run = async (line: string[]) => {
    const prepared = prepareCommandLine(line);
    return 'result' in prepared ? prepared.result : runWhereDatabaseIs(config, line, prepared);
  };
  const preview = await run([...argv.filter((word) => word !== '--json'), '--dry-run']);
  if (preview.exitCode !== 0) return preview;
  process.stderr.write(preview.stdout);
  const terminal = createInterface({ input: process.stdin, output: process.stderr, prompt: 'Delete them? [y/N] ' });
  // The end of standard input (Ctrl+D) or an interrupt (Ctrl+C) closes the terminal without an answer.
  const answered = Promise.race([once(terminal, 'line'), once(terminal, 'close')]);
  terminal.prompt();
  const [answer = '']: string[] = await answered;
  terminal.close();
  if (/^y(es)?$/i.test(answer.trim())) return run([...argv, '--yes']);
  return { stdout: '', stderr: 'Nothing was deleted.\n', exitCode: 1 };
}

async function runWhereDatabaseIs(
  config: Config,
  argv: string[],
  { run, writesOut }: PreparedCommand,
): Promise<CommandResult> {
  const startedMs = performance.now();
  let spooled: Spooled | undefined;
  try {
    for (;;) {
      try {
        return await runHere(config, run);
      } catch (error) {
        if (!(error instanceof FolderInUseError)) throw error;
        spooled ??= await spool(argv, writesOut);
        const args = spooled.argv;
        const terminal = process.stderr.isTTY ? process.stderr : undefined;
        const answer = await interruptible((interrupted) =>
          askGateway(adminSocketOf(config.DATA_DIR), args, interrupted, terminal),
        );
        if (answer !== undefined) {
          await spooled.passOn();
          return answer;
        }
        if (performance.now() - startedMs > busyMsMax) throw error;
        await endedBySignals(setTimeout(retryMs));
      }
    }
  } finally {
    removeSpool();
  }
}

interface Spooled {
  argv: string[];
  /** Copies the output of the gateway to standard output. */
  passOn: () => Promise<void>;
}

/**
 * The gateway cannot use the standard input and output of this process, only files. So standard input is copied to a
 * file for it, and it streams its output to another one.
 */
async function spool(argv: string[], writesOut: boolean): Promise<Spooled> {
  if (!argv.includes('-') && !writesOut) return { argv, passOn: async () => {} };
  const folder = mkdtempSync(join(tmpdir(), 'admin-'));
  spoolFolder = folder;
  const input = join(folder, 'standard-input');
  const output = join(folder, 'standard-output');
  if (argv.includes('-')) await endedBySignals(pipeline(process.stdin, createWriteStream(input, { mode: 0o600 })));
  const args = argv.map((arg) => (arg === '-' ? input : arg));
  return {
    argv: writesOut ? [...args, '--output', output] : args,
    passOn: async () => {
      if (!existsSync(output)) return;
      try {
        await pipeline(createReadStream(output), process.stdout, { end: false });
      } catch (error) {
        if (!isClosedPipe(error)) throw error;
      }
    },
  };
}

async function runHere(config: Config, run: Run): Promise<CommandResult> {
  const database = await openDatabase(config);
  try {
    const services = createProcessServices(config, database, () => new Date(), createLog('silent'));
    await requireSecrets(services.db, services.encryption, services.now());
    return await interruptible((interrupted) =>
      run({
        ...services,
        interrupted,
        backUp: database.backUp,
        folder: process.cwd(),
        standardInput: process.stdin,
        standardOutput: process.stdout,
        ...(process.stderr.isTTY ? { terminal: process.stderr } : {}),
      }),
    );
  } finally {
    await database.close();
  }
}

function removeSpool(): void {
  if (spoolFolder !== undefined) rmSync(spoolFolder, { recursive: true, force: true });
  spoolFolder = undefined;
}

/** Waits for something that the first signal ends, with the process. */
async function endedBySignals(waiting: Promise<unknown>): Promise<void> {
  for (const signal of signals) process.on(signal, endBy);
  try {
    await waiting;
  } finally {
    for (const signal of signals) process.off(signal, endBy);
  }
}

/** Ends the process as the signal does by default, without leaving files behind. */
function endBy(signal: NodeJS.Signals): void {
  removeSpool();
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** The first signal interrupts the command. The second one ends the process. */
async function interruptible<Result>(act: (interrupted: AbortSignal) => Promise<Result>): Promise<Result> {
  const interrupting = new AbortController();
  const interrupt = (signal: NodeJS.Signals): void =>
    interrupting.signal.aborted ? endBy(signal) : interrupting.abort();
  for (const signal of signals) process.on(signal, interrupt);
  try {
    return await act(interrupting.signal);
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}
