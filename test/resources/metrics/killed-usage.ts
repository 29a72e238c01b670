// Records usage without end in a process of its own, several writers and a fold at a time, until it is killed: from
// outside, or by itself before its n-th statement. Tells each batch whose results it has. Run by killed-usage.test.ts.
import { readConfig } from '../../../src/config.js';
import { openContext } from '../../../src/context.js';
import { openDatabase } from '../../../src/database/open.js';
import { foldAllUsage } from '../../../src/resources/metrics/usage-fold.js';
import { recordUsage } from '../../../src/resources/metrics/usage.js';
import { createLog, createServices } from '../../../src/services.js';
import { batchOf, writers } from './killed-usage-batches.js';

const [key = '', first = '0', statement = ''] = process.argv.slice(2);
const config = readConfig({ ...process.env, LOG_LEVEL: 'silent' });
let left = Number.POSITIVE_INFINITY;
const database = await openDatabase(config, {
  onStatement: () => {
    if (--left < 0) process.kill(process.pid, 'SIGKILL');
  },
});
const services = createServices(config, database, () => new Date(), createLog('silent'));
const ctx = await openContext(services, { authorization: `Bearer ${key}` }, 'test');

async function write(writer: number): Promise<never> {
  for (let number = Number(first) + writer; ; number += writers) {
    await recordUsage(ctx, batchOf(number));
    process.stdout.write(`${number}\n`);
  }
}

async function fold(): Promise<never> {
  for (;;) await foldAllUsage(ctx.db, ctx.now());
}

process.stdout.write('ready\n');
if (statement !== '') left = Number(statement);
await Promise.all([fold(), ...Array.from({ length: writers }, (_, writer) => write(writer))]);
