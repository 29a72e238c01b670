// One piece of work by one set-up: how much of it in a second, and whose processor time it took.
import { processorMs } from '../processes.js';
import { serverMs } from './processor-time.js';
import type { SetUp } from './set-ups.js';

/** Processor milliseconds. */
export interface Spent {
  client: number;
  gateways: number;
  /** The one server, or the coordinator. */
  server: number;
  workers: number;
}

export interface Measured {
  perSecond: number;
  spent: Spent;
  ms: number;
}

export async function measure(setUp: SetUp, work: (setUp: SetUp) => Promise<number>): Promise<Measured> {
  const before = spentBy(setUp);
  const startedMs = performance.now();
  const perSecond = await work(setUp);
  const ms = performance.now() - startedMs;
  const after = spentBy(setUp);
  const spent = {
    client: after.client - before.client,
    gateways: after.gateways - before.gateways,
    server: after.server - before.server,
    workers: after.workers - before.workers,
  };
  return { perSecond, spent, ms };
}

function spentBy({ gateways, server, workers }: SetUp): Spent {
  const sum = (times: number[]) => times.reduce((one, other) => one + other, 0);
  return {
    client: processorMs(process.pid),
    gateways: sum(gateways.map(({ pid }) => processorMs(pid))),
    server: serverMs(server),
    workers: sum(workers.map(serverMs)),
  };
}
