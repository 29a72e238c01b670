// The commands that open a database, and those that need no gateway. If a gateway has an embedded database open, the gateway
// runs the command instead.
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
import { runCompletion } from './completion.js';
import type { CommandResult } from './print.js';
import { runMigrate } from './migrate.js';
import { runRestore } from './restore.js';
import { failedOnDatabase, prepareCommandLine } from './run.js';
import type { PreparedCommand } from './run.js';
import { beforeSignalEnds, endedBySignals, interruptible } from './signals.js';
import { askGateway } from './socket.js';
import { requireDatabase, whichDatabase } from './which-database.js';
import { isClosedPipe } from './write-out.js';

/**
 * Maximum wait for a gateway that is starting or stopping, or another command, which lock the folder without listening.
 */
const busyMsMax = 20_000;
const retryMs = 200;

type Run = PreparedCommand['run'];

/** The folder that standard input and output are spooled to, which must not outlast the process. */
let spoolFolder: string | undefined;

/** Runs a command line that is not for a gateway. @param tell prints a line to standard error at once. */
export async function runOnDatabase(argv: string[], tell: (line: string) => void): Promise<CommandResult> {
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
    return failedOnDatabase(error);
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
  beforeSignalEnds(removeSpool);
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
