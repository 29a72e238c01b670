// The admin command line: `npm run admin -- --help`. It opens the database itself; when a gateway holds
// an embedded one, it has the gateway run the command instead.
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
  for (;;) {
    try {
      return await runHere(config, run);
    } catch (error) {
      if (!(error instanceof FolderInUseError)) throw error;
      const answer = await askGateway(adminSocketOf(config.DATA_DIR), argv);
      if (answer !== undefined) return answer;
      if (performance.now() - startedMs > busyMsMax) throw error;
      await setTimeout(retryMs);
    }
  }
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
    });
  } finally {
    await database.close();
  }
}
