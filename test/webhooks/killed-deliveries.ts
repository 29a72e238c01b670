// Delivers webhooks in a separate process, which exits abruptly after a number of started statements. Run by
// processes.test.ts.
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/database/open.js';
import { createLog, createServices } from '../../src/server/create-services.js';
import { startDeliveries } from '../../src/server/deliveries.js';

const [statements = ''] = process.argv.slice(2);
let left = Number.POSITIVE_INFINITY;
const config = readConfig({ ...process.env, LOG_LEVEL: 'silent' });
const database = await openDatabase(config, {
  onStatement: () => {
    if (--left < 0) process.kill(process.pid, 'SIGKILL');
  },
});
const services = createServices(config, database, () => new Date(), createLog('silent'));
left = statements === '' ? left : Number(statements);
startDeliveries(services, database.changesDb);
// The loop keeps no process alive.
setInterval(() => {}, 1_000);
