// Seals everything again in a process of its own, which ends without a word before its n-th statement. Run by
// reseal-secrets.test.ts.
import { readConfig } from '../../../src/config.js';
import { openDatabase } from '../../../src/database/open.js';
import { resealSecrets } from '../../../src/cli/operator/reseal-secrets.js';
import { createSeal } from '../../../src/encryption.js';

const [statements = ''] = process.argv.slice(2);
let left = Number.POSITIVE_INFINITY;
const database = await openDatabase(readConfig(process.env), {
  onStatement: () => {
    if (--left < 0) process.kill(process.pid, 'SIGKILL');
  },
});
left = Number(statements);
await resealSecrets(database.db, createSeal(database.secrets));
left = Number.POSITIVE_INFINITY;
await database.close();
