// A second issuer: a small identity provider on this machine, which can be stopped.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import type { CryptoKey, JWK } from 'jose';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAuthenticator } from '../../src/auth/authenticate.js';
import { createTrustedIssuer } from '../../src/auth/trusted-issuer.js';
import { ConfigError, readConfig } from '../../src/config.js';
import { createServices } from '../../src/server/create-services.js';
import { createGateway } from '../../src/server/server.js';
import { createTenant, frozenNow, graphql, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';

const issuer = 'https://login.example.com/';
const audience = 'http://localhost:4000/v0';
const algorithms = ['RS256', 'ES256', 'EdDSA'] as const;
type Algorithm = (typeof algorithms)[number] | 'RS512';
const nowSeconds = frozenNow.getTime() / 1000;

/** Listens before the app starts, because its settings contain the address. */
const provider = createServer((_request, response) => {
  fetches++;
  if (isDown) response.writeHead(503).end();
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: published }));
});
let fetches = 0;
let isDown = false;
let published: JWK[] = [];
const signers = new Map<Algorithm, { key: CryptoKey; kid: string }>();

provider.listen(0, '127.0.0.1');
await once(provider, 'listening');
const jwksUrl = `http://127.0.0.1:${portOf(provider)}/jwks`;
const settings = { TRUSTED_ISSUER: issuer, TRUSTED_ISSUER_JWKS_URL: jwksUrl };

const running = useApp(settings);
let tenant: Tenant;

beforeAll(async () => {
  for (const algorithm of [...algorithms, 'RS512'] as const) await publish(algorithm, `key-${algorithm}`);
  tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['northwind-main'] });
});

afterAll(() => {
  provider.closeAllConnections();
  provider.close();
});

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function publish(algorithm: Algorithm, kid: string): Promise<void> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm);
  published = [...published, { ...(await exportJWK(publicKey)), kid, use: 'sig' }];
  signers.set(algorithm, { key: privateKey, kid });
}

const claims = {
  iss: issuer,
  aud: audience,
  sub: 'auth0|1',
  iat: nowSeconds,
  exp: nowSeconds + 600,
  email: 'Owner@northwind.example.com',
  email_verified: true,
  scope: 'openid profile agents:list',
};

async function sign(more: Record<string, unknown> = {}, algorithm: Algorithm = 'RS256', header = {}): Promise<string> {
  const { key, kid } = signers.get(algorithm) ?? {};
  if (key === undefined || kid === undefined) throw new Error(algorithm);
  const payload = JSON.parse(JSON.stringify({ ...claims, ...more }));
  return new SignJWT(payload).setProtectedHeader({ alg: algorithm, kid, typ: 'at+jwt', ...header }).sign(key);
}

const statusWith = async (key: string) => (await rest(running.app, '/agents', { key })).status;

