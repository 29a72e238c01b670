import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { accessTokenVerifier } from '../../src/auth/access-token.js';
import {
  currentSigningKey,
  rotateSigningKey,
  rotateSigningKeyWhenDue,
  verificationKeys,
} from '../../src/auth/signing-keys.js';
import { backgroundTasks } from '../../src/server/background-tasks.js';
import { runBackgroundTasks } from '../../src/server/run-background-tasks.js';
import { createTenant, createToken, frozenNow, rest, useApp } from '../harness.js';
import { ownerOf, registerService, callEndpoint } from '../api/oauth/visitor.js';

const running = useApp({ SIGNING_KEY_AGE_DAYS_MAX: '30' });
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

afterEach(() => {
  running.app.clock.now = frozenNow;
});

describe('The signing key', () => {
  it('is replaced before it is 30 days old by one process, and is published an hour before it signs', async () => {
    const { app } = running;
    const { db, encryption } = app.services;
    const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
    const first = await currentSigningKey(db, encryption, frozenNow);
    const at = (ms: number) => {
      app.clock.now = new Date(frozenNow.getTime() + ms);
    };
    at(30 * dayMs - 61 * minuteMs);
    await runBackgroundTasks(app.services, app.config);
    expect(await db.signingKey.count()).toBe(1);

    at(30 * dayMs - 60 * minuteMs);
    await Promise.all([1, 2, 3].map(() => runBackgroundTasks(app.services, app.config)));
    expect(await db.signingKey.count()).toBe(2);
    const { body } = await rest(app, '/.well-known/jwks.json');
    expect(body.keys).toHaveLength(2);
    expect((await currentSigningKey(db, encryption, app.clock.now)).kid).toBe(first.kid);

    at(30 * dayMs - 1);
    const { token } = await createToken(app, tenant, 'admin');
    expect((await rest(app, '/agents', { key: token })).status).toBe(200);
    at(30 * dayMs);
    expect((await currentSigningKey(db, encryption, app.clock.now)).kid).not.toBe(first.kid);
    const { token: next } = await createToken(app, tenant, 'admin');
    expect((await rest(app, '/agents', { key: next })).status).toBe(200);
    expect((await rest(app, '/agents', { key: token })).status).toBe(200);
    at(30 * dayMs + 15 * minuteMs - 1001);
    expect((await rest(app, '/agents', { key: token })).status).toBe(200);
  });

  it('is created although the database is busy for longer than the usual transaction timeout', async () => {
    const { db, encryption } = running.app.services;
    await db.signingKey.deleteMany();
    const busy = db.$transaction(
      async (tx) => {
        await tx.$executeRaw`LOCK TABLE "signing_key" IN EXCLUSIVE MODE`;
        await setTimeout(5_500);
      },
      { timeout: 60_000 },
    );
    await expect(rotateSigningKeyWhenDue(db, encryption, frozenNow, 30)).resolves.toMatchObject({
      signsFrom: frozenNow,
    });
    await busy;
    expect(await db.signingKey.count()).toBe(1);
  });

  it('can be replaced immediately on every process under load, without a rejected request', async () => {
    const { app } = running;
    const { db, encryption, now } = app.services;
    const tenant = await createTenant(app, { account: 'globex', workspaces: ['globex-main'] });
    const { credentials } = await registerService(app, ownerOf(tenant), { scope: 'agents:list' });
    // Another process with separate keys that it read before.
    const other = accessTokenVerifier(verificationKeys(db, now, 15 * minuteMs), app.services.tokens, now);
    const grant = { grant_type: 'client_credentials', ...credentials };
    const statuses: number[] = [];
    const load = async () => {
      for (let round = 0; round < 15; round++) {
        const { body } = await callEndpoint(app, 'token', grant);
        await other.verify(body.access_token);
        statuses.push((await rest(app, '/agents', { key: body.access_token })).status);
      }
    };
    const rotate = async () => {
      for (let round = 0; round < 4; round++) {
        await setTimeout(150);
        await rotateSigningKey(db, encryption, now());
      }
    };
    await Promise.all([load(), load(), rotate()]);
    expect(statuses).toEqual(Array.from({ length: 30 }, () => 200));
  });
});

describe('Expired rows', () => {
  it('are deleted, and current ones are kept', async () => {
    const { app } = running;
    const { db } = app.services;
    const tenant = await createTenant(app, { account: 'initech', workspaces: ['initech-main'] });
    const { id: old } = await createToken(app, tenant, 'admin');
    app.clock.now = new Date(frozenNow.getTime() + 7 * dayMs + 16 * minuteMs);
    const { id: fresh } = await createToken(app, tenant, 'admin');
    await db.signInAttempt.create({ data: { subject: new Uint8Array(32), count: 3, endsAt: frozenNow } });
    await runBackgroundTasks(app.services, app.config);
    const left = await db.accessToken.findMany({ where: { id: { in: [old, fresh] } } });
    expect(left.map(({ id }) => id)).toEqual([fresh]);
    expect(await db.signInAttempt.count()).toBe(0);
  });
});

describe('The alert about background tasks', () => {
  it('comes later than the longest interval', () => {
    const alerts = readFileSync(new URL('../../docs/monitoring/alerts.yaml', import.meta.url), 'utf8');
    const [, seconds] = /wcp_background_task_last_success_timestamp_seconds\) > (\d+)/.exec(alerts) ?? [];
    const late = Object.values(backgroundTasks).filter(({ everyMs }) => everyMs >= Number(seconds) * 1_000);
    expect(late, 'BackgroundTaskStalled in docs/monitoring/alerts.yaml comes before the next run').toEqual([]);
  });
});
