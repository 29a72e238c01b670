// `npm run bench:paging`: what a page costs wherever it stands, whatever it is sorted by and searched for, at
// 100,000 and at 1,000,000 agents. The server is asked by one client, so that only the way of a page counts.
//
// SIZES=wcp_bench measures the smaller database alone.
import pg from 'pg';
import { mainWorkspace } from '../src/demo/company.js';
import { ensureDatabase, sizes } from './databases.js';
import type { BenchDatabase, DatabaseName } from './databases.js';
import { median, quantile, residentMib, sleep, startServer } from './processes.js';
import type { RunningServer } from './processes.js';
import { describeMachine, writeResults } from './results.js';
import { isSmoke } from './smoke-mode.js';

const repeats = isSmoke ? 1 : 30;
const warmUps = isSmoke ? 0 : 3;
const serverWarmUps = isSmoke ? 0 : 200;
const totalRounds = isSmoke ? 1 : 10;
/** Of the walks to deep rows. */
const pageSize = isSmoke ? 10 : 200;

interface Row {
  what: string;
  median: number;
  p90: number;
  /** To the first page of the same query, or to what is named. */
  ratio?: number;
  bar?: number;
  note?: string;
}

interface Page {
  data: { metadata: { name: string } }[];
  meta: { hasMore: boolean; nextCursor: string; total: number };
}

const sorts = ['createdAt:desc', 'createdAt:asc', 'name:asc', 'name:desc'];

const searches: [kind: string, term: string][] = [
  ['2 characters, frequent', 'cu'],
  ['2 characters, middling', 'gd'],
  ['2 characters, rare or none', 'zz'],
  ['2 characters, none', 'qq'],
  ['frequent', 'production'],
  ['frequent', 'invoice'],
  ['middling', 'cc-117'],
  ['middling', 'invoice watcher'],
  ['rare', 'claims-auditor-eu-9'],
  ['none, of frequent pieces', 'invoice customs'],
  ['none', 'xylophone'],
];

class Client {
  readonly #headers: Record<string, string>;

  constructor(
    readonly origin: string,
    key: string,
  ) {
    this.#headers = { Authorization: `Bearer ${key}`, 'X-Service-Workspace': mainWorkspace };
  }

