import { describe, expect, it } from 'vitest';
import { findClient } from '../../../src/auth/grants/oauth-client.js';
import { useApp } from '../../harness.js';

const running = useApp();

describe('A built-in client', () => {
  it.each(['graphiql', 'console', 'command-line'])('%s is created once, by the first requests together', async (id) => {
    const { db, publicUrl } = running.app.services;
    const found = await Promise.all(Array.from({ length: 50 }, () => findClient(db, id, publicUrl)));
    expect(new Set(found.map((client) => client?.id))).toEqual(new Set([id]));
    expect(await db.oauthClient.count({ where: { id } })).toBe(1);
  });
});
