// Where the figures of a run go: onto the screen, and into results/ when the machine was quiet before it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import pg from 'pg';
import { isSmoke } from './smoke-mode.js';

/** On a machine that is busier with other things, figures say more of those: they are shown, and not written down. */
const loadMax = 2;

/** How busy the machine was before anything was measured. */
const [loadBefore = 0] = loadavg();

/** Shows a page, and writes it to `results/NAME.md` if it is whole, the machine was quiet, and this is no smoke run. */
export function writeResults(name: string, page: string, isWhole = true): void {
  process.stdout.write(page);
  if (!isWhole || isSmoke) return;
  if (loadBefore >= loadMax) {
    process.stdout.write(`\nNot written down: the load average was ${loadBefore.toFixed(1)} before.\n`);
    return;
  }
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${name}.md`, folder), page);
}

/** When and where it was measured. */
export function describeHost(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return (
    `${new Date().toISOString()}, ${cpu?.model.trim() ?? '?'}, ${cpus().length} cores shared by server, database and ` +
    `clients, load average ${loadBefore.toFixed(1)} before the run, ${memory} GiB, Node ${process.versions.node}`
  );
}

/** The same, with the version of the database server. */
export async function describeMachine({ url }: { url: string }): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ version: string }>(`SELECT current_setting('server_version') AS version`);
  await client.end();
  return `${describeHost()}, PostgreSQL ${rows[0]?.version ?? '?'}`;
}
