// `npm run load`: makes the databases ahead of a run, `npm run load -- wcp_bench` only one of them.
import { ensureDatabase, sizes } from './databases.js';

const asked = process.argv.slice(2);

for (const name of ['wcp_bench', 'wcp_bench_1m'] as const) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  await ensureDatabase(name);
  process.stdout.write(`${name}: ${sizes[name]} agents are there\n`);
}
