// A client that sends requests at a rate, whether or not those before are answered: an open loop, in a process of its own.
// Started by overload.ts, which it tells what became of them.
import { Agent, request } from 'node:http';

interface Order {
  origin: string;
  path: string;
  headers: Record<string, string>;
  perSecond: number;
  seconds: number;
}

/** What became of requests. */
export interface StormReport {
  served: number;
  /** 503 and 429. */
  shed: number;
  failed: number;
  /** Of those that were served, in milliseconds. */
  latencies: number[];
}

/** A connection that was answered is used again: an agent would close all but 256 of them, and open others. */
const connectionsMax = 4_000;

const agent = new Agent({ keepAlive: true, maxSockets: connectionsMax, maxFreeSockets: connectionsMax });

process.once('message', ({ origin, path, headers, perSecond, seconds }: Order) => {
  const report: StormReport = { served: 0, shed: 0, failed: 0, latencies: [] };
  const { hostname, port } = new URL(origin);
  let open = 0;
  const send = (): void => {
    const startedMs = performance.now();
    open++;
    request({ hostname, port, path, headers, agent, timeout: 30_000 }, (response) => {
      response.resume();
      response.once('end', () => {
        open--;
        if (response.statusCode === 200) {
          report.served++;
          report.latencies.push(performance.now() - startedMs);
        } else if (response.statusCode === 503 || response.statusCode === 429) report.shed++;
        else report.failed++;
      });
    })
      .once('error', () => {
        open--;
        report.failed++;
      })
      .end();
  };
  const beganMs = performance.now();
  let sent = 0;
  const tick = setInterval(() => {
    const elapsed = (performance.now() - beganMs) / 1_000;
    const due = Math.floor(Math.min(elapsed, seconds) * perSecond);
    while (sent < due) {
      send();
      sent++;
    }
    if (elapsed < seconds || (open > 0 && elapsed < seconds + 20)) return;
    clearInterval(tick);
    process.send?.(report, () => process.exit(0));
  }, 5);
});
