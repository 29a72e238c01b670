// `npm run demo`: the gateway with a company's data in it, and what a newcomer needs to try it.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SingleBar } from 'cli-progress';
import { createApiKey } from '../access/api-key.js';
import { setPassword } from '../access/oauth/password.js';
import { ConfigError, readConfig } from '../config.js';
import type { Config } from '../config.js';
import type { Services } from '../context.js';
import { reportFailure } from '../failure.js';
import { startGateway } from '../start.js';
import { demoAccounts, demoOwner, mainWorkspace } from './company.js';
import { demoExamples } from './examples.js';
import { demoAgentCount, isEmpty, loadDemo } from './load.js';
import { idOf } from './random.js';
import { dayMs } from './times.js';
import { loadDemoUsage } from './usage.js';

const usage = `Starts the gateway with demo data.

  npm run demo                        on an embedded database in DATA_DIR (data)
  npm run demo -- --agents 100000     with that many agents, when the database is still empty

Settings are those of the gateway, from the environment; see README.md.
`;

/** The usage of an hour comes in soon after it is over. */
const usageIntervalMs = 60_000;

/** Loading a million agents takes statements longer than a request may. */
const statementTimeoutMs = 600_000;

try {
  const agents = agentCount(process.argv.slice(2));
  const config = readConfig({
    LOG_LEVEL: 'warn',
    DATABASE_STATEMENT_TIMEOUT_MS: String(statementTimeoutMs),
    SHUTDOWN_DELAY_MS: '0',
    ...process.env,
  });
  let key = '';
  let password = '';
  const gateway = await startGateway(config, async (services) => {
    if (await isEmpty(services.db)) await load(services, agents);
    key = await demoKey(services, config);
    password = await demoPassword(services, config);
    return { key, ...demoExamples };
  });
  process.stdout.write(welcome(gateway.origin, config, gateway.services.now(), { key, password }));
  void keepUsageUpToDate(gateway.services);
} catch (error) {
  reportFailure(error);
}

function agentCount(argv: string[]): number {
  const { values } = parseArgs({ args: argv, options: { agents: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help) {
    process.stdout.write(usage);
    process.exit(0);
  }
  const text = values.agents ?? String(demoAgentCount);
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new ConfigError('--agents: must be a whole number from 1 to 9999999');
  return Number(text);
}

async function load(services: Services, agents: number): Promise<void> {
  const bar = new SingleBar({ format: 'Loading {bar} {percentage}% of {total} agents, {eta_formatted} to go' });
  if (agents > demoAgentCount) bar.start(agents, 0);
  await loadDemo(services.db, services.seal, { end: new Date(), agents, onProgress: (done) => bar.update(done) });
  bar.stop();
}

/** Usage comes in while the gateway serves, as it does anywhere: first a year of it, then that of each hour. */
async function keepUsageUpToDate({ db, now, log }: Services): Promise<void> {
  const stopping = new AbortController();
  process.once('SIGTERM', () => stopping.abort());
  process.once('SIGINT', () => stopping.abort());
  const { signal } = stopping;
  while (!signal.aborted) {
    try {
      await loadDemoUsage(db, now(), signal);
    } catch (error) {
      // The database is closed when the gateway stops.
      if (!signal.aborted) log.error({ err: error }, 'the usage of the demo could not be recorded');
    }
    // Nothing else waits for it: it keeps no process from ending.
    await setTimeout(usageIntervalMs, undefined, { ref: false });
  }
}

/** The key of the demo's owner. It is kept beside the data, readable by its owner alone, so that it stays the same. */
async function demoKey(services: Services, config: Config): Promise<string> {
  const file = join(config.DATA_DIR, 'demo-key');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const [account] = demoAccounts;
  const { key, prefix, hash } = createApiKey();
  await services.db.apiKey.create({
    data: { name: 'demo', prefix, hash, principalId: idOf(demoOwner), accountId: idOf(account?.name ?? '') },
  });
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return key;
}

/** The password of the demo's owner, kept like the key. */
async function demoPassword(services: Services, config: Config): Promise<string> {
  const file = join(config.DATA_DIR, 'demo-password');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const password = randomBytes(12).toString('base64url');
  await setPassword(services.db, demoOwner, password, services.now());
  writeFileSync(file, `${password}\n`, { mode: 0o600 });
  return password;
}

interface Credentials {
  key: string;
  password: string;
}

function welcome(origin: string, config: Config, now: Date, { key, password }: Credentials): string {
  const { port } = new URL(origin);
  const address = config.HOST === '127.0.0.1' ? `http://localhost:${port}` : origin;
  const name = config.SERVICE_NAME;
  const accountId = idOf(demoAccounts[0]?.name ?? '');
  const today = Math.floor(now.getTime() / dayMs) * dayMs;
  const [windowStart, windowEnd] = [today - 6 * dayMs, today + dayMs].map((time) => new Date(time).toISOString());
  const authorization = `-H 'Authorization: Bearer ${key}'`;
  return `
The Workload Control Plane is running, with the platform of a freight company in it.

  GraphiQL   ${address}/graphql   (in a browser; the key is filled in)
  GraphQL    ${address}/graphql
  REST       ${address}/v0
  API key    ${key}
  Sign in    ${demoOwner} with ${password}   (in GraphiQL, or with any OAuth client)

Four commands to paste:

  curl -s '${address}/v0/agents?limit=2' ${authorization} -H 'X-${name}-Workspace: ${mainWorkspace}' -H '${name}-Version: 2026-04-28'

  curl -s '${address}/v0/agents?q=invoice&sort=name:asc' ${authorization} -H 'X-${name}-Workspace: ${mainWorkspace}' -H '${name}-Version: 2026-04-28'

  curl -s '${address}/v0/accounts/${accountId}/metrics?startTime=${windowStart}&endTime=${windowEnd}&groupBy=resource_type' ${authorization}

  curl -s ${address}/graphql ${authorization} -H 'Content-Type: application/json' -d '{"query":"{ viewer { name workspaces { name } } agents(first: 3, workspace: \\"${mainWorkspace}\\") { totalCount nodes { metadata { name } status } } }"}'

The first time, the usage of the last year comes in during the first seconds.

Ctrl-C stops it; the data stays in ${config.DATABASE_URL === undefined ? config.DATA_DIR : 'the database'}.
`;
}
