// `npm run --prefix bench bench:authentication`: what finding out who is calling adds to a request, with an API key
// and with an access token, remembered (warm) and seen for the first time (cold), and what refusing an unknown key
// costs.
//
// In one process, on a database of its own, one call after the other. ROUNDS (5) comes from the environment.
import { once } from 'node:events';
import { issueAccessToken } from '../src/auth/access-token.js';
import { createApiKey } from '../src/auth/api-key.js';
import { readConfig } from '../src/config.js';
import type { Services } from '../src/server/services.js';
import { Prisma } from '../src/database/client/client.js';
import { openDatabase } from '../src/database/open.js';
import { demoAccounts, demoOwner, mainWorkspace } from '../src/demo/company.js';
import { loadDemo } from '../src/demo/load.js';
import { idOf } from '../src/demo/random.js';
import { createGateway } from '../src/server/server.js';
import { createLog, createServices } from '../src/server/create-services.js';
import { benchSecret, createDatabase, dropDatabase } from './databases.js';
import { median } from './processes.js';
import { describeMachine, writeResults } from './results.js';

const rounds = Number(process.env['ROUNDS'] ?? 5);
const coldPerRound = 1_000;
const warmPerRound = 5_000;
const requestsPerRound = 400;
const name = 'wcp_bench_authentication';
const owner = { principalId: idOf(demoOwner), accountId: idOf(demoAccounts[0]?.name ?? ''), workspaceId: null };

const subjects = [
  'warm API key',
  'warm access token',
  'cold API key',
  'cold access token',
  'unknown API key, warm',
  'unknown API key, cold',
  'floor: SELECT 1',
] as const;
const bars = {
  'warm API key': 0.1,
  'warm access token': 0.1,
  'cold API key': 2,
  'cold access token': 2,
  'unknown API key, warm': 0.1,
  'unknown API key, cold': 2,
  'floor: SELECT 1': '',
} as const satisfies Record<(typeof subjects)[number], number | string>;

const url = await createDatabase(name);
const config = readConfig({
  DATABASE_URL: url,
  SERVICE_SECRETS: benchSecret,
  LOG_LEVEL: 'error',
});
const database = await openDatabase(config);
try {
  const services = createServices(config, database, () => new Date(), createLog(config.LOG_LEVEL));
  await loadDemo(services.db, services.encryption, { end: new Date('2026-11-01T00:00:00.000Z') });
  write(await measure(services), await describeMachine({ url }));
} finally {
  await database.close();
  await dropDatabase(name);
}

interface Times {
  p50: number;
  p99: number;
}

interface Measured {
  /** A request that nobody is authenticated for. */
  request: Times;
  authentication: Map<(typeof subjects)[number], Times>;
}

async function measure(services: Services): Promise<Measured> {
  const { authenticate } = services.authenticator;
  const requests: Times[] = [];
  const found = new Map(subjects.map((subject) => [subject, [] as Times[]]));
  const add = (subject: (typeof subjects)[number], times: Times) => found.get(subject)?.push(times);
  for (let round = 0; round <= rounds; round++) {
    const keys = await makeKeys(services, coldPerRound + 1);
    const tokens = await makeTokens(services, coldPerRound + 1);
    const [key = ''] = keys.splice(0, 1);
    const [token = ''] = tokens.splice(0, 1);
    const request = await requestTimes(services, key);
    const coldKeys = await timesOf(keys, authenticate);
    const coldTokens = await timesOf(tokens, authenticate);
    const nothing = Array.from({ length: coldPerRound }, () => '');
    const floor = await timesOf(nothing, () => services.db.$text(Prisma.sql`SELECT 'x'`));
    const repeated = (bearer: string) => Array.from({ length: warmPerRound }, () => bearer);
    const warmKey = await timesOf(repeated(key), authenticate);
    const warmToken = await timesOf(repeated(token), authenticate);
    const refused = (bearer: string) => authenticate(bearer).catch(() => {});
    const unknown = Array.from({ length: coldPerRound }, () => createApiKey().key);
    const coldUnknown = await timesOf(unknown, refused);
    const warmUnknown = await timesOf(repeated(createApiKey().key), refused);
    // The first round warms the code and the connections up.
    if (round === 0) continue;
    requests.push(request);
    add('cold API key', coldKeys);
    add('cold access token', coldTokens);
    add('floor: SELECT 1', floor);
    add('warm API key', warmKey);
    add('warm access token', warmToken);
    add('unknown API key, cold', coldUnknown);
    add('unknown API key, warm', warmUnknown);
  }
  return {
    request: medians(requests),
    authentication: new Map([...found].map(([subject, times]) => [subject, medians(times)])),
  };
}

