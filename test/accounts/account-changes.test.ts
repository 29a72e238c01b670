// Changes of an account by its admins.
import { beforeEach, describe, expect, it } from 'vitest';
import { updateAccount as applyUpdate } from '../../src/accounts/account-changes.js';
import { operatorContext } from '../../src/cli/operator/operator-context.js';
import { createKey, createTenant, graphql, useApp } from '../harness.js';
import type { Answer, Tenant } from '../harness.js';
import { keyOfSomebody, mutate, problemsOf } from '../resources/mutations.js';

const running = useApp();
let count = 0;
let mark: string;
let tenant: Tenant;
let admin: string;

beforeEach(async () => {
  mark = `account-${count++}`;
  tenant = await createTenant(running.app, { account: mark, workspaces: [`${mark}-main`] });
  await createTenant(running.app, { account: `${mark}-other`, workspaces: [`${mark}-elsewhere`] });
  ({ key: admin } = await createKey(running.app, tenant));
});

const update = (metadata: object | undefined, more: object = {}, key = admin): Promise<Answer['body']> =>
  mutate(running.app, key, 'updateAccount', 'account { name displayName plan updatedAt }', {
    name: mark,
    metadata,
    ...more,
  });

async function shown(key = admin): Promise<string | null> {
  const { body } = await graphql(
    running.app,
    key,
    '{ viewer { accounts { displayName workspaces { nodes { account { displayName } } } } } }',
  );
  const [account] = body.data.viewer.accounts;
  for (const { account: same } of account.workspaces.nodes) expect(same.displayName).toBe(account.displayName);
  return account.displayName;
}

describe('An account', () => {
  it('gets the new display name immediately when its admin sets it, and records the change', async () => {
    expect((await update({ displayName: 'Acme Ltd' })).account).toMatchObject({
      name: mark,
      displayName: 'Acme Ltd',
      plan: 'enterprise',
      updatedAt: running.app.clock.now.toISOString(),
    });
    expect(await shown()).toBe('Acme Ltd');
    await update({});
    await update(undefined);
    await update({ displayName: 'Acme Ltd' });
    await update({ displayName: null });
    expect(await shown()).toBeNull();
    const query =
      '{ changes(filter: {kinds: [ACCOUNT]}) { nodes { action name fields before after actor { name } } } }';
    const { body } = await graphql(running.app, admin, query);
    const before = { name: mark, plan: 'enterprise' };
    const after = { ...before, displayName: 'Acme Ltd' };
    const told = {
      action: 'UPDATED',
      name: mark,
      fields: ['displayName'],
      actor: { name: `owner@${mark}.example.com` },
    };
    expect(body.data.changes.nodes).toEqual([
      { ...told, before, after },
      { ...told, before: after, after: before },
    ]);
  });

  it('increments its version with each change, and accepts an expected version', async () => {
    const version = async () => {
      const { body } = await graphql(running.app, admin, '{ viewer { accounts { version } } }');
      return body.data.viewer.accounts[0].version;
    };
    expect(await version()).toBe(1);
    expect((await update({ displayName: 'One' }, { ifVersion: 1 })).account.displayName).toBe('One');
    expect(await version()).toBe(2);
    // The same again is no change, nor is one that is tried out.
    await update({ displayName: 'One' }, { ifVersion: 2 });
    await update({ displayName: 'Tried' }, { ifVersion: 2, validateOnly: true });
    expect(await version()).toBe(2);
    const operator = await operatorContext(running.app.services, { account: mark });
    await applyUpdate(operator, { name: mark, plan: 'pro' });
    for (const stale of [1, 2, 4, -1]) {
      expect(await update({ displayName: 'Two' }, { ifVersion: stale })).toMatchObject({
        code: 'version_mismatch',
        message: `The account has version 3, not ${stale}. Read it again, and send its version.`,
      });
    }
    // The error ends the cache of the caller, whose account is older.
    expect(await version()).toBe(3);
    const query = '{ changes(filter: {kinds: [ACCOUNT]}) { nodes { version fields } } }';
    const { body } = await graphql(running.app, admin, query);
    expect(body.data.changes.nodes).toEqual([
      { version: 2, fields: ['displayName'] },
      { version: 3, fields: ['plan'] },
    ]);
  });

  it('accepts one of several concurrent changes that expect the same version', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `Name ${index}`);
    const answers = await Promise.all(names.map((displayName) => update({ displayName }, { ifVersion: 1 })));
    const done = answers.filter(({ code }) => code === undefined);
    expect(done).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'version_mismatch')).toHaveLength(7);
    expect(await shown()).toBe(done[0]?.account.displayName);
  });

  it('is unchanged after a dry run', async () => {
    expect((await update({ displayName: 'Tried' }, { validateOnly: true })).account.displayName).toBe('Tried');
    expect(await shown()).toBeNull();
    expect(await running.app.services.db.change.count({ where: { accountId: tenant.accountId } })).toBe(0);
  });

  it('rejects changes by other callers, and leaves other accounts unchanged', async () => {
    const member = await keyOfSomebody(running.app, tenant, {
      account: 'member',
      workspace: `${mark}-main`,
      role: 'admin',
    });
    const viewer = await keyOfSomebody(running.app, tenant, { account: 'viewer' });
    const { key: confined } = await createKey(running.app, {
      ...tenant,
      workspaceId: tenant.workspaces[`${mark}-main`] ?? '',
    });
    for (const key of [member, viewer, confined]) {
      expect(await update({ displayName: 'Taken' }, {}, key)).toMatchObject({ code: 'forbidden' });
    }
    for (const name of [`${mark}-other`, 'nobody']) {
      const message = 'Access denied.';
      expect(await update({ displayName: 'Taken' }, { name })).toMatchObject({ code: 'access_denied', message });
    }
    expect(await running.app.services.db.account.count({ where: { displayName: 'Taken' } })).toBe(0);
  });

  it('rejects an invalid display name', async () => {
    expect(problemsOf(await update({ displayName: 'x'.repeat(64) }))).toEqual(['metadata.displayName too_long']);
  });
});
