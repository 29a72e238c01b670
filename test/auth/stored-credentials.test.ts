// Concurrent look-ups of credentials, such as those of subscribers.
import { describe, expect, it } from 'vitest';
import { createApiKey } from '../../src/auth/api-key.js';
import { createKey, createTenant, createToken, frozenNow, useApp } from '../harness.js';

const running = useApp();

describe('Credentials that are read at the same time', () => {
  it('take one statement for each kind and fifty credentials, and each gets its own result', async () => {
    const { authenticator, db } = running.app.services;
    const one = await createTenant(running.app, { account: 'one', workspaces: ['here'] });
    const other = await createTenant(running.app, { account: 'other', workspaces: ['there'] });
    const keys = await Promise.all(
      Array.from({ length: 60 }, (_, index) => createKey(running.app, index % 2 === 0 ? one : other)),
    );
    const revoked = await createKey(running.app, one);
    await db.apiKey.update({ where: { id: revoked.id }, data: { revokedAt: frozenNow } });
    const tokens = await Promise.all([one, other].map((tenant) => createToken(running.app, tenant, 'admin')));
    const bearers = [...keys, revoked, createApiKey()].map(({ key }) => key).concat(tokens.map(({ token }) => token));
    running.app.statements.length = 0;
    const callers = await Promise.allSettled(bearers.map((bearer) => authenticator.authenticate(bearer)));
    const sent = running.app.statements.filter((sql) => /FROM unnest.*JOIN "(api_key|access_token)"/s.test(sql));
    expect(sent).toHaveLength(3);
    const workspacesOf = (caller: (typeof callers)[number] | undefined) =>
      caller?.status === 'fulfilled' ? [...caller.value.workspaces.keys()] : 'refused';
    expect(callers.slice(0, 60).map(workspacesOf)).toEqual(
      keys.map((_, index) => [index % 2 === 0 ? 'here' : 'there']),
    );
    expect(callers.slice(60).map(workspacesOf)).toEqual(['refused', 'refused', ['here'], ['there']]);
    const ids = callers.slice(0, 60).map((caller) => (caller.status === 'fulfilled' ? caller.value.credential.id : ''));
    expect(ids).toEqual(keys.map(({ id }) => id));
  });
});
