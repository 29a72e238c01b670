import { ConfigError, readConfig } from './config.js';
import { FolderInUseError } from './database/embedded.js';
import { MigrationError } from './database/migrate.js';
import { startGateway } from './start.js';

try {
  await startGateway(readConfig(process.env));
} catch (error) {
  // What an operator can mend is one line that names it; anything else is a defect, and shown whole.
  const isMendable = [ConfigError, FolderInUseError, MigrationError].some((kind) => error instanceof kind);
  const text = error instanceof Error && !isMendable ? error.stack : error instanceof Error ? error.message : error;
  process.stderr.write(`${String(text)}\n`);
  process.exitCode = 1;
}
