import type { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { insertAgents } from '../resources/agents/agent-input.js';
import type { AgentInput } from '../resources/agents/agent-input.js';
import { replaceConfiguration } from '../resources/configuration/configuration-input.js';
import type { Encryption } from '../encryption.js';
import { loadAccount } from './accounts.js';
import { demoAgents } from './agents.js';
import { demoAccounts, demoWorkspaces, mainWorkspace } from './company.js';
import { demoConfiguration } from './configuration.js';
import { usualAgentCount } from './documents.js';
import { isEmpty } from './is-empty.js';
import { demoPlatform, loadPlatform } from './platform.js';
import { idOf } from './random.js';
import { requireWorkloads } from './rules.js';

/** Bigger ones were no faster when measured, and hold more in memory. */
const batchSize = 250;

/** However slow the machine is: a million agents take minutes. */
const loadMsMax = 6 * 60 * 60_000;

type Transaction = Prisma.TransactionClient;

export interface DemoOptions {
  /** The demo's present: everything in it is older. */
  end: Date;
  /** Agents of the main workspace, up to a million and more. */
  agents?: number | undefined;
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * Loads the demo accounts into an empty database: all of it, or nothing when it is interrupted. The same
 * options give the same data, ids included.
 *
 * @throws when there are accounts already: the demo is never mixed with anything.
 */
export async function loadDemo(db: Database, encryption: Encryption, options: DemoOptions): Promise<void> {
  if (!(await isEmpty(db)))
    throw new Error('The demo can only be loaded into an empty database; this one has accounts.');
  await db.$transaction(
    async (tx) => {
      // It takes longer than any statement of a request may.
      await tx.$executeRaw`SET LOCAL statement_timeout = 0`;
      for (const account of demoAccounts) await loadAccount(tx, account, options.end);
      await replaceConfiguration(tx, demoConfiguration);
      await withoutIndexes(tx, async () => {
        await loadWorkspaces(tx, encryption, options);
        await numberByTime(tx);
      });
    },
    { timeout: loadMsMax },
  );
  // The planner's figures are of an empty table until then, and stale figures mislead it.
  await vacuum(db);
}

async function loadWorkspaces(tx: Transaction, encryption: Encryption, options: DemoOptions): Promise<void> {
  for (const workspace of demoWorkspaces) {
    const isMain = workspace === mainWorkspace;
    const usual = usualAgentCount(workspace);
    // A larger fleet attaches and runs the same as the usual one, and the rest of the demo stays as it is.
    const agents = [...demoAgents(workspace, usual, options.end)];
    await loadPlatform(tx, encryption, workspace, demoPlatform(workspace, agents, options.end));
    const count = isMain ? (options.agents ?? usual) : usual;
    const report = isMain ? options.onProgress : undefined;
    await loadAgents(tx, encryption, workspace, demoAgents(workspace, count, options.end), (done) =>
      report?.(done, count),
    );
  }
}

async function loadAgents(
  tx: Transaction,
  encryption: Encryption,
  workspace: string,
  agents: Iterable<AgentInput>,
  report: (done: number) => void,
): Promise<void> {
  let batch: AgentInput[] = [];
  let done = 0;
  const flush = async () => {
    await requireWorkloads(tx, idOf(workspace), batch);
    await insertAgents(tx, encryption, idOf(workspace), batch);
    done += batch.length;
    batch = [];
    report(done);
  };
  for (const agent of agents) {
    batch.push(agent);
    if (batch.length === batchSize) await flush();
  }
  if (batch.length > 0) await flush();
}

/** Resources come in one after the other, each with its past: a history tells what happened in the order of time. */
async function numberByTime(tx: Transaction): Promise<void> {
  // Below zero first, where no number is taken.
  await tx.$executeRaw`
    UPDATE "change" AS c SET "sequence" = -o."place" FROM (
      SELECT "account_id", "sequence", row_number() OVER (PARTITION BY "account_id" ORDER BY "time", "sequence") AS "place"
      FROM "change") AS o
    WHERE o."account_id" = c."account_id" AND o."sequence" = c."sequence"`;
  await tx.$executeRaw`UPDATE "change" SET "sequence" = -"sequence"`;
}

/** Building an index once is several times faster than keeping it up to date row by row. */
async function withoutIndexes(tx: Transaction, load: () => Promise<void>): Promise<void> {
  const indexes = await tx.$queryRaw<{ name: string; definition: string }[]>`
    SELECT indexrelid::regclass::text AS "name", pg_get_indexdef(indexrelid) AS "definition"
    FROM pg_index WHERE indrelid IN ('agent'::regclass, 'change'::regclass) AND NOT indisprimary`;
  for (const { name } of indexes) await tx.$executeRawUnsafe(`DROP INDEX ${name}`);
  await load();
  await tx.$executeRaw`SET LOCAL maintenance_work_mem = '512MB'`;
  for (const { definition } of indexes) await tx.$executeRawUnsafe(definition);
}

/** It cannot run in a transaction, where its limit of time could be lifted: so table by table. */
async function vacuum(db: Database): Promise<void> {
  const tables = await db.$queryRaw<{ name: string }[]>`
    SELECT relname::text AS "name" FROM pg_stat_user_tables WHERE n_tup_ins > 0 ORDER BY 1`;
  for (const { name } of tables) await db.$executeRawUnsafe(`VACUUM ANALYZE "${name}"`);
}
