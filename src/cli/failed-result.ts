import { apiErrorFrom } from '../database/failures.js';
import { UsageError } from './command.js';
import type { Admin } from './command.js';
import { visible } from './print.js';
import type { CommandResult } from './print.js';

const failedExitCode = 1;
const usageExitCode = 2;

/** An error as one line for each problem. Unexpected errors are logged in full, if there is a log. */
export function failedResult(error: unknown, admin?: Admin): CommandResult {
  const isUsage = error instanceof UsageError;
  const lines = isUsage ? error.lines : [reasonOf(error, admin)];
  const stderr = lines.map((line) => `${visible(line)}\n`).join('');
  return { stdout: '', stderr, exitCode: isUsage ? usageExitCode : failedExitCode };
}

function reasonOf(error: unknown, admin: Admin | undefined): string {
  const known = apiErrorFrom(error);
  if (known.error !== 'internal_error') return known.message;
  admin?.log?.error({ err: error }, 'admin command failed');
  // The last line of Prisma's message has the reason.
  const lines = (error instanceof Error ? error.message : String(error)).split('\n');
  return lines.findLast((line) => line.trim() !== '')?.trim() ?? known.message;
}
