import type { ChangeRow } from '../changes/change-rows.js';
import type { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { insertAgents } from './rows/agent-input.js';
import type { AgentInput } from './rows/agent-input.js';
import { replaceConfiguration } from '../resources/configuration/configuration-input.js';
import type { Encryption } from '../encryption.js';
import { loadAccess } from './access.js';
import { demoWorkspace, loadAccount } from './accounts.js';
import { demoAgents } from './agents.js';
import { loadBudgets } from './budgets.js';
import { demoAccounts, mainWorkspace } from './company.js';
import type { DemoAccount } from './company.js';
import { demoConfiguration } from './configuration.js';
import { usualAgentCount } from './documents.js';
import { isEmpty } from './is-empty.js';
import { loadOauthClients } from './oauth-clients.js';
import { appendPast } from './rows/insert-rows.js';
import { atVersions, demoPlatform, loadPlatform } from './platform.js';
import { loadQuotas } from './quotas.js';
import { idOf } from './random.js';
import { workspaceHistory } from './resource-history.js';
import { loadWebhooks, webhookChanges } from './webhooks.js';

/** Larger batches were not faster when measured, and need more memory. */
const batchSize = 250;

/** Enough for slow machines: a million agents take minutes. */
const loadMsMax = 6 * 60 * 60_000;

type Transaction = Prisma.TransactionClient;

export interface DemoOptions {
  /** The end of the demo data: everything is older. */
  end: Date;
  /** The number of agents in the main workspace, up to a million and more. */
  agents?: number | undefined;
  /** The prefix of the addresses of endpoints in change records. */
  inferenceUrl?: string;
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * Loads the demo accounts into an empty database, completely or not at all. The same options load the same data, ids
 * included.
 *
 * @throws if there are accounts, because demo data is never mixed with other data.
 */
export async function loadDemo(db: Database, encryption: Encryption, options: DemoOptions): Promise<void> {
  if (!(await isEmpty(db)))
    throw new Error('The demo can only be loaded into an empty database; this one has accounts.');
  const isLarge = (options.agents ?? 0) > usualAgentCount(mainWorkspace);
  await db.$transaction(
    async (tx) => {
      // Loading takes longer than any statement of a request.
      await tx.$executeRaw`SET LOCAL statement_timeout = 0`;
      for (const account of demoAccounts) await loadAccount(tx, account, options.end);
      await replaceConfiguration(tx, demoConfiguration);
      const load = async () => {
        for (const account of demoAccounts) await loadWorkspaces(tx, encryption, account, options);
      };
      if (!isLarge) return load();
      await withoutIndexes(tx, async () => {
        await load();
        await numberByTime(tx);
      });
    },
    { timeout: loadMsMax },
  );
  // Until then, the planner statistics are those of an empty table.
  await vacuum(db);
}

/** Loads the workspaces of an account, and then everything of the account that its change log contains. */
async function loadWorkspaces(
  tx: Transaction,
  encryption: Encryption,
  account: DemoAccount,
  { end, agents: wanted, inferenceUrl = 'http://localhost:4000/inference', onProgress }: DemoOptions,
): Promise<void> {
  const changes: ChangeRow[] = [];
  for (const workspace of account.workspaces) {
    const isMain = workspace === mainWorkspace;
    const usual = usualAgentCount(workspace);
    // A larger fleet uses the same volumes and images as the default one, and the rest of the demo stays the same.
    const agents = [...demoAgents(workspace, usual, end)];
    const platform = demoPlatform(workspace, agents, end);
    const count = isMain ? (wanted ?? usual) : usual;
    const place = { workspace: demoWorkspace(account, workspace, end), inferenceUrl, end };
    const history = workspaceHistory(place, agents.slice(0, count), platform);
    changes.push(...history.changes);
    await loadPlatform(tx, encryption, workspace, platform, history.versions);
    await loadAgents(
      tx,
      encryption,
      workspace,
      fleetOf(workspace, atVersions(agents.slice(0, count), history.versions), count, end),
      (done) => (isMain ? onProgress?.(done, count) : undefined),
    );
  }
  changes.push(...(await loadAccess(tx, account, end)), ...(await loadBudgets(tx, account, end)));
  changes.push(...(await loadOauthClients(tx, account, end)), ...webhookChanges(account, end));
  changes.push(...(await loadQuotas(tx, account, end)));
  const inOrder = changes.toSorted((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0));
  await loadWebhooks(tx, encryption, account, inOrder, end);
  await appendPast(tx, idOf(account.name), inOrder);
}

/** The agents with a history, and then as many others as requested, with their events. */
function* fleetOf(workspace: string, known: AgentInput[], count: number, end: Date): Generator<AgentInput> {
  yield* known;
  if (count === known.length) return;
  let index = 0;
  for (const agent of demoAgents(workspace, count, end)) if (index++ >= known.length) yield agent;
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

/** Renumbers the changes by time, because the agents of a large fleet are loaded in batches with their events. */
async function numberByTime(tx: Transaction): Promise<void> {
  // Negative numbers first, because they are unused.
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

/** VACUUM cannot run in a transaction, which could lift the statement timeout. Therefore it runs table by table. */
async function vacuum(db: Database): Promise<void> {
  const tables = await db.$queryRaw<{ name: string }[]>`
    SELECT relname::text AS "name" FROM pg_stat_user_tables WHERE n_tup_ins > 0 ORDER BY 1`;
  for (const { name } of tables) await db.$executeRawUnsafe(`VACUUM ANALYZE "${name}"`);
}
