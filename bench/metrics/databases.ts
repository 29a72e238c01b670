// The ways to the databases of account metrics: made anew, opened as the product opens them, or with a bare client.
import pg from 'pg';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/database/open.js';
import type { Database } from '../../src/database/open.js';
import { idOf } from '../../src/demo/random.js';
import { benchSecret } from '../databases.js';
import { metricsOwner } from './generation.js';
import type { BenchAccount } from './generation.js';

export async function withDatabase<Result>(url: string, act: (db: Database) => Promise<Result>): Promise<Result> {
  const { db, close } = await openDatabase(
    readConfig({ DATABASE_URL: url, SERVICE_SECRETS: benchSecret, LOG_LEVEL: 'error' }),
  );
  try {
    return await act(db);
  } finally {
    await close();
  }
}

export async function withClient<Result>(url: string, act: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC' });
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

export async function createAccounts(db: Database, accounts: BenchAccount[]): Promise<void> {
  const principalId = idOf(metricsOwner);
  await db.principal.create({ data: { id: principalId, kind: 'user', name: metricsOwner } });
  for (const { id, name, workspaces } of accounts) {
    await db.account.create({ data: { id, name, plan: 'enterprise' } });
    await db.accountMember.create({ data: { accountId: id, principalId, role: 'admin' } });
    await db.workspace.createMany({ data: workspaces.map((workspace) => ({ name: workspace, accountId: id })) });
  }
}
