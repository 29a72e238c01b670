import { createHmac, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import fc from 'fast-check';
import jwt from 'jsonwebtoken';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessTokenLifeMinutes, accessTokenVerifier, issueAccessToken } from '../../src/auth/access-token.js';
import { currentSigningKey, rotateSigningKey, verificationKeys } from '../../src/auth/signing-keys.js';
import type { SigningKey } from '../../src/auth/signing-keys.js';
import { tokenSettings } from '../../src/server/create-services.js';
import { createTenant, createToken, frozenNow, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';

const running = useApp();
let tenant: Tenant;
let key: SigningKey;
const lifeMs = accessTokenLifeMinutes * 60_000;
const nowSeconds = frozenNow.getTime() / 1000;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  key = await currentSigningKey(app.services.db, app.services.encryption, frozenNow);
});

/** A separate verifier, like that of another instance, with its own clock. */
function verifierAt(now: Date) {
  const { app } = running;
  const keys = verificationKeys(app.services.db, () => now, lifeMs);
  return accessTokenVerifier(keys, tokenSettings(app.config), () => now);
}

function claims(more: Record<string, unknown> = {}): Record<string, unknown> {
  const { issuer, audience } = tokenSettings(running.app.config);
  return {
    iss: issuer,
    aud: audience,
    sub: tenant.principalId,
    jti: randomUUID(),
    iat: nowSeconds,
    exp: nowSeconds + 900,
    scope: 'agents:list',
    account: tenant.accountId,
    ...more,
  };
}

function sign(
  payload: Record<string, unknown>,
  header: Record<string, unknown> = {},
  by: KeyObject = key.privateKey,
): string {
  return jwt.sign(payload, by, {
    algorithm: 'RS256',
    header: { alg: 'RS256', typ: 'at+jwt', kid: key.kid, ...header },
  });
}

