// `npm run bench:cluster`: usage that comes in and questions about it, by one gateway on one server, three gateways on that
// server, and three on a Citus cluster, all on the same cores; and whose processor time each takes.
//
// CLUSTER_URL leads to a coordinator that knows two workers, all on this machine. Smoke mode works without it, and then leaves
// out the cluster. ROUNDS (3) comes from the environment.
import { accounts, openSetUps } from './cluster/set-ups.js';
import type { SetUp } from './cluster/set-ups.js';
import { measure } from './cluster/measure.js';
import type { Measured } from './cluster/measure.js';
import { lineOf, tableOf } from './cluster/results.js';
import { ask, batchesOf, clients, ingest, ingestAndRollUp, untilRolledUp } from './cluster/work.js';
import { forgetUsage } from './metrics/usage-requests.js';
import { describeMachine, writeResults } from './results.js';
import { isSmoke, numberFrom } from './smoke-mode.js';

const rounds = numberFrom('ROUNDS', 3, 1);
const coordinator = process.env['CLUSTER_URL'];
if (coordinator === undefined && !isSmoke) throw new Error('CLUSTER_URL is missing: the address of a coordinator');

interface Work {
  name: string;
  /** How many events or questions. */
  count: number;
  /** Makes what is needed, and answers what is measured. */
  prepare: () => (setUp: SetUp) => Promise<number>;
  /** Whether it begins with empty tables. */
  isFresh: boolean;
}

const questions = isSmoke ? 48 : 960;

const allWorks: Work[] = [
  { name: 'questions', count: questions, isFresh: false, prepare: () => (setUp) => ask(setUp, questions) },
  ingestion('10,000 events a batch', 10_000, 24, ingest),
  ingestion('10,000 events a batch, until rolled up', 10_000, 24, ingestAndRollUp),
  ingestion('100 events a batch', 100, 360, ingest),
  ingestion('100 events a batch, until rolled up', 100, 360, ingestAndRollUp),
];
const works = allWorks.filter(({ count }) => !isSmoke || count < 100_000);

function ingestion(name: string, size: number, batches: number, send: typeof ingest): Work {
  const prepare = () => {
    const given = batchesOf(size, batches);
    return (setUp: SetUp) => send(setUp, given);
  };
  return { name, count: size * batches, isFresh: true, prepare };
}

const setUps = await openSetUps(coordinator);
try {
  const rows = works.flatMap((work) => {
    const compared: Measured[] = [];
    return setUps.all.map((setUp, place) => {
      const measured: Measured[] = place === 0 ? compared : [];
      return {
        work,
        setUp,
        row: { work: work.name, count: work.count, setUp: setUp.name, rounds: measured, compared },
      };
    });
  });
  for (const setUp of setUps.all) await warmUp(setUp);
  for (let round = 0; round < rounds; round++) {
    for (const work of works) {
      const act = work.prepare();
      for (const { setUp, row } of rows.filter((each) => each.work === work)) {
        if (work.isFresh) await forgetUsage(setUp.url);
        row.rounds.push(await measure(setUp, act));
        process.stderr.write(`${lineOf(row)}\n`);
        await untilRolledUp(setUp);
      }
    }
    for (const setUp of setUps.all) await refill(setUp);
  }
  const text = `# Three gateways on a cluster

\`npm run --prefix bench bench:cluster\` on ${await describeMachine({ url: setUps.all[0]?.url ?? '' })}.
Medians of ${rounds} rounds in turns. ${clients} clients and ${accounts.length} accounts, NDJSON over HTTP, and pages of metrics; the
coordinator, two workers, the gateways and the clients share the cores, as one server, its gateways and the clients do.
Ratios are to one gateway on one server. The processor time is of an event, or of a question.

${tableOf(rows.map(({ row }) => row))}
`;
  writeResults('cluster', text);
} finally {
  await setUps.close();
}
process.exit(0);

async function warmUp(setUp: SetUp): Promise<void> {
  for (let time = 0; time < 2; time++) await refill(setUp);
  await ask(setUp, questions / 2);
}

/** What questions are about: enough batches that each gateway comes to know the series of each account. */
async function refill(setUp: SetUp): Promise<void> {
  await forgetUsage(setUp.url);
  await ingestAndRollUp(setUp, batchesOf(isSmoke ? 20 : 2_000, 6 * accounts.length));
}
