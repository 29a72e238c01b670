import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { insertAgents } from '../resources/agents/agent-input.js';
import type { AgentInput } from '../resources/agents/agent-input.js';
import type { Seal } from '../seal.js';
import { demoAgents } from './agents.js';
import { demoAccounts, mainWorkspace } from './company.js';
import type { DemoAccount } from './company.js';
import { idOf } from './random.js';

/** Agents of the main workspace, when nothing else is asked for, and of each other one. */
export const demoAgentCount = 64;
const sideAgentCount = 8;

const batchSize = 1_000;

/** From this many on, building the search index once is faster than keeping it up to date row by row. */
const bulkCount = 20_000;

export interface DemoOptions {
  /** The demo's present: everything in it is older. */
  end: Date;
  /** Agents of the main workspace, up to a million and more. */
  agents?: number | undefined;
  onProgress?: ((done: number, total: number) => void) | undefined;
}

export async function isEmpty(db: Database): Promise<boolean> {
  return (await db.account.count()) === 0;
}

/**
 * Loads the demo accounts into an empty database. The same options give the same data, ids included.
 *
 * @throws when there are accounts already: the demo is never mixed with anything.
 */
export async function loadDemo(db: Database, seal: Seal, options: DemoOptions): Promise<void> {
  if (!(await isEmpty(db)))
    throw new Error('The demo can only be loaded into an empty database; this one has accounts.');
  const total = options.agents ?? demoAgentCount;
  for (const account of demoAccounts) await loadAccount(db, account, options.end);
  const withoutIndex = total >= bulkCount ? withoutSearchIndex : runAsIs;
  await withoutIndex(db, async () => {
    for (const workspace of demoAccounts.flatMap((account) => Object.keys(account.workspaces))) {
      const isMain = workspace === mainWorkspace;
      const count = isMain ? total : sideAgentCount;
      const report = isMain ? options.onProgress : undefined;
      await loadAgents(db, seal, workspace, demoAgents(workspace, count, options.end), (done) => report?.(done, count));
    }
  });
  // The planner's figures are of an empty table until then, and stale figures mislead it.
  await db.$executeRawUnsafe('VACUUM ANALYZE');
}

async function loadAccount(db: Database, account: DemoAccount, end: Date): Promise<void> {
  const createdAt = new Date(end.getTime() - 400 * 24 * 3_600_000);
  const times = { createdAt, updatedAt: createdAt };
  const accountId = idOf(account.name);
  const { name, displayName, plan } = account;
  await db.account.create({ data: { id: accountId, name, displayName, plan, ...times } });
  for (const [workspace, title] of Object.entries(account.workspaces)) {
    await db.workspace.create({
      data: { id: idOf(workspace), accountId, name: workspace, displayName: title, ...times },
    });
  }
  for (const principal of account.principals) {
    const id = idOf(principal.name);
    await db.principal.create({
      data: { id, kind: principal.kind, name: principal.name, displayName: principal.displayName, createdAt },
    });
    await db.accountMember.create({ data: { accountId, principalId: id, role: principal.role } });
    for (const [workspace, role] of Object.entries(principal.workspaces)) {
      await db.workspaceMember.create({ data: { workspaceId: idOf(workspace), principalId: id, role } });
    }
  }
}

async function loadAgents(
  db: Database,
  seal: Seal,
  workspace: string,
  agents: Iterable<AgentInput>,
  report: (done: number) => void,
): Promise<void> {
  let batch: AgentInput[] = [];
  let done = 0;
  const flush = async () => {
    await insertAgents(db, seal, idOf(workspace), batch);
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

const searchIndex = 'agent_search_grams_idx';

async function withoutSearchIndex(db: Database, load: () => Promise<void>): Promise<void> {
  const [index] = await db.$queryRaw<{ definition: string }[]>(
    Prisma.sql`SELECT pg_get_indexdef(${searchIndex}::regclass)::text AS "definition"`,
  );
  if (index === undefined) throw new Error(`the index ${searchIndex} is missing`);
  await db.$executeRawUnsafe(`DROP INDEX "${searchIndex}"`);
  try {
    await load();
  } finally {
    // It takes longer than any statement of a request may.
    await db.$transaction([
      db.$executeRawUnsafe(`SET LOCAL statement_timeout = 0`),
      db.$executeRawUnsafe(`SET LOCAL maintenance_work_mem = '1GB'`),
      db.$executeRawUnsafe(index.definition),
    ]);
  }
}

function runAsIs(_db: Database, load: () => Promise<void>): Promise<void> {
  return load();
}
