import type { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { insertAgents } from './rows/agent-input.js';
import type { AgentInput } from './rows/agent-input.js';
import { replaceConfiguration } from '../resources/configuration/configuration-input.js';
import type { Encryption } from '../encryption.js';
import { addMembers, deniedRequests, giveAccess } from './access.js';
import { demoWorkspace, loadAccount } from './accounts.js';
import { demoAgents } from './agents.js';
import { createBudgets } from './budgets.js';
import type { Loading } from './calls.js';
import { demoAccounts, mainWorkspace } from './company.js';
import type { DemoAccount } from './company.js';
import { demoConfiguration } from './configuration.js';
import { usualAgentCount } from './documents.js';
import { isEmpty } from './is-empty.js';
import { shareImages } from './image-shares.js';
import { registerClients } from './oauth-clients.js';
import { appendPast } from './rows/insert-rows.js';
import { atVersions, demoPlatform, loadPlatform } from './platform.js';
import { setDemoQuotas } from './quotas.js';
import { idOf } from './random.js';
import { workspaceHistory } from './resource-history.js';
import { createWebhooks, insertDeliveries } from './webhooks.js';

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
 * Loads the demo accounts into an empty database, completely or not at all. The same options load the same data, with the
 * same ids of resources. What people did with the API has ids of its own: keys, invitations, webhooks, shares and images
 * that were accepted.
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
      const { end, inferenceUrl = 'http://localhost:4000/inference' } = options;
      const load = () => loadAccounts({ tx, encryption, inferenceUrl, end }, options);
      await (isLarge ? withoutIndexes(tx, load) : load());
    },
    { timeout: loadMsMax },
  );
  // Until then, the planner statistics are those of an empty table.
  await vacuum(db);
}

/** Loads what is in the accounts: first the resources, then what people did with the API, and last the order of all changes. */
async function loadAccounts(loading: Loading, options: Pick<DemoOptions, 'agents' | 'onProgress'>): Promise<void> {
  for (const account of demoAccounts) {
    await addMembers(loading, account);
    await loadWorkspaces(loading, account, options);
  }
  await giveAccess(loading);
  await registerClients(loading);
  await createWebhooks(loading);
  await shareImages(loading);
  await createBudgets(loading);
  await setDemoQuotas(loading);
  await numberByTime(loading.tx);
  await insertDeliveries(loading);
}

/** Loads the workspaces of an account, with the history of their resources. */
async function loadWorkspaces(
  loading: Loading,
  account: DemoAccount,
  { agents: wanted, onProgress }: Pick<DemoOptions, 'agents' | 'onProgress'>,
): Promise<void> {
  const { tx, encryption, inferenceUrl, end } = loading;
  const changes = deniedRequests(account, end);
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
    await loadPlatform(loading, workspace, platform, history);
    await loadAgents(
      tx,
      encryption,
      workspace,
      fleetOf(workspace, atVersions(agents.slice(0, count), history.versions), count, end),
      (done) => (isMain ? onProgress?.(done, count) : undefined),
    );
  }
  await appendPast(tx, idOf(account.name), changes);
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

/** Renumbers the changes by time, because what is loaded at once, and what each request changes, stands together. */
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
