// `npm run load-metrics`: makes the databases of account metrics ahead of a run, or those that are named.
import { ensureMetricsDatabase } from './metrics/data.js';

const asked = process.argv.slice(2);

for (const name of ['wcp_bench_metrics', 'wcp_bench_metrics_twice'] as const) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  await ensureMetricsDatabase(name);
  process.stdout.write(`${name} is there\n`);
}
