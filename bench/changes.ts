// `npm run --prefix bench bench:changes`: how late watchers are told of what is committed, beside a floor that forwards
// what PostgreSQL notifies; how much memory a watcher takes; what writing costs while somebody watches; and how fast the
// history is read from its start.
//
// WATCHERS (1000), PER_SECOND (100), SECONDS (20), ROUNDS (3) and CHANGES (200000) come from the environment; PARTS=reading,memory
// measures only those, and writes nothing down. Nor does it on a machine that is busy with other things.
import { openWatchers } from './changes/watchers.js';
import { measureLateness } from './changes/lateness.js';
import type { ToldLate } from './changes/lateness.js';
import { measureReading } from './changes/reading.js';
import type { Reading } from './changes/reading.js';
import { measureWriting } from './changes/writing.js';
import type { Turn } from './changes/writing.js';
import { openWriters } from './changes/writers.js';
import type { Account, Writers } from './changes/writers.js';
import { createDatabase, dropDatabase } from './databases.js';
import { median, residentMib, sleep, startServer } from './processes.js';
import { describeMachine, writeResults } from './results.js';

const watchers = Number(process.env['WATCHERS'] ?? 1_000);
const perSecond = Number(process.env['PER_SECOND'] ?? 100);
const seconds = Number(process.env['SECONDS'] ?? 20);
const rounds = Number(process.env['ROUNDS'] ?? 3);
const changes = Number(process.env['CHANGES'] ?? 200_000);
const parts = process.env['PARTS']?.split(',');
const name = 'wcp_bench_changes';
const settings = { WATCHERS_PER_ACCOUNT_MAX: String(10 * watchers) };

/** Over how many accounts those who watch, and what they are told of, are spread: all are told of it, or a hundredth. */
const spreads = [1, 100];
const servers = ['ours', 'changes-floor'] as const;

const late = new Map<string, ToldLate[]>();
const memoryKib: number[] = [];
const turns: Turn[] = [];
const readings: Reading[] = [];
const keyOf = (server: string, spread: number) => `${server} ${spread}`;
const measures = (part: string) => parts?.includes(part) ?? true;

const url = await createDatabase(name);
let writers: Writers | undefined;
try {
  writers = await openWriters(url, Math.max(...spreads));
  for (let round = 0; round < rounds; round++) await measure(writers);
  report(await describeMachine({ url }));
} finally {
  await writers?.close();
  await dropDatabase(name);
}
process.exit(0);

async function measure({ accounts, write }: Writers): Promise<void> {
  const [first, second] = accounts;
  if (first === undefined || second === undefined) throw new RangeError('there are no such accounts');
  for (const spread of measures('lateness') ? spreads : []) {
    for (const server of servers) {
      const rate = { watchers, perSecond, seconds };
      const told = await measureLateness(server, url, settings, accounts.slice(0, spread), write, rate);
      process.stderr.write(`${server}, ${spread} accounts: ${JSON.stringify(told)}\n`);
      const key = keyOf(server, spread);
      late.set(key, [...(late.get(key) ?? []), told]);
    }
  }
  if (measures('memory')) memoryKib.push(await measureMemory(accounts));
  if (measures('writing')) turns.push(...(await measureWriting(url, settings, first, seconds / 4)));
  if (measures('reading')) readings.push(await measureReading(url, settings, second, changes));
}

/** How much more memory the process holds for each that comes to as many as have been there since before. */
async function measureMemory(accounts: readonly Account[]): Promise<number> {
  const { origin, pid, stop } = await startServer('ours', { url }, settings);
  const watchAll = () => openWatchers({ origin, accounts, watchers, eventsMax: 1 });
  await (await watchAll()).leave();
  const first = await watchAll();
  await sleep(5_000);
  const before = residentMib(pid);
  const second = await watchAll();
  await sleep(5_000);
  const kib = ((residentMib(pid) - before) * 1024) / watchers;
  for (const { leave } of [first, second]) await leave();
  await stop();
  process.stderr.write(`memory: ${kib.toFixed(1)} KiB a watcher\n`);
  return kib;
}

function report(machine: string): void {
  const middle = (server: string, spread: number, field: keyof ToldLate) =>
    median((late.get(keyOf(server, spread)) ?? []).map((each) => each[field]));
  const rows = spreads.flatMap((spread) =>
    servers.map((server) => {
      const of = (field: keyof ToldLate) => middle(server, spread, field);
      const ratio = server === 'ours' ? (of('p99') / middle('changes-floor', spread, 'p99')).toFixed(2) : '';
      const cells = [
        Math.round((of('perSecond') * watchers) / spread).toLocaleString('en'),
        server === 'ours' ? 'control plane' : 'floor',
        of('p50').toFixed(0),
        of('p99').toFixed(0),
        ratio,
        `${(100 * of('told')).toFixed(1)} %`,
        of('processors').toFixed(2),
        of('processorsOfWatchers').toFixed(2),
      ];
      return `| ${cells.join(' | ')} |`;
    }),
  );
  const ofTurns = (isWatched: boolean, field: 'processorMs' | 'perSecond') =>
    median(turns.filter((turn) => turn.isWatched === isWatched).map((turn) => turn[field]));
  const [watched, alone] = [ofTurns(true, 'processorMs'), ofTurns(false, 'processorMs')];
  const rate = (isWatched: boolean) => ofTurns(isWatched, 'perSecond').toFixed(0);
  const page = `# Changes

\`npm run --prefix bench bench:changes\` on ${machine}.
${watchers.toLocaleString('en')} watchers on one process, ${perSecond} changes a second; medians of ${rounds} rounds of ${seconds} s. A change is recorded as the
service does it, by another process; a third one holds the clients, and looks for names in the bytes that come. Lateness is from when
its COMMIT is sent until a watcher has its event.
The floor forwards what PostgreSQL notifies: it authenticates, filters, seals and bounds nothing.

| events a second | server | p50 ms | p99 ms (bar: 250) | p99, of the floor's (bar: 2) | told | processors | of the clients |
| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}

- Memory a watcher: ${median(memoryKib).toFixed(1)} KiB (bar: 30 KB).
- Processor of an agent that is made while somebody watches, against while nobody does: ${(watched / alone).toFixed(2)} (bar: 1.15), ${watched.toFixed(2)} and ${alone.toFixed(2)} ms;
  one writer makes ${rate(true)} and ${rate(false)} a second.
- Reading a history of ${changes.toLocaleString('en')} from its start, 200 a page: ${Math.round(median(readings.map((each) => each.perSecond))).toLocaleString('en')} changes a second (bar: 20,000).
`;
  writeResults('changes', page, parts === undefined);
}
