// The admin command line: `npm run admin -- --help`. It opens the database itself; when a gateway holds
// an embedded one, it has the gateway run the command instead.
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { readConfig } from '../config.js';
import type { Config } from '../config.js';
import { adminSocketOf, FolderInUseError } from '../database/embedded.js';
import { openDatabase } from '../database/open.js';
import { createSeal } from '../seal.js';
import { tokenSettings } from '../services.js';
import type { Admin } from './command.js';
import type { CommandResult } from './print.js';
import { failedResult, prepareCommandLine } from './run.js';
import { askGateway } from './socket.js';

/** A gateway that starts or stops holds the folder without listening; so does another command. */
const busyMsMax = 20_000;
const retryMs = 200;

type Run = (admin: Admin) => Promise<CommandResult>;

const result = await execute(process.argv.slice(2));
process.stderr.write(result.stderr);
process.stdout.write(result.stdout);
process.exitCode = result.exitCode;

async function execute(argv: string[]): Promise<CommandResult> {
  const prepared = prepareCommandLine(argv);
  if ('result' in prepared) return prepared.result;
  try {
    return await runWhereDatabaseIs(readConfig(process.env), argv, prepared.run);
  } catch (error) {
    return failedResult(error);
  }
}

async function runWhereDatabaseIs(config: Config, argv: string[], run: Run): Promise<CommandResult> {
  const startedMs = performance.now();
  let spooled: Spooled | undefined;
  try {
    for (;;) {
      try {
        return await runHere(config, run);
      } catch (error) {
        if (!(error instanceof FolderInUseError)) throw error;
        spooled ??= await spoolStandardInput(argv);
        const answer = await askGateway(adminSocketOf(config.DATA_DIR), spooled.argv);
        if (answer !== undefined) return answer;
        if (performance.now() - startedMs > busyMsMax) throw error;
        await setTimeout(retryMs);
      }
    }
  } finally {
    spooled?.remove();
  }
}

interface Spooled {
  argv: string[];
  remove: () => void;
}

/** The gateway reads files, and no standard input of ours: what is piped in becomes a file for it. */
async function spoolStandardInput(argv: string[]): Promise<Spooled> {
  if (!argv.includes('-')) return { argv, remove: () => {} };
  const folder = mkdtempSync(join(tmpdir(), 'admin-'));
  const file = join(folder, 'standard-input');
  await pipeline(process.stdin, createWriteStream(file, { mode: 0o600 }));
  const remove = () => rmSync(folder, { recursive: true });
  return { argv: argv.map((word) => (word === '-' ? file : word)), remove };
}

async function runHere(config: Config, run: Run): Promise<CommandResult> {
  const database = await openDatabase(config);
  try {
    const { db, secrets } = database;
    return await run({
      db,
      seal: createSeal(secrets),
      now: () => new Date(),
      tokens: tokenSettings(config),
      folder: process.cwd(),
      standardInput: process.stdin,
      ...(process.stderr.isTTY ? { terminal: process.stderr } : {}),
    });
  } finally {
    await database.close();
  }
}
