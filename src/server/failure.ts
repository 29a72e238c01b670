import { startFailure } from '../database/start-failure.js';

/**
 * Ends the process with 1 and says why: one line for a problem that an operator can fix, the whole error for a defect.
 * Open connections are not waited for: a process that failed to start must not stay alive without listening.
 */
export function reportFailure(error: unknown): never {
  process.stderr.write(`${startFailure(error)}\n`);
  process.exit(1);
}