/** A token with any header and signature, however wrong. */
function forge(
  header: Record<string, unknown>,
  payload: Record<string, unknown>,
  signer: (text: string) => string,
): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${signer(text)}`;
}

async function expectRefusal(token: string, now = frozenNow): Promise<void> {
  await expect(verifierAt(now).verify(token)).rejects.toThrow(
    expect.objectContaining({
      error: 'unauthorized',
      status: 401,
      headers: { 'WWW-Authenticate': expect.stringMatching(/^Bearer error="invalid_token"/) },
    }),
  );
}

describe('An access token', () => {
  it('is a JWT of type at+jwt with the claims of RFC 9068, for 15 minutes', async () => {
    const { app } = running;
    const { token, id } = await createToken(app, tenant, 'agents:list agents:get');
    const decoded = jwt.decode(token, { complete: true });
    expect(decoded?.header).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: key.kid });
    const { issuer, audience } = tokenSettings(app.config);
    expect(decoded?.payload).toEqual({
      iss: issuer,
      aud: audience,
      sub: tenant.principalId,
      client_id: 'test',
      jti: id,
      iat: nowSeconds,
      exp: nowSeconds + 900,
      scope: 'agents:list agents:get',
      account: tenant.accountId,
    });
  });

  it('names the workspace that it is confined to', async () => {
    const { app } = running;
    const workspaceId = tenant.workspaces['main'] ?? '';
    const { token } = await issueAccessToken(app.services.db, app.services.encryption, tokenSettings(app.config), {
      ...tenant,
      workspaceId,
      scope: 'admin',
      clientId: 'test',
      now: frozenNow,
    });
    expect(await verifierAt(frozenNow).verify(token)).toMatchObject({ workspace: workspaceId });
  });

  it('is accepted by every instance until the second at which it expires', async () => {
    const { token } = await createToken(running.app, tenant, 'admin');
    for (const ms of [0, 1_000, lifeMs - 1]) {
      const verifier = verifierAt(new Date(frozenNow.getTime() + ms));
      expect((await verifier.verify(token)).scope).toBe('admin');
      expect((await verifier.verify(token)).scope).toBe('admin');
    }
    await expectRefusal(token, new Date(frozenNow.getTime() + lifeMs));
  });

  it('is rejected after its expiry, also by an instance that accepted it before', async () => {
    const { app } = running;
    const { token } = await createToken(app, tenant, 'admin');
    const keys = verificationKeys(app.services.db, () => clock, lifeMs);
    let clock = frozenNow;
    const verifier = accessTokenVerifier(keys, tokenSettings(app.config), () => clock);
    await verifier.verify(token);
    clock = new Date(frozenNow.getTime() + lifeMs);
    await expect(verifier.verify(token)).rejects.toThrow('expired');
  });

  it('of the test itself is accepted, so that the rejections below are meaningful', async () => {
    expect(await verifierAt(frozenNow).verify(sign(claims()))).toMatchObject({ scope: 'agents:list' });
    expect(await verifierAt(frozenNow).verify(sign(claims(), { typ: 'AT+JWT' }))).toMatchObject({
      scope: 'agents:list',
    });
  });
});

describe('A forged token is rejected with 401', () => {
  it('with the algorithm none, in any spelling', async () => {
    for (const alg of ['none', 'None', 'NONE', '']) {
      await expectRefusal(forge({ alg, typ: 'at+jwt', kid: key.kid }, claims(), () => ''));
    }
  });

  it('with HS256 and the public key as its secret', async () => {
    const pem = createPublicKey(key.privateKey).export({ type: 'spki', format: 'pem' }).toString();
    for (const secret of [pem, pem.trim()]) {
      const hmac = (text: string) => createHmac('sha256', secret).update(text).digest('base64url');
      await expectRefusal(forge({ alg: 'HS256', typ: 'at+jwt', kid: key.kid }, claims(), hmac));
      await expectRefusal(forge({ alg: 'RS256', typ: 'at+jwt', kid: key.kid }, claims(), hmac));
    }
  });

  it('with another algorithm of the same key', async () => {
    for (const algorithm of ['RS384', 'RS512', 'PS256'] as const) {
      const header = { alg: algorithm, typ: 'at+jwt', kid: key.kid };
      await expectRefusal(jwt.sign(claims(), key.privateKey, { algorithm, header }));
    }
  });

  it('with a new key under a known kid, also if it contains that key', async () => {
    const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await expectRefusal(sign(claims(), {}, own.privateKey));
    const jwk = own.publicKey.export({ format: 'jwk' });
    await expectRefusal(sign(claims(), { jwk }, own.privateKey));
    await expectRefusal(sign(claims(), { jku: 'https://example.com/jwks.json' }, own.privateKey));
  });

  it('with an unknown or missing kid, or one that is no string', async () => {
    for (const kid of ['unknown', '', '../../etc/passwd', "' OR 1=1 --", 'a\u0000b', undefined, 1]) {
      await expectRefusal(forge({ alg: 'RS256', typ: 'at+jwt', kid }, claims(), () => 'AAAA'));
    }
  });

  it('with another type', async () => {
    for (const typ of ['JWT', 'application/jwt', '', undefined, 1]) {
      await expectRefusal(forge({ alg: 'RS256', typ, kid: key.kid }, claims(), () => 'AAAA'));
    }
    await expectRefusal(jwt.sign(claims(), key.privateKey, { algorithm: 'RS256', keyid: key.kid }));
  });

  it.each([
    ['another issuer', { iss: 'https://elsewhere.example.com/v0' }],
    ['the issuer with a slash', { iss: 'http://localhost:4000/v0/' }],
    ['another audience', { aud: 'https://elsewhere.example.com' }],
    ['no issuer', { iss: undefined }],
    ['no audience', { aud: undefined }],
    ['an end in the past', { exp: nowSeconds - 1 }],
    ['an end right now', { exp: nowSeconds }],
    ['no end', { exp: undefined }],
    ['a start in the future', { nbf: nowSeconds + 1 }],
    ['no jti', { jti: undefined }],
    ['a jti that is no UUID', { jti: 'x' }],
    ['no subject', { sub: undefined }],
    ['no scope', { scope: undefined }],
    ['a scope that is a list', { scope: ['admin'] }],
    ['no account', { account: undefined }],
  ])('with %s', async (_what, more) => {
    const payload = JSON.parse(JSON.stringify(claims(more)));
    await expectRefusal(sign(payload));
  });

  it('with parts that are arbitrary JSON, or no JSON', async () => {
    const json = fc.oneof(
      fc.json(),
      fc
        .record({ alg: fc.constantFrom('RS256', 'none'), typ: fc.jsonValue(), kid: fc.jsonValue() })
        .map((value) => JSON.stringify(value)),
      fc.constant(JSON.stringify({ alg: 'RS256', typ: 'JWT', kid: key.kid })),
      fc.string(),
    );
    const part = json.map((text) => Buffer.from(text).toString('base64url'));
    await fc.assert(
      fc.asyncProperty(part, part, fc.base64String(), async (header, payload, signature) => {
        await expectRefusal(`${header}.${payload}.${signature}`);
      }),
      { numRuns: 300 },
    );
  });

  it('with changed or truncated text', async () => {
    const token = sign(claims());
    const [header = '', payload = '', signature = ''] = token.split('.');
    const widened = Buffer.from(JSON.stringify(claims({ scope: 'admin' }))).toString('base64url');
    for (const wrong of [
      `${header}.${widened}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${header}.${payload}.${signature.slice(0, -4)}`,
      `${token}.${signature}`,
      '..',
      '',
      'a.b.c',
    ]) {
      await expectRefusal(wrong);
    }
  });
});

describe('Rotation of the signing key', () => {
  it('signs with the new key, and keeps old tokens valid until they expire', async () => {
    const { app } = running;
    const { token: before } = await createToken(app, tenant, 'admin');
    const old = await currentSigningKey(app.services.db, app.services.encryption, frozenNow);
    const rotated = await rotateSigningKey(app.services.db, app.services.encryption, frozenNow);
    const { token: after } = await createToken(app, tenant, 'admin');
    expect(jwt.decode(after, { complete: true })?.header.kid).toBe(rotated.kid);
    expect(rotated.kid).not.toBe(old.kid);
    const late = new Date(frozenNow.getTime() + lifeMs - 1);
    for (const token of [before, after]) expect((await verifierAt(late).verify(token)).scope).toBe('admin');
  });

  it('publishes the new key, and the old one while a token of it can be valid', async () => {
    const { app } = running;
    const { db, encryption } = app.services;
    const old = await currentSigningKey(db, encryption, frozenNow);
    const rotated = await rotateSigningKey(db, encryption, frozenNow);
    const publishedAt = async (now: Date) => {
      const { keys } = await verificationKeys(db, () => now, lifeMs).toJwks();
      for (const published of keys) {
        expect(published).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig' });
        expect(Object.keys(published)).not.toEqual(expect.arrayContaining(['d']));
      }
      return keys.map((published) => published['kid']);
    };
    expect(await publishedAt(frozenNow)).toEqual(expect.arrayContaining([rotated.kid, old.kid]));
    const later = await publishedAt(new Date(frozenNow.getTime() + lifeMs));
    expect(later).toContain(rotated.kid);
    expect(later).not.toContain(old.kid);
  });

  it('publishes a new key immediately, even if the keys were requested just before', async () => {
    const { db, encryption } = running.app.services;
    const published = verificationKeys(db, () => frozenNow, lifeMs);
    for (let round = 0; round < 3; round++) {
      const { kid } = await rotateSigningKey(db, encryption, frozenNow);
      const sets = await Promise.all([published.toJwks(), published.toJwks(), published.toJwks()]);
      for (const { keys } of sets) expect(keys.map((key) => key['kid'])).toContain(kid);
    }
  });

  it('removes the old key from a running instance when no token of it can be valid', async () => {
    const { db, encryption } = running.app.services;
    let now = frozenNow;
    const keys = verificationKeys(db, () => now, lifeMs);
    const old = await currentSigningKey(db, encryption, frozenNow);
    expect(await keys.find(old.kid)).toBeDefined();
    await rotateSigningKey(db, encryption, frozenNow);
    now = new Date(frozenNow.getTime() + lifeMs + 60_000);
    expect(await keys.find(old.kid)).toBeUndefined();
  });

  it('stores private keys encrypted', async () => {
    const rows = await running.app.services.db.signingKey.findMany();
    for (const row of rows) {
      expect(Buffer.from(row.encryptedPrivateKey).toString('utf8')).not.toContain('PRIVATE');
      expect(row.publicKey).toContain('BEGIN PUBLIC KEY');
    }
  });
});
