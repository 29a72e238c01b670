import { describe, expect, it } from 'vitest';
import { createKey, createTenant, graphql, useApp } from '../harness.js';

const running = useApp();

describe('The last use of an API key', () => {
  it('is stored at the latest when the process stops, on a connection for background tasks', async () => {
    const { app } = running;
    const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
    const { key } = await createKey(app, tenant);
    const updates: string[] = [];
    app.database.watch(({ sql }, of) => {
      if (sql.startsWith('UPDATE') && sql.includes('api_key')) updates.push(of);
    });
    await graphql(app, key, '{ viewer { name } }');
    await app.services.lastUses.close();
    expect(updates).toEqual(['background']);
    const stored = await app.services.db.apiKey.findFirstOrThrow({ where: { accountId: tenant.accountId } });
    expect(stored.lastUsedAt).toEqual(app.clock.now);
  });
});
