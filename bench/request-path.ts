// `npm run bench:request-path`: requests per second, latency and processor time of a page of 50 agents, beside two other
// GraphQL servers and a minimal HTTP server. Each peer runs twice: with the checks that the control plane makes (`checked`), and
// without any (`bare`). Mercurius also runs with and without its compiler of queries.
//
// ROUNDS (5) and SECONDS (6) of each measurement come from the environment.
import { deepStrictEqual } from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { mainWorkspace } from '../src/demo/company.js';
import { idOf } from '../src/demo/random.js';
import { ensureDatabase, mainDatabase } from './databases.js';
import type { BenchDatabase } from './databases.js';
import { fire, median, processorMs, startServer } from './processes.js';
import type { Call, RunningServer, ServerName } from './processes.js';
import { describeMachine, writeResults } from './results.js';
import { isSmoke, numberFrom } from './smoke-mode.js';
import * as queries from './queries.js';

const rounds = numberFrom('ROUNDS', 5, 1);
const seconds = numberFrom('SECONDS', 6, 1);
const warmUpSeconds = isSmoke ? 0 : 3;

type Shape = 'small' | 'full';

interface Seen {
  names: string[];
  /** How many events each agent has; empty in the small shape. */
  events: number[];
}

/** Whether a server checks API keys, rates and costs. */
type Checks = 'checked' | 'bare';

/** A server as it is started. */
interface Setup {
  server: ServerName;
  checks: Checks;
  /** Whether mercurius compiles queries; the control plane always does. */
  compiles: boolean;
}

interface Subject extends Setup {
  label: string;
  shape: Shape;
  call: Call;
  read: (body: string) => Seen;
}

interface GraphqlAgent {
  metadata: { name: string };
  events?: unknown[];
}

interface PostgraphileAgent {
  name: string;
  changesByResourceId?: { nodes: unknown[] };
}

function seenInRest(body: string): Seen {
  const { data }: { data: GraphqlAgent[] } = JSON.parse(body);
  return seen(data.map((agent) => ({ name: agent.metadata.name, events: agent.events?.length })));
}

function seenInGraphql(body: string): Seen {
  const { data }: { data: { agents: { edges: { node: GraphqlAgent }[] } } } = JSON.parse(body);
  return seen(data.agents.edges.map(({ node }) => ({ name: node.metadata.name, events: node.events?.length })));
}

function seenInPostgraphile(body: string): Seen {
  const { data }: { data: { allAgents: { edges: { node: PostgraphileAgent }[] } } } = JSON.parse(body);
  return seen(
    data.allAgents.edges.map(({ node }) => ({ name: node.name, events: node.changesByResourceId?.nodes.length })),
  );
}

function seen(agents: { name: string; events: number | undefined }[]): Seen {
  return {
    names: agents.map(({ name }) => name),
    events: agents.flatMap(({ events }) => (events === undefined ? [] : [events])),
  };
}

function graphql(query: string, headers: Record<string, string> = {}): Call {
  const body = JSON.stringify({ query: query.replaceAll(/\s+/g, ' ').trim() });
  return { path: '/graphql', headers: { 'Content-Type': 'application/json', ...headers }, body };
}

function subjectsOf(database: BenchDatabase): Subject[] {
  const access = { Authorization: `Bearer ${database.readingKey}`, 'X-Service-Workspace': mainWorkspace };
  const rest = { path: '/v0/agents?limit=50', headers: { ...access, 'Service-Version': '2026-04-28' } };
  const shapes = ['small', 'full'] as const;
  const ours = { server: 'ours', checks: 'checked', compiles: true } as const;
  const postgraphile = queries.postgraphile(idOf(mainWorkspace));
  return [
    ...shapes.map((shape): Subject => ({
      ...ours,
      label: 'GraphQL',
      shape,
      call: graphql(queries.agents[shape], access),
      read: seenInGraphql,
    })),
    { ...ours, label: 'REST', shape: 'full', call: rest, read: seenInRest },
    ...(['checked', 'bare'] as const).flatMap((checks) =>
      shapes.flatMap((shape): Subject[] => [
        ...[true, false].map((compiles): Subject => ({
          label: compiles ? 'mercurius' : 'mercurius without its compiler',
          server: 'mercurius',
          checks,
          compiles,
          shape,
          call: graphql(queries.agents[shape], access),
          read: seenInGraphql,
        })),
        {
          label: 'PostGraphile',
          server: 'postgraphile',
          checks,
          compiles: true,
          shape,
          call: graphql(postgraphile[shape], access),
          read: seenInPostgraphile,
        },
        {
          label: 'floor',
          server: 'floor',
          checks,
          compiles: true,
          shape,
          call: { path: `/${shape}`, headers: access },
          read: seenInRest,
        },
      ]),
    ),
  ];
}