describe('A token of the trusted issuer', () => {
  it.each(algorithms)('signed with %s is accepted by REST and GraphQL, as its user', async (algorithm) => {
    const token = await sign({ scope: 'agents:list workspaces:list admin' }, algorithm);
    expect(await statusWith(token)).toBe(200);
    const { body } = await graphql(running.app, token, '{ viewer { name } }');
    expect(body.data.viewer.name).toBe('owner@northwind.example.com');
  });

  it('grants its scopes, from scope or scp, and nothing without them', async () => {
    expect(await statusWith(await sign({ scope: undefined, scp: ['agents:list'] }))).toBe(200);
    expect(await statusWith(await sign({ scope: undefined, scp: 'agents:list' }))).toBe(200);
    expect(await statusWith(await sign({ scope: 'openid agents:get' }))).toBe(403);
    expect(await statusWith(await sign({ scope: undefined }))).toBe(403);
  });

  it.each([
    ['another issuer', { iss: 'https://evil.example.com' }],
    ['its issuer but for a slash', { iss: issuer.slice(0, -1) }],
    ['another audience', { aud: 'https://other.example.com' }],
    ['no audience', { aud: undefined }],
    ['an end that has passed', { exp: nowSeconds - 31 }],
    ['no end', { exp: undefined }],
    ['a start in the future', { nbf: nowSeconds + 31 }],
    ['an address that is not verified', { email_verified: undefined }],
    ['an address that claims to be verified', { email_verified: 'true' }],
    ['no user', { email: undefined }],
    ['a user that is not a string', { email: ['owner@northwind.example.com'] }],
    ['an unknown user', { email: 'nobody@example.com' }],
    ['an account of another user', { account: 'globex' }],
  ])('with %s is rejected', async (_what, more) => {
    expect(await statusWith(await sign(more))).toBe(401);
  });

  it('is rejected unless its algorithm is one of three', async () => {
    expect(await statusWith(await sign({}, 'RS512'))).toBe(401);
    expect(await statusWith(new UnsecuredJWT(claims).encode())).toBe(401);
    const [jwk] = published;
    const secret = new TextEncoder().encode(JSON.stringify(jwk));
    const forged = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'key-RS256' }).sign(secret);
    expect(await statusWith(forged)).toBe(401);
  });

  it('is rejected when another key signed it', async () => {
    expect(await statusWith(await sign({}, 'RS256', { kid: 'key-ES256' }))).toBe(401);
    const { privateKey } = await generateKeyPair('RS256');
    const header = { alg: 'RS256', kid: 'key-RS256' };
    expect(await statusWith(await new SignJWT(claims).setProtectedHeader(header).sign(privateKey))).toBe(401);
  });

  it('must name its account if its user belongs to several', async () => {
    const { db } = running.app.services;
    const other = await createTenant(running.app, { account: 'globex', workspaces: ['globex-main'] });
    const { principalId } = tenant;
    await db.accountMember.create({ data: { accountId: other.accountId, principalId, role: 'member' } });
    expect(await statusWith(await sign())).toBe(401);
    expect(await statusWith(await sign({ account: 'northwind' }))).toBe(200);
    expect(await statusWith(await sign({ account: 'globex' }))).toBe(403);
    await db.accountMember.deleteMany({ where: { accountId: other.accountId, principalId } });
  });

  it('stops working when its user is disabled', async () => {
    const { db } = running.app.services;
    const token = await sign();
    expect(await statusWith(token)).toBe(200);
    await db.principal.update({ where: { id: tenant.principalId }, data: { disabledAt: frozenNow } });
    await expect.poll(() => statusWith(token), { timeout: 1_000, interval: 50 }).toBe(401);
    await db.principal.update({ where: { id: tenant.principalId }, data: { disabledAt: null } });
  });

  it.each(['logout+jwt', 'dpop+jwt', 'id+jwt', 'token-introspection+jwt'])(
    'is ignored if its type is %s',
    async (typ) => {
      expect(await statusWith(await sign({}, 'RS256', { typ }))).toBe(401);
    },
  );

  it.each(['JWT', 'at+JWT', 'application/at+jwt', undefined])('can have the type %s', async (typ) => {
    expect(await statusWith(await sign({}, 'RS256', { typ }))).toBe(200);
  });

  it('is rejected within a minute after its key leaves the JWKS, also during constant use', async () => {
    const token = await sign({ jti: 'of a key that leaves' }, 'ES256');
    expect(await statusWith(token)).toBe(200);
    const all = published;
    published = published.filter(({ kid }) => kid !== 'key-ES256');
    const startedMs = performance.now();
    const clock = vi.spyOn(performance, 'now');
    for (const seconds of [12, 24, 36, 48]) {
      clock.mockReturnValue(startedMs + seconds * 1000);
      await statusWith(token);
    }
    expect(await statusWith(token)).toBe(401);
    published = all;
    clock.mockReturnValue(startedMs + 100_000);
    expect(await statusWith(token)).toBe(200);
    clock.mockRestore();
  });

  it('expires also while it is cached', async () => {
    const { app } = running;
    const token = await sign();
    expect(await statusWith(token)).toBe(200);
    app.clock.now = new Date(frozenNow.getTime() + 630_000);
    expect(await statusWith(token)).toBe(401);
    app.clock.now = frozenNow;
  });
});

describe('When the keys of the trusted issuer cannot be fetched', () => {
  it('tokens of known keys are accepted, and others return 503', async () => {
    const known = await sign();
    expect(await statusWith(known)).toBe(200);
    isDown = true;
    expect(await statusWith(await sign({ jti: 'another' }))).toBe(200);
    // A process that has just started knows no key yet.
    const { app } = running;
    const services = createServices(app.config, app.database, () => app.clock.now, pino({ level: 'silent' }));
    const { server } = createGateway(services);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const ask = async () => {
      const headers = { authorization: `Bearer ${known}` };
      const response = await fetch(`http://127.0.0.1:${portOf(server)}/v0/agents`, { headers });
      return [response.status, response.headers.get('retry-after')];
    };
    expect(await ask()).toEqual([503, '1']);
    isDown = false;
    server.closeAllConnections();
    server.close();
  });

  it('unknown keys are requested once in ten seconds, however many callers use one', async () => {
    const { app } = running;
    const trusted = createTrustedIssuer(
      {
        issuer,
        jwksUrl,
        audience,
        userClaim: 'email',
        accountClaim: 'account',
        defaultScopes: [],
        signInProvider: null,
      },
      () => app.clock.now,
      pino({ level: 'silent' }),
    );
    const authenticator = createAuthenticator(
      app.services.db,
      app.services.tokenVerifier,
      trusted,
      () => app.clock.now,
      app.services.lastUses,
    );
    const before = fetches;
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, index) => sign({}, 'RS256', { kid: `unknown-${index}` })),
    );
    const answers = await Promise.allSettled(tokens.map((token) => authenticator.authenticate(token)));
    expect(answers.map(({ status }) => status)).toEqual(tokens.map(() => 'rejected'));
    expect(fetches - before).toBe(1);
  });
});

describe('The settings of a trusted issuer', () => {
  it('require its JWKS address', () => {
    expect(() => readConfig({ TRUSTED_ISSUER: issuer })).toThrow(ConfigError);
  });

  it.each([
    ['an unknown scope', { TRUSTED_ISSUER_SCOPES: 'agents:fly' }],
    ['this service itself', { TRUSTED_ISSUER: 'http://localhost:4000/v0' }],
  ])('cannot name %s', (_what, more) => {
    const { app } = running;
    const config = readConfig({ ...settings, ...more });
    expect(() => createServices(config, app.database, () => frozenNow, pino({ level: 'silent' }))).toThrow(ConfigError);
  });
});
