// Records usage continuously in a separate process, with several writers and one rollup at a time, until it is killed:
// from outside, or by itself before its n-th statement. Prints each acknowledged batch. Run by killed-usage.test.ts.
import { databaseOf } from '../../src/auth/context.js';
import { rollUpAllUsage, rollUpShareOfUsage } from '../../src/metering/roll-up-all-usage.js';
import { recordUsage } from '../../src/metering/usage.js';
import { openMortalProcess } from '../mortal-process.js';
import { batchOf, writers } from './killed-usage-batches.js';

const [key = '', first = '0', statement = ''] = process.argv.slice(2);
const { ctx, dieAfter } = await openMortalProcess(key);

async function write(writer: number): Promise<never> {
  for (let number = Number(first) + writer; ; number += writers) {
    await recordUsage(ctx, batchOf(number));
    process.stdout.write(`${number}\n`);
  }
}

async function rollUp(): Promise<never> {
  for (;;) {
    await rollUpShareOfUsage(databaseOf(ctx), ctx.usageMemory, ctx.now());
    await rollUpAllUsage(databaseOf(ctx), ctx.usageMemory, ctx.now());
  }
}

process.stdout.write('ready\n');
if (statement !== '') dieAfter(Number(statement));
await Promise.all([rollUp(), ...Array.from({ length: writers }, (_, writer) => write(writer))]);
