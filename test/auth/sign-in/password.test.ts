import { hash } from '@node-rs/argon2';
import { describe, expect, it } from 'vitest';
import { findUserByPassword, passwordLengthMax } from '../../../src/auth/sign-in/password.js';
import { setUserPassword } from '../../../src/accounts/user-changes.js';
import { frameContext } from '../../../src/cli/operator/operator-context.js';
import { createTenant, frozenNow, useApp } from '../../harness.js';

const running = useApp();
const password = 'a password of somebody';

describe('A password', () => {
  it('that was hashed with weaker parameters is rehashed when its user signs in', async () => {
    const { db } = running.app.services;
    const { principalId } = await createTenant(running.app, { account: 'northwind', workspaces: ['main'] });
    const name = 'owner@northwind.example.com';
    const weak = await hash(password, { memoryCost: 4096, timeCost: 1, parallelism: 1 });
    await db.userPassword.create({ data: { principalId, hash: weak, changedAt: frozenNow } });
    const stored = async () => (await db.userPassword.findUniqueOrThrow({ where: { principalId } })).hash;
    expect(await findUserByPassword(db, name, 'another one')).toBeUndefined();
    expect(await stored()).toBe(weak);
    expect(await findUserByPassword(db, name, password)).toEqual({ id: principalId, name });
    expect(await stored()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('is rejected for service accounts, and above the maximum length', async () => {
    const { db } = running.app.services;
    await db.principal.create({ data: { kind: 'service_account', name: 'bot' } });
    const ctx = await frameContext(running.app.services);
    await expect(setUserPassword(ctx, { name: 'bot', password })).rejects.toThrow('There is no user named "bot" here.');
    const long = 'x'.repeat(passwordLengthMax + 1);
    const name = 'owner@northwind.example.com';
    await expect(setUserPassword(ctx, { name, password: long })).rejects.toThrow(
      'The password must be 12 to 200 characters.',
    );
    expect(await findUserByPassword(db, name, long)).toBeUndefined();
  });
});
