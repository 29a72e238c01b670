// `npm run bench:corrections`: how long 10,000 usage events take to be taken back, and to be given other amounts, beside how long
// they took to be recorded.
//
// ROUNDS (9) comes from the environment.
import { openContext } from '../src/http/open-context.js';
import { readConfig } from '../src/config.js';
import { openDatabase } from '../src/database/open.js';
import { createLog, createServices } from '../src/server/create-services.js';
import { amendUsage, voidUsage } from '../src/metering/usage-adjustments.js';
import { rollUpUsage } from '../src/metering/usage-rollup.js';
import { recordUsage } from '../src/metering/usage.js';
import { benchSecret, createDatabase, dropDatabase } from './databases.js';
import { createKey } from './metrics/data.js';
import { createAccounts } from './metrics/databases.js';
import { accountsOf } from './metrics/generation.js';
import { eventsOf } from './metrics/ingestion-data.js';
import type { GivenEvent } from './metrics/ingestion-data.js';
import { median } from './processes.js';
import { describeMachine, writeResults } from './results.js';
import { isSmoke, numberFrom } from './smoke-mode.js';

const rounds = numberFrom('ROUNDS', 9, 1);
const size = isSmoke ? 100 : 10_000;
const bar = 3;
const name = 'wcp_bench_corrections';
const reason = 'The meter counted twice.';

const [account] = accountsOf({ others: 0, eventsPerPoint: 1 });
if (account === undefined) throw new Error('there is no account');
const url = await createDatabase(name);
const config = readConfig({ DATABASE_URL: url, SERVICE_SECRETS: benchSecret, LOG_LEVEL: 'error' });
const database = await openDatabase(config);

interface Times {
  record: number;
  voidWaiting: number;
  voidRolledUp: number;
  amend: number;
}

try {
  await createAccounts(database.db, [account]);
  const key = await createKey(database.db, account.id);
  const services = createServices(config, database, () => new Date(), createLog(config.LOG_LEVEL));
  const ctx = await openContext(services, { authorization: `Bearer ${key}` }, 'bench');

  const timed = async (outcome: string, act: () => Promise<{ outcome: string }[]>): Promise<number> => {
    const startedMs = performance.now();
    const results = await act();
    const ms = performance.now() - startedMs;
    const other = results.find((result) => result.outcome !== outcome);
    if (other !== undefined || results.length !== size) throw new Error(`an event is ${other?.outcome ?? 'missing'}`);
    return ms;
  };
  const record = (events: GivenEvent[]) => timed('accepted', () => recordUsage(ctx, events));
  const rollUp = () => rollUpUsage(database.db, ctx.usageMemory, account.id, new Date());
  const takeBack = (events: GivenEvent[]) =>
    timed('voided', async () => {
      const ids = events.map(({ id }) => id);
      return (await voidUsage(ctx, { account: account.name, source: 'meter-eu-1', ids, reason })).results;
    });
  const amend = (events: GivenEvent[]) =>
    timed('amended', async () => (await amendUsage(ctx, { account: account.name, events, reason })).results);

  const found: Times[] = [];
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    const [waiting, rolledUp, amended] = [eventsOf(account, size), eventsOf(account, size), eventsOf(account, size)];
    const recorded = await record(waiting);
    const voidWaiting = await takeBack(waiting);
    await record(rolledUp);
    await record(amended);
    await rollUp();
    const times = {
      record: recorded,
      voidWaiting,
      voidRolledUp: await takeBack(rolledUp),
      amend: await amend(amended.map((event) => ({ ...event, cost: '0.25' }))),
    };
    await rollUp();
    if (round > 0) found.push(times);
  }
  const recordMs = median(found.map((each) => each.record));
  const line = (what: string, read: (times: Times) => number) => {
    const ratio = median(found.map((each) => read(each) / each.record));
    return `| ${what} | ${median(found.map(read)).toFixed(0)} | ${ratio > bar ? `**${ratio.toFixed(2)}**` : ratio.toFixed(2)} |`;
  };
  writeResults(
    'corrections',
    `# Corrections of usage

\`npm run --prefix bench bench:corrections\` on ${await describeMachine({ url })}.
${size.toLocaleString('en')} events at once, medians of ${rounds} rounds; a ratio is to recording in the same round.

| what | ms | to recording (bar ${bar} for voiding) |
| --- | ---: | ---: |
| recording | ${recordMs.toFixed(0)} | |
${line('voiding what waits to be rolled up', (each) => each.voidWaiting)}
${line('voiding what is rolled up', (each) => each.voidRolledUp)}
${line('amending what is rolled up', (each) => each.amend)}
`,
  );
} finally {
  await database.close();
  await dropDatabase(name);
}
process.exit(0);
