// An authorization is what a user let a client do: one code, and the refresh and access tokens that come from it.
// When one of them turns up where it should not, all of it ends.
import type { Database, Transaction } from '../../database/open.js';
import { loadReach } from '../reach.js';
import type { StoredCredential } from '../reach.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { createOpaqueToken } from './opaque-token.js';
import { OauthError } from './oauth-error.js';
import { allowedScopes, includesScope } from './scope-request.js';

const codeSecondsMax = 60;

/** A part of what a user reaches, that a client may be confined to. */
export interface Place {
  accountId: string;
  accountName: string;
  workspaceId: string | null;
  workspaceName: string | undefined;
}

/** The places of a user: each of their accounts as a whole, then its workspaces one by one. */
export async function findPlaces(db: Database, principalId: string): Promise<Place[]> {
  const memberships = await db.accountMember.findMany({
    where: { principalId },
    orderBy: { account: { name: 'asc' } },
  });
  const places: Place[] = [];
  for (const { accountId } of memberships) {
    const reach = await loadReach(db, { principalId, accountId, workspaceId: null });
    const [account] = reach?.accounts ?? [];
    if (reach === undefined || account === undefined) continue;
    const whole = { accountId, accountName: account.displayName ?? account.name };
    places.push({ ...whole, workspaceId: null, workspaceName: undefined });
    for (const { id, name, displayName } of reach.workspaces.values()) {
      places.push({ ...whole, workspaceId: id, workspaceName: displayName ?? name });
    }
  }
  return places;
}

export interface Decision {
  accountId: string;
  workspaceId: string | null;
  /** What the user agreed to, of what was asked for. */
  scopes: string[];
}

export interface IssuedCode {
  code: string;
  authorizationId: string;
  scope: string;
}

/**
 * Records what a user agreed to, and makes the code that the client trades for tokens.
 *
 * @throws `access_denied` when nothing is left of what was asked for, or the place is out of the user's reach.
 */
export async function authorizeClient(
  db: Database,
  principalId: string,
  request: AuthorizationRequest,
  decision: Decision,
  now: Date,
): Promise<IssuedCode> {
  const { client, redirectUri, challenge } = request;
  const { accountId, workspaceId } = decision;
  const subject = { client: client.id, principal: principalId };
  const reach = await loadReach(db, { principalId, accountId, workspaceId });
  if (reach === undefined || (workspaceId !== null && reach.workspaces.size === 0)) {
    throw new OauthError('access_denied', 'The place is out of reach of the user.', subject);
  }
  const agreed = request.scopes.filter((name) => decision.scopes.includes(name));
  const scope = allowedScopes(agreed, reach).join(' ');
  if (scope === '') throw new OauthError('access_denied', 'The user agreed to nothing that was asked for.', subject);
  const { token: code, hash } = createOpaqueToken('wcc_');
  const place = { accountId, workspaceId, scope };
  const consent = { ...place, givenAt: now };
  const { id: authorizationId } = await db.$transaction(async (tx) => {
    await tx.oauthConsent.upsert({
      where: { principalId_clientId: { principalId, clientId: client.id } },
      create: { principalId, clientId: client.id, ...consent },
      update: consent,
    });
    return tx.oauthAuthorization.create({
      data: {
        clientId: client.id,
        principalId,
        ...place,
        createdAt: now,
        lastUsedAt: now,
        codes: {
          create: {
            hash,
            clientId: client.id,
            redirectUri,
            challenge,
            expiresAt: new Date(now.getTime() + codeSecondsMax * 1000),
          },
        },
      },
    });
  });
  return { code, authorizationId, scope };
}

/**
 * What a user agreed to before, when it covers a request of a client that has a secret. One without could be
 * any program that says it is that client, so its user is always asked (RFC 8252, section 8.6).
 */
export async function rememberedDecision(
  db: Database,
  principalId: string,
  request: AuthorizationRequest,
): Promise<Decision | undefined> {
  const { client, scopes, prompts } = request;
  if (client.secretHash === null || prompts.includes('consent')) return undefined;
  const consent = await db.oauthConsent.findUnique({
    where: { principalId_clientId: { principalId, clientId: client.id } },
  });
  if (consent === null || !scopes.every((name) => includesScope(consent.scope, name))) return undefined;
  const { accountId, workspaceId } = consent;
  const reach = await loadReach(db, { principalId, accountId, workspaceId });
  const isReached = reach !== undefined && (workspaceId === null || reach.workspaces.size > 0);
  return isReached ? { accountId, workspaceId, scopes } : undefined;
}

export interface LiveAuthorization extends StoredCredential {
  id: string;
  scope: string;
}

/**
 * Locks an authorization for the rest of a transaction, unless it has ended. Whoever ends it waits, and then
 * finds the tokens that the transaction made.
 */
export async function useAuthorization(tx: Transaction, id: string, now: Date): Promise<LiveAuthorization | undefined> {
  const [live] = await tx.oauthAuthorization.updateManyAndReturn({
    where: { id, endedAt: null },
    data: { lastUsedAt: now },
  });
  return live;
}

/** Ends an authorization: its refresh tokens at once, its access tokens within one second on every process. */
export async function endAuthorization(db: Database, id: string, now: Date): Promise<void> {
  await db.$transaction(async (tx) => {
    await tx.oauthAuthorization.updateMany({ where: { id, endedAt: null }, data: { endedAt: now } });
    await tx.accessToken.updateMany({ where: { authorizationId: id, revokedAt: null }, data: { revokedAt: now } });
  });
}
