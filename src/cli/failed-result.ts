import { UsageError } from './command.js';
import { visible } from './print.js';
import type { CommandResult } from './print.js';

const failedExitCode = 1;
const usageExitCode = 2;

/** An error as one line for each problem. @param explain returns the message of an error that is not of the usage */
export function failedResult(error: unknown, explain: (error: unknown) => string = lastLineOf): CommandResult {
  const isUsage = error instanceof UsageError;
  const lines = isUsage ? error.lines : [explain(error)];
  const stderr = lines.map((line) => `${visible(line)}\n`).join('');
  return { stdout: '', stderr, exitCode: isUsage ? usageExitCode : failedExitCode };
}

/** The last line of an error's message. Prisma's messages have the reason there. */
export function lastLineOf(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error)).split('\n');
  return lines.findLast((line) => line.trim() !== '')?.trim() ?? 'Unknown error';
}
