import { hash } from '@node-rs/argon2';
import { describe, expect, it } from 'vitest';
import { findUserByPassword, passwordLengthMax, storePassword } from '../../../src/auth/sign-in/password.js';
import { beginSignIn } from '../../../src/accounts/sign-ins.js';
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
    expect(await findUserByPassword(db, name, password)).toMatchObject({ id: principalId, name });
    expect(await stored()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('that was changed after it was checked begins no session', async () => {
    const { db } = running.app.services;
    const { principalId } = await createTenant(running.app, { account: 'southwind', workspaces: ['south'] });
    const name = 'owner@southwind.example.com';
    await storePassword(db, principalId, password, frozenNow);
    const user = await findUserByPassword(db, name, password);
    if (user === undefined) throw new Error('the password is wrong');
    const visit = { user, address: '127.0.0.1', now: frozenNow, requestId: 'r' };
    const browser = { cookie: undefined, userAgent: undefined };
    const begin = () => beginSignIn(db, visit, browser, { passwordSetAt: user.passwordSetAt });
    expect(await begin()).toEqual(expect.any(String));
    await storePassword(db, principalId, 'another password', new Date(frozenNow.getTime() + 1));
    await expect(begin()).rejects.toMatchObject({ error: 'unauthorized' });
    expect(await db.signInSession.count({ where: { principalId } })).toBe(0);
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