  async page(parameters: Record<string, string>): Promise<Page> {
    return JSON.parse(await this.#list(parameters));
  }

  /** Cut out of the text, because a walk over a million rows would spend most of its time in parsing them. */
  async nextCursor(parameters: Record<string, string>): Promise<string> {
    const text = await this.#list(parameters);
    return /"nextCursor":"([^"]*)"/.exec(text.slice(text.lastIndexOf('"meta":')))?.[1] ?? '';
  }

  async #list(parameters: Record<string, string>): Promise<string> {
    const address = `${this.origin}/v0/agents?${new URLSearchParams(parameters).toString()}`;
    const headers = { ...this.#headers, 'Service-Version': '2026-04-28' };
    // Once more after a failure, as a walk of thousands of pages can meet a connection that is just being closed.
    const response = await fetch(address, { headers }).catch(() => fetch(address, { headers }));
    const text = await response.text();
    if (!response.ok) throw new Error(`${address}: ${response.status} ${text}`);
    return text;
  }

  async graphql(query: string): Promise<void> {
    const response = await fetch(`${this.origin}/graphql`, {
      method: 'POST',
      headers: { ...this.#headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    const text = await response.text();
    if (!response.ok || text.startsWith('{"errors"')) throw new Error(`${query}: ${text}`);
  }

  /** The answer of the version before lists had pages: one array of all there is. */
  async streamAll(): Promise<AsyncIterable<Uint8Array>> {
    const response = await fetch(`${this.origin}/v0/agents`, { headers: this.#headers });
    if (!response.ok || response.body === null) throw new Error(`the whole list: ${response.status}`);
    return response.body;
  }
}

interface Times {
  median: number;
  p90: number;
}

/**
 * Times several requests in turns, so that whatever else the machine does meets all of them alike: their ratios
 * hold even where the milliseconds do not.
 */
async function timeInTurns<Acts extends (() => Promise<unknown>)[]>(
  ...acts: Acts
): Promise<{ [Index in keyof Acts]: Times }>;
async function timeInTurns(...acts: (() => Promise<unknown>)[]): Promise<Times[]> {
  const times = acts.map((): number[] => []);
  for (let repeat = -warmUps; repeat < repeats; repeat++) {
    for (const [index, act] of acts.entries()) {
      const started = performance.now();
      await act();
      if (repeat >= 0) times[index]?.push(performance.now() - started);
    }
  }
  return times.map((each) => ({ median: median(each), p90: quantile(each, 0.9) }));
}

interface Deep {
  parameters: Record<string, string>;
  row: number;
  cursor: string;
}

/** Walks as a client would, by the cursors alone, to the page that begins behind the row. */
async function walkTo(client: Client, parameters: Record<string, string>, row: number): Promise<Deep> {
  let cursor = '';
  for (let passed = 0; passed < row; passed += pageSize) {
    const limit = String(pageSize);
    cursor = await client.nextCursor({ ...parameters, limit, ...(cursor === '' ? {} : { cursor }) });
    if (cursor === '') throw new Error(`the list ends before row ${row}`);
  }
  return { parameters, row, cursor };
}

async function measurePages(client: Client, agents: number, report: (row: Row) => void): Promise<void> {
  const walks = [
    ...sorts.map((sort) => walkTo(client, { sort }, agents * 0.9)),
    ...['createdAt:desc', 'name:asc'].map((sort) => walkTo(client, { sort, q: 'production' }, agents / 10)),
  ];
  for (const { parameters, row, cursor } of await Promise.all(walks)) {
    const [first, deep] = await timeInTurns(
      () => client.page(parameters),
      () => client.page({ ...parameters, cursor }),
    );
    const query = Object.values(parameters).join(', q=');
    report({ what: `first page, ${query}`, ...first });
    const ratio = deep.median / first.median;
    report({ what: `page at row ${row.toLocaleString('en')}, ${query}`, ...deep, ratio, bar: 1.5 });
  }
}

async function measureSearches(client: Client, database: BenchDatabase, report: (row: Row) => void): Promise<void> {
  const oldest = await client.page({ sort: 'createdAt:asc', limit: '1' });
  const all = [...searches, ['rare, the oldest agent', oldest.data[0]?.metadata.name ?? '']] as const;
  const matches = await countMatches(
    database,
    all.map(([, q]) => q),
  );
  const sort = 'createdAt:desc';
  for (const [index, [kind, q]] of all.entries()) {
    const what = `q=${q} (${kind}), ${sort}`;
    const failure = await failureOf(() => client.page({ sort, q }));
    if (failure !== undefined) {
      report({ what, median: NaN, p90: NaN, ratio: Infinity, bar: 10, note: failure });
      continue;
    }
    const [first, found] = await timeInTurns(
      () => client.page({ sort }),
      () => client.page({ sort, q }),
    );
    const note = `${matches[index]?.toLocaleString('en') ?? '?'} match`;
    report({ what, ...found, ratio: found.median / first.median, bar: 10, note });
  }
}

/** The first words of what a request fails with; undefined when it does not. */
async function failureOf(act: () => Promise<unknown>): Promise<string | undefined> {
  return act().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? /: (\d{3}) /.exec(error.message)?.[1] : undefined) ?? 'failed',
  );
}

/** How many agents each term finds, so that a reader sees how frequent it is. */
async function countMatches(database: BenchDatabase, terms: string[]): Promise<number[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const counts = terms.map((_, index) => `count(*) FILTER (WHERE strpos(a.search, $${index + 2}) > 0)::int`);
  const { rows } = await client.query<{ counts: number[] }>(
    `SELECT ARRAY[${counts.join(', ')}] AS counts FROM agent a JOIN workspace w ON w.id = a.workspace_id WHERE w.name = $1`,
    [mainWorkspace, ...terms],
  );
  await client.end();
  return rows[0]?.counts ?? [];
}

async function measureTotal(client: Client, report: (row: Row) => void): Promise<void> {
  const { data } = await client.page({ limit: '1' });
  const name = data[0]?.metadata.name ?? '';
  const lookUp = () => client.graphql(`{ agent(name: "${name}") { metadata { name } } }`);
  const total = () => client.graphql('{ agents(first: 0) { totalCount } }');
  // Both take less than the noise of a machine, so they are asked more often than the rest.
  const rounds: [byKey: Times, counted: Times][] = [];
  for (let round = 0; round < totalRounds; round++) rounds.push(await timeInTurns(lookUp, total));
  const middle = (pick: (times: [byKey: Times, counted: Times]) => number) => median(rounds.map(pick));
  report({ what: 'GraphQL agent(name:)', median: middle(([key]) => key.median), p90: middle(([key]) => key.p90) });
  report({
    what: 'GraphQL agents(first: 0) { totalCount }',
    median: middle(([, counted]) => counted.median),
    p90: middle(([, counted]) => counted.p90),
    ratio: middle(([key, counted]) => counted.median / key.median),
    bar: 1,
    note: 'to agent(name:)',
  });
}

/** Memory of the server while one client reads the whole list, and how much of it arrived. */
async function measureStream(client: Client, pid: number): Promise<string> {
  await client.page({});
  await sleep(3_000);
  const idle = residentMib(pid);
  let most = idle;
  const watch = setInterval(() => {
    most = Math.max(most, residentMib(pid));
  }, 50);
  const started = performance.now();
  let rows = 0;
  let bytes = 0;
  try {
    for await (const chunk of await client.streamAll()) {
      rows += rowsIn(chunk);
      bytes += chunk.length;
    }
  } finally {
    clearInterval(watch);
  }
  const seconds = (performance.now() - started) / 1000;
  const growth = most - idle;
  return (
    `The whole list of the version before 2026-04-28: ${rows.toLocaleString('en')} rows, ${Math.round(bytes / 1e6)} MB in ` +
    `${seconds.toFixed(0)} s (${Math.round(rows / seconds).toLocaleString('en')} rows/s). The server's memory: ${Math.round(idle)} MiB ` +
    `idle, ${Math.round(most)} MiB at most: **${Math.round(growth)} MiB more** (bar: 100)${growth <= 100 ? '' : ', **missed**'}.`
  );
}

/** Every agent begins with this, and no text in one can hold it, as a quote in a text is escaped. */
const rowStart = Buffer.from('{"metadata":');
let tail = Buffer.alloc(0);

function rowsIn(chunk: Uint8Array): number {
  const bytes = Buffer.concat([tail, chunk]);
  let rows = 0;
  let from = 0;
  for (;;) {
    const at = bytes.indexOf(rowStart, from);
    if (at === -1) break;
    rows++;
    from = at + rowStart.length;
  }
  // A start may be cut in two between chunks.
  tail = bytes.subarray(Math.max(from, bytes.length - rowStart.length + 1));
  return rows;
}

async function measure(name: DatabaseName): Promise<{ database: BenchDatabase; section: string }> {
  const database = await ensureDatabase(name);
  const rows: Row[] = [];
  const report = (row: Row) => {
    rows.push(row);
    process.stderr.write(`${line(row)}\n`);
  };
  const stream = await withOurs(database, (client, { pid }) => measureStream(client, pid));
  process.stderr.write(`${stream}\n`);
  await withOurs(database, async (client) => {
    for (let warmUp = 0; warmUp < serverWarmUps; warmUp++) await client.page({});
    await measurePages(client, database.agents, report);
    await measureSearches(client, database, report);
    await measureTotal(client, report);
  });
  const missed = rows.filter(isMissed);
  const section = `## ${database.agents.toLocaleString('en')} agents

| request | median ms | p90 ms | ratio | bar | |
| --- | ---: | ---: | ---: | ---: | --- |
${rows.map(line).join('\n')}

${stream}

${missed.length === 0 ? 'Every bar is met.' : `Missed: ${missed.map(({ what }) => what).join('; ')}.`}
`;
  return { database, section };
}

async function withOurs<Result>(
  database: BenchDatabase,
  act: (client: Client, server: RunningServer) => Promise<Result>,
): Promise<Result> {
  const server = await startServer('ours', database);
  try {
    return await act(new Client(server.origin, database.key), server);
  } finally {
    await server.stop();
  }
}

function isMissed({ ratio, bar }: Row): boolean {
  return ratio !== undefined && bar !== undefined && ratio > bar;
}

function line(row: Row): string {
  const ratio = row.ratio === undefined ? '' : row.ratio.toFixed(2);
  const shown = isMissed(row) ? `**${ratio}**` : ratio;
  return `| ${row.what} | ${row.median.toFixed(1)} | ${row.p90.toFixed(1)} | ${shown} | ${row.bar ?? ''} | ${row.note ?? ''} |`;
}

function write(machine: string, sections: string[]): void {
  const report = `# Paging

\`npm run bench:paging\` on ${machine}.
REST, \`GET /v0/agents\`, pages of 50 whole agents, one client, ${repeats} requests each after ${warmUps} to warm up. A deep row is reached by
the cursors of pages of ${pageSize}. A ratio is to the first page of the same query, of a search to the first page without
one; the two are asked in turns.

${sections.join('\n')}`;
  writeResults('paging', report);
}

const asked = process.env['SIZES']?.split(',') ?? Object.keys(sizes);
const isAsked = (name: string): name is keyof typeof sizes => asked.includes(name);
const names: DatabaseName[] = isSmoke ? ['wcp_bench_smoke'] : Object.keys(sizes).filter(isAsked);
const sections: string[] = [];
for (const name of names) {
  const { database, section } = await measure(name);
  sections.push(section);
  process.stdout.write(section);
  // After each, because the larger database takes minutes.
  write(await describeMachine(database), sections);
}
process.exit(0);
