// A program of its own, which the demo starts and ends: its simulated data plane.
import { runDataPlane } from './data-plane-client.js';

const { GATEWAY: origin = '', EXECUTOR_KEY: key = '' } = process.env;
const stopping = new AbortController();

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort());
// Whoever started it is gone, however that came.
process.once('disconnect', () => stopping.abort());

await runDataPlane({ origin, key, pace: 1, signal: stopping.signal });
process.exit(0);
