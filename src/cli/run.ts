import { apiErrorFrom } from '../database/failures.js';
import { asksFirst, streamsOut } from './command.js';
import type { Admin } from './command.js';
import { failedResult, lastLineOf } from './failed-result.js';
import { helpText } from './help.js';
import { parseCommandLine } from './parse.js';
import { createPrint } from './print.js';
import type { CommandResult } from './print.js';

/** A command line before a database is opened: a result (help or an error), or a command to run. */
export type Prepared = { result: CommandResult } | PreparedCommand;

export interface PreparedCommand {
  run: (admin: Admin) => Promise<CommandResult>;
  /** Whether it streams to standard output: it has an option `output` that is not set. */
  writesOut: boolean;
  /** Whether it must be confirmed: it has an option `yes`, and neither that nor `dry-run` is set. */
  asks: boolean;
}

/** Runs a command line. Never throws: each problem is a line on standard error. */
export async function runCommandLine(admin: Admin, argv: string[]): Promise<CommandResult> {
  const prepared = prepareCommandLine(argv);
  return 'result' in prepared ? prepared.result : prepared.run(admin);
}

export function prepareCommandLine(argv: string[]): Prepared {
  try {
    const request = parseCommandLine(argv);
    if (request.isHelp) {
      return { result: { stdout: helpText(request.command, request.group), stderr: '', exitCode: 0 } };
    }
    const { command, values, isJson } = request;
    return {
      writesOut: streamsOut(command) && values['output'] === undefined,
      asks: asksFirst(command) && values['yes'] === undefined && values['dry-run'] === undefined,
      run: async (admin) => {
        const { print, result } = createPrint(isJson);
        try {
          await command.run(admin, values, print);
          return result;
        } catch (error) {
          // Also what the command printed before, such as the events that were rejected until a file broke off.
          const failed = failedOnDatabase(error, admin);
          return { ...failed, stdout: result.stdout, stderr: result.stderr + failed.stderr };
        }
      },
    };
  } catch (error) {
    return { result: failedOnDatabase(error) };
  }
}

/** The failure of a command that works on a database. Unexpected errors are logged in full, if there is a log. */
export function failedOnDatabase(error: unknown, admin?: Admin): CommandResult {
  return failedResult(error, () => {
    const known = apiErrorFrom(error);
    if (known.error !== 'internal_error') return known.message;
    admin?.log?.error({ err: error }, 'admin command failed');
    return lastLineOf(error);
  });
}
