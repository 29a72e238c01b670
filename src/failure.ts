import { ConfigError } from './config.js';
import { FolderInUseError } from './database/embedded.js';
import { MigrationError } from './database/migrate.js';

/** Ends the process with 1 and says why: one line for what an operator can mend, all of it for a defect. */
export function reportFailure(error: unknown): void {
  const isMendable = [ConfigError, FolderInUseError, MigrationError].some((kind) => error instanceof kind);
  const text = error instanceof Error && !isMendable ? error.stack : error instanceof Error ? error.message : error;
  process.stderr.write(`${String(text)}\n`);
  process.exitCode = 1;
}
