import { startFailure } from '../database/start-failure.js';

/** Ends the process with 1 and says why: one line for what an operator can mend, all of it for a defect. */
export function reportFailure(error: unknown): void {
  process.stderr.write(`${startFailure(error)}\n`);
  process.exitCode = 1;
}
