// The process of the simulated data plane, which the demo starts and stops.
import { setTimeout as pause } from 'node:timers/promises';
import { runDataPlane } from './data-plane-client.js';
import { openMeter } from './data-plane-meter.js';

const { GATEWAY: origin = '', EXECUTOR_KEY: key = '', METER_KEYS: keys = '{}', METER_FILE: file = '' } = process.env;
const stopping = new AbortController();
const { signal } = stopping;

for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stopping.abort());
// The parent process has ended.
process.once('disconnect', () => stopping.abort());

const sendEveryMs = Number(process.env['METER_EVERY_MS'] ?? 30_000);
const meter = openMeter({ origin, keys: JSON.parse(keys), file, now: Date.now });

async function measure(): Promise<void> {
  while (!signal.aborted) {
    await meter.send();
    await pause(sendEveryMs, undefined, { signal }).catch(() => {});
  }
}

void measure();
await runDataPlane({ origin, key, meter, pace: 1, signal });
process.exit(0);
