// Authenticates a bearer value: determines the kind of credential and loads its caller from the database.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { findJson } from '../database/read-json.js';
import { forbidden, unauthorized } from '../errors.js';
import type { CredentialOwner } from '../errors.js';
import type { AccessTokenVerifier } from './access-token.js';
import { hashApiKey, isApiKey, keyKindOf } from './api-key.js';
import { rememberCallers } from './caller-memory.js';
import type { Credential } from './caller-memory.js';
import type { Caller } from './caller.js';
import { accessFromRow } from './caller-access.js';
import type { LastUses } from './last-uses.js';
import { executorScope, scopeNames } from './scopes.js';
import { accessTokensById, apiKeysByHash } from './stored-credentials.js';
import type { CredentialLoader } from './stored-credentials.js';
import { loadTrustedCaller } from './trusted-issuer.js';
import type { TrustedIssuer } from './trusted-issuer.js';

const lastUseAgeMs = 60_000;

export interface Authenticator {
  /**
   * @param bearer the credential, without the prefix "Bearer".
   * @param isFresh whether the caller must have the access of this moment, not of the last half second.
   * @throws 401 `unauthorized` unless it is a valid API key, or an access token of this service or the trusted issuer.
   */
  authenticate: (bearer: string, isFresh?: boolean) => Promise<Caller>;
}

export function createAuthenticator(
  db: Database,
  tokens: AccessTokenVerifier,
  trusted: TrustedIssuer | undefined,
  now: () => Date,
  lastUses: LastUses,
): Authenticator {
  const remembered = rememberCallers();
  const apiKeys = apiKeysByHash(db);
  const accessTokens = accessTokensById(db);

  /** Checks a credential without the database, and returns how to load its caller. */
  async function checked(bearer: string): Promise<Credential> {
    const kind = keyKindOf(bearer);
    if (kind !== undefined) {
      if (!isApiKey(bearer)) throw unauthorized(`The ${kind} is mistyped: its checksum does not match.`);
      return kind === 'executor key'
        ? { load: () => loadExecutorCaller(db, bearer), isOurs: true }
        : { load: () => loadApiKeyCaller(apiKeys, bearer, now(), lastUses), isOurs: true };
    }
    if (trusted?.isIssuerOf(bearer)) {
      const claims = await trusted.verify(bearer);
      return { load: () => loadTrustedCaller(db, claims), isOurs: false };
    }
    const { jti } = await tokens.verify(bearer);
    return { load: () => loadTokenCaller(accessTokens, jti, now()), isOurs: true };
  }

  return {
    authenticate: async (bearer, isFresh) => {
      const credential = await checked(bearer);
      const digest = hash('sha256', bearer, 'base64');
      const caller = await remembered(digest, credential, isFresh);
      const { expiresAt } = caller.credential;
      if (expiresAt !== undefined && expiresAt <= now()) {
        throw unauthorized('The credential has expired.', ownerOf(caller));
      }
      return caller;
    },
  };
}

/**
 * Returns the owner of a credential, for the change log of its account; undefined for an executor, which has none.
 */
export function ownerOf({ accounts, principal, credential }: Caller): CredentialOwner | undefined {
  const [account] = accounts;
  const client = `${credential.kind} ${credential.label}`;
  return account && { accountId: account.id, principalId: principal.id, client };
}

async function loadApiKeyCaller(
  apiKeys: CredentialLoader,
  key: string,
  now: Date,
  lastUses: LastUses,
): Promise<Caller> {
  const row = await apiKeys.load(Buffer.from(hashApiKey(key)).toString('hex'));
  const owner = row && { ...row, client: `api_key ${row.label ?? ''}` };
  if (row === undefined || row.revokedAt !== null) {
    throw unauthorized('The API key is invalid, expired or revoked.', owner);
  }
  const access = accessFromRow(row.access);
  if (access === undefined) throw unauthorized('The owner of this API key is no longer active.', owner);
  const lastUsedAtMs = row.lastUsedAt == null ? 0 : new Date(row.lastUsedAt).getTime();
  if (now.getTime() - lastUsedAtMs > lastUseAgeMs) lastUses.note(row.id);
  const expiresAt = row.expiresAt === null ? undefined : new Date(row.expiresAt);
  return {
    ...access,
    credential: {
      kind: 'api_key',
      id: row.id,
      label: row.label ?? '',
      expiresAt,
      addressRanges: row.addressRanges ?? [],
    },
    scopes: new Set(scopeNames(row.scope)),
  };
}

const executorRow = z.object({
  id: z.string(),
  name: z.string(),
  label: z.string(),
  regions: z.array(z.string()),
  kinds: z.array(z.string()),
  expiresAt: z.string().nullable(),
  addressRanges: z.array(z.string()),
});

async function loadExecutorCaller(db: Database, key: string): Promise<Caller> {
  const hash = Buffer.from(hashApiKey(key)).toString('hex');
  const found = await findJson(
    db,
    Prisma.sql`
    SELECT json_build_object('id', x."id", 'name', x."name", 'label', x."prefix", 'regions', x."regions", 'kinds', x."kinds",
      'expiresAt', x."expires_at", 'addressRanges', x."address_ranges")::text
    FROM "executor" AS x WHERE x."hash" = decode(${hash}, 'hex') AND x."revoked_at" IS NULL`,
  );
  if (found === undefined) throw unauthorized('The executor key is invalid, expired or revoked.');
  const { id, name, label, regions, kinds, addressRanges, ...row } = executorRow.parse(found);
  return {
    principal: { id, kind: 'executor', name, displayName: undefined },
    credential: {
      kind: 'executor_key',
      id,
      label,
      expiresAt: row.expiresAt === null ? undefined : new Date(row.expiresAt),
      addressRanges,
    },
    executor: { id, regions, kinds },
    scopes: new Set([executorScope]),
    accounts: [],
    confinedTo: undefined,
    workspaces: new Map(),
    addWorkspace: () => {},
    forget: () => {},
  };
}

async function loadTokenCaller(accessTokens: CredentialLoader, id: string, now: Date): Promise<Caller> {
  const row = await accessTokens.load(id);
  const expiresAt = new Date(row?.expiresAt ?? 0);
  const owner = row && { ...row, client: `access_token ${row.label ?? ''}` };
  if (row === undefined || row.revokedAt !== null || expiresAt <= now) {
    throw unauthorized('The access token is invalid, expired or revoked.', owner);
  }
  const access = accessFromRow(row.access);
  if (access === undefined) throw unauthorized('The owner of this access token is no longer active.', owner);
  const scopes = new Set(scopeNames(row.scope));
  // The scopes of OpenID Connect are only for the userinfo endpoint.
  if (scopes.size === 0) throw forbidden('This access token has no scope of this API.', owner);
  return {
    ...access,
    credential: { kind: 'access_token', id: row.id, label: row.label ?? '', expiresAt },
    scopes,
  };
}
