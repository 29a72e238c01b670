// What making an agent costs while somebody watches, against while nobody does.
import { processorMs, sleep, startServer } from '../processes.js';
import type { RunningServer } from '../processes.js';
import { openClient } from './requests.js';
import { openWatchers } from './watchers.js';
import type { Account } from './writers.js';

const mutation =
  'mutation ($input: CreateAgentInput!) { createAgent(input: $input) { ... on CreateAgentPayload { agent { id } } } }';

/** Of each turn: processor of the server for an agent, in milliseconds, and agents in a second. */
export interface Turn {
  isWatched: boolean;
  processorMs: number;
  perSecond: number;
}

/** One writer, in turns of so many seconds: with one who watches all of it, and without. */
export async function measureWriting(
  url: string,
  settings: Record<string, string>,
  account: Account,
  seconds: number,
): Promise<Turn[]> {
  const server = await startServer('ours', { url }, settings);
  const turns: Turn[] = [];
  await writeFor(server, account, 2);
  for (const isWatched of [false, true, true, false]) {
    const watching = { origin: server.origin, accounts: [account], watchers: 1, eventsMax: 1 };
    const watchers = isWatched ? await openWatchers(watching) : undefined;
    await sleep(1_000);
    turns.push({ isWatched, ...(await writeFor(server, account, seconds)) });
    await watchers?.leave();
  }
  await server.stop();
  return turns;
}

async function writeFor({ origin, pid }: RunningServer, account: Account, seconds: number) {
  const client = openClient(origin, account.key);
  const usedMs = processorMs(pid);
  const startMs = performance.now();
  let made = 0;
  while (performance.now() < startMs + seconds * 1_000) {
    const input = { workspace: account.workspace, metadata: { name: `a-${Math.random().toString(36).slice(2)}` } };
    const answer = await client.ask(mutation, { input });
    if (!answer.includes('"id"')) throw new Error(answer);
    made++;
  }
  client.close();
  return {
    processorMs: (processorMs(pid) - usedMs) / made,
    perSecond: (made * 1_000) / (performance.now() - startMs),
  };
}