const setups: Setup[] = [
  { server: 'ours', checks: 'checked', compiles: true },
  ...(['checked', 'bare'] as const).flatMap((checks): Setup[] => [
    { server: 'mercurius', checks, compiles: true },
    { server: 'mercurius', checks, compiles: false },
    { server: 'postgraphile', checks, compiles: true },
    { server: 'floor', checks, compiles: true },
  ]),
];

function isOn({ server, checks, compiles }: Setup, subject: Subject): boolean {
  return subject.server === server && subject.checks === checks && subject.compiles === compiles;
}

async function ask(origin: string, call: Call): Promise<string> {
  const response = await fetch(`${origin}${call.path}`, {
    method: call.body === undefined ? 'GET' : 'POST',
    headers: call.headers,
    ...(call.body === undefined ? {} : { body: call.body }),
  });
  const body = await response.text();
  if (!response.ok || body.startsWith('{"errors"')) throw new Error(`${origin}${call.path}: ${body.slice(0, 1_000)}`);
  return body;
}

/** Runs one server at a time, so that none takes processor time from another. */
async function withServer(
  { server: name, checks, compiles }: Setup,
  database: BenchDatabase,
  act: (server: RunningServer) => Promise<void>,
): Promise<void> {
  const server = await startServer(name, database, {
    CHECKS: checks === 'checked' ? 'on' : 'off',
    COMPILER: compiles ? 'on' : 'off',
  });
  try {
    await act(server);
  } finally {
    await server.stop();
  }
}

/** Checks that all subjects return the same agents and events. @returns the size of each response (bytes). */
async function checkAnswers(database: BenchDatabase, subjects: Subject[]): Promise<Map<Subject, number>> {
  const bodies = new Map<Subject, string>();
  for (const setup of setups) {
    await withServer(setup, database, async ({ origin }) => {
      for (const subject of subjects.filter((each) => isOn(setup, each))) {
        bodies.set(subject, await ask(origin, subject.call));
      }
    });
  }
  const first = new Map<Shape, Seen>();
  for (const [subject, body] of bodies) {
    const found = subject.read(body);
    const expected = first.get(subject.shape) ?? found;
    first.set(subject.shape, expected);
    const isWhole = found.names.length === 50 && found.events.length === (subject.shape === 'full' ? 50 : 0);
    if (!isWhole || !isDeepStrictEqual(found, expected)) {
      throw new Error(`${subject.label}, ${subject.shape}: other agents or events than the first subject's`);
    }
  }
  const [ours, ...theirs] = ['GraphQL', 'mercurius', 'mercurius without its compiler'].map((label) =>
    [...bodies].find(([subject]) => subject.label === label && subject.shape === 'full'),
  );
  // The same query of the same schema: every value has to be equal.
  const comparable = (body = '{}'): unknown => JSON.parse(body).data;
  for (const each of theirs) deepStrictEqual(comparable(each?.[1]), comparable(ours?.[1]));
  return new Map([...bodies].map(([subject, body]) => [subject, Buffer.byteLength(body)]));
}

interface Figures {
  requestsPerSecond: number;
  p99: number;
  processorMs: number;
}

async function measure({ origin, pid }: RunningServer, subject: Subject): Promise<Figures> {
  await fire(origin, subject.call, warmUpSeconds);
  const before = processorMs(pid);
  const load = await fire(origin, subject.call, seconds);
  const used = processorMs(pid) - before;
  return { requestsPerSecond: load.requestsPerSecond, p99: load.p99, processorMs: used / load.requests };
}

const database = await ensureDatabase(mainDatabase);
const subjects = subjectsOf(database);
const sizes = await checkAnswers(database, subjects);
const figures = new Map<Subject, Figures[]>(subjects.map((subject) => [subject, []]));
for (let round = 0; round < rounds; round++) {
  // Each round starts with another server, so that a disturbance does not always affect the same one.
  const turn = round % setups.length;
  for (const setup of [...setups.slice(turn), ...setups.slice(0, turn)]) {
    // Smoke mode compares their answers, and that is enough.
    if (isSmoke && setup.checks === 'bare') continue;
    await withServer(setup, database, async (server) => {
      for (const subject of subjects.filter((each) => isOn(setup, each))) {
        const found = await measure(server, subject);
        figures.get(subject)?.push(found);
        const rps = Math.round(found.requestsPerSecond);
        process.stderr.write(
          `round ${round + 1}: ${subject.label}, ${subject.checks}, ${subject.shape}: ${rps} a second\n`,
        );
      }
    });
  }
}

