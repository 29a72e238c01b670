// `npm run --prefix bench bench:dashboards`: what a list costs that is narrowed by each filter and by two of them, beside
// its first page; exact counts; what fifty agents cost, beside their page; and all groups of metrics as CSV.
//
// SIZES (wcp_bench_1m), REPEATS (15) and GROUPS (100000) come from the environment; SIZES=wcp_bench_10k tries it.
// On a machine that is busy with other things the figures would say more of those: it measures, and writes nothing.
import { demoAccounts, mainWorkspace } from '../src/demo/company.js';
import { asks, timeInTurns } from './dashboards/client.js';
import type { Asked, Times } from './dashboards/client.js';
import { measureExport } from './dashboards/export.js';
import type { Exported } from './dashboards/export.js';
import { movedFilter, withMoved } from './dashboards/moved.js';
import { pairsOf, singleFilters } from './dashboards/questions.js';
import { ensureDatabase, isDatabaseName } from './databases.js';
import type { BenchDatabase, DatabaseName } from './databases.js';
import { startServer } from './processes.js';
import { describeMachine, writeResults } from './results.js';

const repeats = Number(process.env['REPEATS'] ?? 15);
const groups = Number(process.env['GROUPS'] ?? 100_000);
const dayMs = 86_400_000;
const windowEndMs = Date.UTC(2026, 10, 1);

interface Row extends Times {
  what: string;
  ratio: number;
  bar: number;
  matches?: number;
}

const page = `query ($filter: AgentFilter) { agents(first: 50, filter: $filter) {
  nodes { id status metadata { name displayName createdAt } } pageInfo { endCursor hasNextPage } } }`;
const filtered = 'query ($filter: AgentFilter) { agents(first: 0, filter: $filter) { filteredCount } }';
const counted = '{ agentCounts(by: STATUS) { value count } }';
const withCost = `query ($startTime: DateTime!, $endTime: DateTime!) { agents(first: 50) {
  nodes { id status metadata { name displayName createdAt }
    cost(startTime: $startTime, endTime: $endTime, resolution: DAILY) { total timeseries { timestamp cost } } }
  pageInfo { endCursor hasNextPage } } }`;
const window = {
  startTime: new Date(windowEndMs - 7 * dayMs).toISOString(),
  endTime: new Date(windowEndMs).toISOString(),
};

const sections: string[] = [];
let machine = '';
for (const name of (process.env['SIZES'] ?? 'wcp_bench_1m').split(',')) {
  if (!isDatabaseName(name)) throw new Error(`there is no database ${name}`);
  const database = await ensureDatabase(name);
  machine = await describeMachine(database);
  sections.push(await measure(name, database));
}
report(sections, await measureExport(groups));
process.exit(0);

async function measure(name: DatabaseName, database: BenchDatabase): Promise<string> {
  const rows: Row[] = [];
  const keep = (row: Row) => {
    rows.push(row);
    process.stderr.write(`${line(row)}\n`);
  };
  await measureLists(database, keep);
  await withMoved(name, database, async (ask) => {
    for (let warmUp = 0; warmUp < 100; warmUp++) await ask(page);
    const matches: number = (await ask(filtered, { filter: movedFilter })).agents.filteredCount;
    const moved = await besidePage(ask, () => ask(page, { filter: movedFilter }), 10);
    keep({ what: 'region, a fifth, none of them new', matches, ...moved });
  });
  const missed = rows.filter(isMissed);
  return `## ${database.agents.toLocaleString('en')} agents

| request | matches | median ms | p90 ms | of the first page | bar |
| --- | ---: | ---: | ---: | ---: | ---: |
${rows.map(line).join('\n')}

${missed.length === 0 ? 'Every bar is met.' : `Missed: ${missed.map(({ what }) => what).join('; ')}.`}
`;
}

async function measureLists(database: BenchDatabase, keep: (row: Row) => void): Promise<void> {
  const server = await startServer('ours', database, { USAGE_EVENTS_PER_MINUTE: '1000000' });
  try {
    const ask = asks(server.origin, database.key);
    for (let warmUp = 0; warmUp < 100; warmUp++) await ask(page);
    const singles = await singleFilters(ask);
    for (const { what, filter } of [...singles, ...pairsOf(singles)]) {
      const matches: number = (await ask(filtered, { filter })).agents.filteredCount;
      keep({ what, matches, ...(await besidePage(ask, () => ask(page, { filter }), 10)) });
      if (matches >= 10_000) continue;
      keep({
        what: `filteredCount: ${what}`,
        matches,
        ...(await besidePage(ask, () => ask(filtered, { filter }), 20)),
      });
    }
    keep({ what: 'counts by status', ...(await besidePage(ask, () => ask(counted), 20)) });
    await use(server.origin, database.key, ask);
    keep({ what: '50 agents with 7 days of their cost', ...(await besidePage(ask, () => ask(withCost, window), 2)) });
  } finally {
    await server.stop();
  }
}

/** A request beside the first page of the list that nothing narrows. */
async function besidePage(ask: Asked, act: () => Promise<unknown>, bar: number): Promise<Omit<Row, 'what'>> {
  const [first, asked] = await timeInTurns(repeats, () => ask(page), act);
  return { ...asked, ratio: asked.median / first.median, bar };
}

/** Has the agents of the first page used something in each hour of the week. The second time it is known already. */
async function use(origin: string, key: string, ask: Asked): Promise<void> {
  const { agents } = await ask('{ agents(first: 50) { nodes { uuid metadata { name } } } }');
  const known: { uuid: string; metadata: { name: string } }[] = agents.nodes;
  const lines = known.flatMap(({ uuid, metadata }) =>
    Array.from({ length: 168 }, (_, hour) =>
      JSON.stringify({
        source: 'bench-dashboards',
        id: `${uuid} ${hour}`,
        account: demoAccounts[0]?.name,
        workspace: mainWorkspace,
        resourceType: 'agent',
        resourceName: metadata.name,
        resourceUuid: uuid,
        billingDimension: 'agent_compute_runtime_gbs',
        time: new Date(windowEndMs - 3_600_000 * (hour + 0.5)).toISOString(),
        usage: '7200.5',
        cost: '0.08280575',
      }),
    ),
  );
  const response = await fetch(`${origin}/v0/usage/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
    body: lines.join('\n'),
  });
  const answer = await response.text();
  if (!response.ok || !answer.includes('"refused":[]')) throw new Error(answer.slice(0, 500));
}

function isMissed({ ratio, bar }: Row): boolean {
  return ratio > bar;
}

function line(row: Row): string {
  const ratio = isMissed(row) ? `**${row.ratio.toFixed(2)}**` : row.ratio.toFixed(2);
  const matches = row.matches?.toLocaleString('en') ?? '';
  return `| ${row.what} | ${matches} | ${row.median.toFixed(1)} | ${row.p90.toFixed(1)} | ${ratio} | ${row.bar} |`;
}

function report(found: string[], csv: Exported): void {
  const text = `# Dashboards

\`npm run --prefix bench bench:dashboards\` on ${machine}.
GraphQL, pages of 50 agents by name and state, one client, ${repeats} requests each after two to warm up, in turns with the first page of
the list that nothing narrows: a ratio is to that.

${found.join('\n')}
## As a file

${csv.groups.toLocaleString('en')} groups with the seven days of a week, ${csv.lines.toLocaleString('en')} lines, ${csv.megabytes.toFixed(0)} MB of CSV: ${csv.megabytesPerSecond.toFixed(1)} MB a second (bar: 20), and
${csv.moreMib.toFixed(0)} MiB of memory more than before (bar: 50).
`;
  writeResults('dashboards', text);
}
