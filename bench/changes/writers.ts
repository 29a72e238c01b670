// Accounts with a key each, and changes that are recorded in them as the service records its own: in a transaction, under
// the account's next number, with the word to whoever listens.
import { randomUUID } from 'node:crypto';
import { createApiKey } from '../../src/auth/api-key.js';
import { authorizeWorkspace } from '../../src/auth/authorize.js';
import type { RequestContext } from '../../src/auth/context.js';
import { openContext } from '../../src/auth/open-context.js';
import { recordChanges } from '../../src/changes/record-changes.js';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/database/open.js';
import { createLog, createServices } from '../../src/server/create-services.js';
import { benchSecret } from '../databases.js';
import { sharedMs } from './clock.js';

export interface Account {
  id: string;
  workspace: string;
  key: string;
}

export interface Writers {
  accounts: Account[];
  /**
   * Records one change. @returns when its COMMIT was sent, on the clock of clock.ts: what is committed is told no earlier.
   */
  write: (account: Account, name: string) => Promise<number>;
  close: () => Promise<void>;
}

const labels = { team: 'bench', tier: 'gold' };
const spec = { enabled: true, region: 'eu-frankfurt-1', runtime: { generation: 'mk3', memory: 2048 } };

export async function openWriters(url: string, count: number): Promise<Writers> {
  const config = readConfig({ DATABASE_URL: url, SERVICE_SECRETS: benchSecret, LOG_LEVEL: 'error' });
  const database = await openDatabase(config);
  const services = createServices(config, database, () => new Date(), createLog(config.LOG_LEVEL));
  const { db } = services;
  const owner = await db.principal.create({ data: { kind: 'user', name: 'bench@example.com' } });
  const accounts: Account[] = [];
  const contexts = new Map<string, RequestContext>();
  for (let index = 0; index < count; index++) {
    const workspace = `bench-${index}`;
    const { id } = await db.account.create({ data: { name: workspace, plan: 'enterprise' } });
    await db.accountMember.create({ data: { accountId: id, principalId: owner.id, role: 'admin' } });
    await db.workspace.create({ data: { name: workspace, accountId: id } });
    const { key, prefix, hash } = createApiKey();
    await db.apiKey.create({
      data: { name: 'bench', prefix, hash, scope: 'admin', principalId: owner.id, accountId: id },
    });
    accounts.push({ id, workspace, key });
    contexts.set(id, await openContext(services, { authorization: `Bearer ${key}` }, 'bench'));
  }
  return {
    accounts,
    write: async ({ id, workspace }, name) => {
      const ctx = contexts.get(id);
      if (ctx === undefined) throw new Error('there is no such account');
      const after = { metadata: { name, labels, workspace }, spec, status: 'DEPLOYED' };
      const event = { type: 'update', status: 'UPDATED', message: 'Updated by bench@example.com' };
      const resourceId = randomUUID();
      return authorizeWorkspace(ctx, 'admin', workspace).transaction(async (within) => {
        await recordChanges(within, [{ kind: 'AGENT', verb: 'updated', resourceId, name, version: 2, after, event }]);
        // What the floor forwards is of the size of what the service tells.
        const node = { action: 'UPDATED', kind: 'AGENT', name, actor: { name: 'bench@example.com' } };
        const told = { data: { changes: { cursor: 'x'.repeat(64), node } } };
        await within.db.$executeRaw`SELECT pg_notify('bench_change', ${`${id} ${JSON.stringify(told)}`})`;
        return sharedMs();
      });
    },
    close: database.close,
  };
}