const middle = (subject: Subject): Figures => {
  const all = figures.get(subject) ?? [];
  return {
    requestsPerSecond: median(all.map((each) => each.requestsPerSecond)),
    p99: median(all.map((each) => each.p99)),
    processorMs: median(all.map((each) => each.processorMs)),
  };
};

/** Of each round, because the two were measured shortly after each other; then the median of the rounds. */
function ratio(over: Subject | undefined, under: Subject | undefined): number {
  if (over === undefined || under === undefined) throw new Error('nothing to compare');
  const overs = figures.get(over) ?? [];
  const unders = figures.get(under) ?? [];
  return median(overs.map((each, round) => each.requestsPerSecond / (unders[round]?.requestsPerSecond ?? NaN)));
}

const subject = (label: string, shape: Shape, checks: Checks = 'checked') =>
  subjects.find((each) => each.label === label && each.shape === shape && each.checks === checks);

const lines = subjects.map((each) => {
  const { requestsPerSecond, p99, processorMs } = middle(each);
  const kilobytes = ((sizes.get(each) ?? 0) / 1000).toFixed(1);
  const figures = [Math.round(requestsPerSecond), p99.toFixed(0), processorMs.toFixed(2), kilobytes];
  return `| ${[each.label, each.checks, each.shape, ...figures].join(' | ')} |`;
});

/** The least ratio on the same work: of GraphQL to the faster peer, and of REST to the floor. */
const bars = { small: '1.0', full: '1.2', rest: '0.95' };

function comparisonsWith(checks: Checks): string[] {
  const barOf = (bar: string) => (checks === 'checked' ? bar : '');
  const ofShapes = (['small', 'full'] as const).flatMap((shape) => {
    const ours = subject('GraphQL', shape);
    const overMercurius = ratio(ours, subject('mercurius', shape, checks));
    const overUncompiled = ratio(ours, subject('mercurius without its compiler', shape, checks));
    const overPostgraphile = ratio(ours, subject('PostGraphile', shape, checks));
    return [
      `| GraphQL / mercurius | ${checks} | ${shape} | ${overMercurius.toFixed(2)} | |`,
      `| GraphQL / mercurius without its compiler | ${checks} | ${shape} | ${overUncompiled.toFixed(2)} | |`,
      `| GraphQL / PostGraphile | ${checks} | ${shape} | ${overPostgraphile.toFixed(2)} | |`,
      `| **GraphQL / faster peer** | ${checks} | ${shape} | **${Math.min(overMercurius, overPostgraphile).toFixed(2)}** | ${barOf(bars[shape])} |`,
    ];
  });
  const overFloor = ratio(subject('REST', 'full'), subject('floor', 'full', checks)).toFixed(2);
  return [...ofShapes, `| **REST / floor** | ${checks} | full | **${overFloor}** | ${barOf(bars.rest)} |`];
}

const report = `# Request path

\`npm run bench:request-path\` on ${await describeMachine(database)}.
A page of 50 of ${database.agents.toLocaleString('en')} agents, 16 clients, rounds: ${rounds}, each ${seconds} s after ${warmUpSeconds} s of warming up, one server at a time,
medians of the rounds. \`small\`: name, status, createdAt. \`full\`: all of metadata, spec and status, and 5 events each. On a machine
that others use too, only the ratios are meaningful.

| server | checks | shape | requests/s | p99 ms | processor ms/request | kB |
| --- | --- | --- | ---: | ---: | ---: | ---: |
${lines.join('\n')}

| ratio of requests/s, median of the rounds | peer | shape | ratio | bar |
| --- | --- | --- | ---: | ---: |
${[...comparisonsWith('checked'), ...comparisonsWith('bare')].join('\n')}

GraphQL and REST are the control plane. A \`checked\` peer looks up the API key, filters by the workspace that the key gives access to,
and limits the rate of requests; mercurius also limits the depth and the cost of queries, the floor limits no rate. A \`bare\` peer knows no
callers. Mercurius compiles queries with graphql-jit, or executes them with graphql-js. All read with a key that is shown no secrets:
the control plane and its peers mask them. PostGraphile runs on Node 22, which it requires, and returns spec and labels as opaque JSON, without url, plan and workspace.
`;
writeResults('request-path', report);
process.exit(0);
