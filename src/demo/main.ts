// `npm run demo`: the gateway with the data of a company, and instructions to try it.
import { rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { SingleBar } from 'cli-progress';
import { openAdminSocket } from '../cli/socket.js';
import { ConfigError, readConfig } from '../config.js';
import type { Services } from '../server/services.js';
import { reportFailure } from '../server/failure.js';
import { startGateway } from '../server/start.js';
import { demoOwner, platformAccount } from './company.js';
import { demoCredentials, meterFile } from './credentials.js';
import type { DemoCredentials } from './credentials.js';
import { demoExamples } from './examples.js';
import { isEmpty } from './is-empty.js';
import { receiverSettings, startWebhookReceiver } from './webhook-receiver.js';
import { dataPlaneKeys, startDataPlane } from './start-data-plane.js';
import type { DataPlaneKeys } from './start-data-plane.js';
import { loadDemoUsage, loadNewestDemoUsage } from './usage.js';
import { welcomeText } from './welcome.js';

const usage = `Starts the gateway with demo data.

  npm run demo                        on an embedded database in DATA_DIR (data)
  npm run demo -- --agents 100000     with that many agents, when the database is still empty

Settings are those of the gateway, from the environment; see README.md.
`;

/** The usage of an hour is recorded soon after the hour ends. */
const usageIntervalMs = 60_000;

/** Statements are slow in the first minute on a busy machine. Warnings about them would fill the terminal. */
const slowMs = 10_000;

/**
 * The bytes of WebAssembly that a function executes before it is optimized (20 times the default). Most functions of the
 * database run only at the first start. Optimizing them took a third of the processor time, and memory.
 */
const bytesRunBeforeSpeed = 40_000_000;

/** The statements that load a million agents take longer than those of requests. */
const statementTimeoutMs = 600_000;

/** The history of the demo is older than the default retention of the change log. */
const retentionDays = 500;

setFlagsFromString(`--wasm-tiering-budget=${bytesRunBeforeSpeed}`);

try {
  const agents = agentCount(process.argv.slice(2));
  const config = readConfig({
    LOG_LEVEL: 'warn',
    PLATFORM_ACCOUNT: platformAccount,
    SCIM_DOMAINS: `meridian.example=${platformAccount}`,
    ACCESS_LOG_SLOW_MS: String(slowMs),
    DATABASE_STATEMENT_TIMEOUT_MS: String(statementTimeoutMs),
    SHUTDOWN_DELAY_MS: '0',
    CHANGE_RETENTION_DAYS: String(retentionDays),
    ...receiverSettings,
    ...process.env,
  });
  let credentials: DemoCredentials = { key: '', password: '' };
  let keys: DataPlaneKeys = { executor: '', meters: {} };
  const prepare = async (services: Services) => {
    if (await isEmpty(services.db)) {
      // The file belongs to an earlier database.
      rmSync(meterFile(config), { force: true });
      await load(services, agents);
    }
    await startWebhookReceiver(services, config);
    credentials = await demoCredentials(services, config);
    keys = await dataPlaneKeys(services);
    await orTell(loadNewestDemoUsage(services, services.now()), services);
    return { key: credentials.key, user: demoOwner, ...demoExamples };
  };
  const gateway = await startGateway(config, { prepare, openCommandSocket: openAdminSocket });
  process.stdout.write(welcomeText(gateway.origin, config, gateway.services.now(), credentials));
  startDataPlane(gateway.origin, keys, meterFile(config));
  void keepUsageUpToDate(gateway.services);
} catch (error) {
  reportFailure(error);
}

/** @returns undefined for the agents of the documents */
function agentCount(argv: string[]): number | undefined {
  const { values } = parseArgs({ args: argv, options: { agents: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help) {
    process.stdout.write(usage);
    process.exit(0);
  }
  const text = values.agents;
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new ConfigError('--agents: must be a whole number from 1 to 9999999');
  return Number(text);
}

/** Imports the module on demand: it reads the demo documents, which is not needed if the data is already loaded. */
async function load(services: Services, agents: number | undefined): Promise<void> {
  const { loadDemo } = await import('./load.js');
  const bar = new SingleBar({ format: 'Loading {bar} {percentage}% of {total} agents, {eta_formatted} to go' });
  if (agents !== undefined) bar.start(agents, 0);
  const { db, encryption, inferenceUrl } = services;
  const onProgress = (done: number) => bar.update(done);
  await loadDemo(db, encryption, { end: new Date(), agents, inferenceUrl, onProgress });
  bar.stop();
}

/** Loads usage while the gateway runs: first the rest of the year, then that of each hour. */
async function keepUsageUpToDate(services: Services): Promise<void> {
  const stopping = new AbortController();
  process.once('SIGTERM', () => stopping.abort());
  process.once('SIGINT', () => stopping.abort());
  const { signal } = stopping;
  await orTell(loadDemoUsage(services, services.now(), signal), services, signal);
  while (!signal.aborted) {
    // The timer must not keep the process alive.
    await setTimeout(usageIntervalMs, undefined, { ref: false });
    await orTell(loadNewestDemoUsage(services, services.now()), services, signal);
  }
}

/** Logs the failure: the demo works without its usage, for example if a user has deleted a workspace. */
async function orTell(recorded: Promise<void>, { log }: Services, signal?: AbortSignal): Promise<void> {
  try {
    await recorded;
  } catch (error) {
    // The database is closed when the gateway stops.
    if (signal?.aborted !== true) log.error({ err: error }, 'the usage of the demo could not be recorded');
  }
}
