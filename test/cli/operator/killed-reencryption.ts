// Re-encrypts all values in a separate process, which is killed before its n-th statement. Run by
// reencrypt-secrets.slow.test.ts.
import { readConfig } from '../../../src/config.js';
import { openDatabase } from '../../../src/database/open.js';
import { reencryptSecrets } from '../../../src/cli/operator/reencrypt-secrets.js';
import { createEncryption } from '../../../src/encryption.js';

const [statements = ''] = process.argv.slice(2);
let left = Number.POSITIVE_INFINITY;
const database = await openDatabase(readConfig(process.env), {
  onStatement: () => {
    if (--left < 0) process.kill(process.pid, 'SIGKILL');
  },
});
left = Number(statements);
await reencryptSecrets(database.db, createEncryption(database.secrets));
left = Number.POSITIVE_INFINITY;
await database.close();