/** A page of fifty agents over HTTP, from a gateway that takes everybody for the same caller. */
async function requestTimes(services: Services, key: string): Promise<Times> {
  const caller = await services.authenticator.authenticate(key);
  const { server } = createGateway({ ...services, authenticator: { authenticate: async () => caller } });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const headers = {
    authorization: `Bearer ${key}`,
    'x-service-workspace': mainWorkspace,
    'service-version': '2026-04-28',
  };
  const times = await timesOf(
    Array.from({ length: requestsPerRound }, () => `http://127.0.0.1:${port}/v0/agents?limit=50`),
    async (url) => {
      const response = await fetch(url, { headers });
      const { data }: { data: unknown[] } = await response.json();
      if (data.length !== 50) throw new Error(`${data.length} agents`);
    },
  );
  server.closeAllConnections();
  server.close();
  return times;
}

async function timesOf(inputs: string[], act: (input: string) => Promise<unknown>): Promise<Times> {
  const times: number[] = [];
  for (const input of inputs) {
    const startedMs = performance.now();
    await act(input);
    times.push(performance.now() - startedMs);
  }
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

function medians(times: Times[]): Times {
  return { p50: median(times.map(({ p50 }) => p50)), p99: median(times.map(({ p99 }) => p99)) };
}

/** Never used before, so each first use is noted as well. */
async function makeKeys({ db }: Services, count: number): Promise<string[]> {
  const made = Array.from({ length: count }, () => createApiKey());
  await db.apiKey.createMany({
    data: made.map(({ prefix, hash }) => ({ name: 'bench', prefix, hash, scope: 'admin', ...owner })),
  });
  return made.map(({ key }) => key);
}

async function makeTokens({ db, encryption, tokens }: Services, count: number): Promise<string[]> {
  const made: string[] = [];
  for (let index = 0; index < count; index++) {
    const grant = { ...owner, scope: 'agents:list', clientId: 'bench', now: new Date() };
    made.push((await issueAccessToken(db, encryption, tokens, grant)).token);
  }
  return made;
}

function write({ request, authentication }: Measured, machine: string): void {
  const ms = (time: number) => time.toFixed(3);
  const rows = subjects.map((subject) => {
    const { p50, p99 } = authentication.get(subject) ?? { p50: 0, p99: 0 };
    const share = ((100 * p50) / request.p50).toFixed(1);
    return `| ${subject} | ${ms(p50)} | ${ms(p99)} | ${bars[subject]} | ${share} % |`;
  });
  const text = `# Authentication

\`npm run --prefix bench bench:authentication\` on ${machine}.
Medians of ${rounds} rounds, in one process, one call after the other. Warm: the same credential ${warmPerRound} times; cold:
${coldPerRound} credentials, each once, by one statement; for a token with its signature. The share is that of the median request:
a page of 50 agents over HTTP, with nobody authenticated, which takes ${ms(request.p50)} ms (p99 ${ms(request.p99)}).
The floor is one statement that reads nothing: what its p99 is beyond its median is the machine.

| credential | p50 ms | p99 ms | bar at p99, ms | share of a request |
| --- | ---: | ---: | ---: | ---: |
${rows.join('\n')}
`;
  writeResults('authentication', text);
}
