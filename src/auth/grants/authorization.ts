// An authorization is what a user let a client do: one code, and the refresh and access tokens that come from it.
// When one of them turns up where it should not, all of it ends.
import type { Database, Transaction } from '../../database/open.js';
import { loadReach } from '../reach.js';
import type { StoredCredential } from '../reach.js';
import { includesScope } from '../scopes.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { consoleClientId } from './oauth-client.js';
import type { OauthClient } from './oauth-client.js';
import { createOpaqueToken } from './opaque-token.js';
import { OauthError } from './oauth-error.js';
import { allowedScopes } from './scope-request.js';

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

/** Who agrees, and when they last proved to be who they are. */
export interface SignedInUser {
  principalId: string;
  signedInAt: Date;
}

/** Told what a user has just agreed to, as the last thing of the transaction that notes it. */
export type OnAgreed = (
  tx: Transaction,
  agreed: { accountId: string; workspaceId: string | null; scope: string },
) => Promise<void>;

/** Nothing new was agreed to. */
const agreedBefore: OnAgreed = async () => {};

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
  user: SignedInUser,
  request: AuthorizationRequest,
  decision: Decision,
  now: Date,
  onAgreed: OnAgreed = agreedBefore,
): Promise<IssuedCode> {
  const { client, redirectUri, challenge, nonce = null } = request;
  const { token: code, hash } = createOpaqueToken('wcc_');
  const expiresAt = new Date(now.getTime() + codeSecondsMax * 1000);
  const scope = await agreedScope(db, user, request, decision);
  const authorizationId = await db.$transaction(async (tx) => {
    const id = await recordAgreement(tx, user, client.id, { ...decision, scope }, now);
    await tx.oauthCode.create({
      data: { hash, authorizationId: id, clientId: client.id, redirectUri, challenge, nonce, expiresAt },
    });
    await onAgreed(tx, { ...decision, scope });
    return id;
  });
  return { code, authorizationId, scope };
}

/**
 * What of what a client asked for its user agreed to and may give.
 *
 * @throws `access_denied` when nothing is left, or the place is out of the user's reach.
 */
export async function agreedScope(
  db: Transaction,
  { principalId }: SignedInUser,
  { client, scopes }: { client: OauthClient; scopes: string[] },
  { accountId, workspaceId, scopes: chosen }: Decision,
): Promise<string> {
  const subject = { client: client.id, principal: principalId };
  const reach = await loadReach(db, { principalId, accountId, workspaceId });
  if (reach === undefined || (workspaceId !== null && reach.workspaces.size === 0)) {
    throw new OauthError('access_denied', 'The user cannot access the account or workspace.', subject);
  }
  const agreed = scopes.filter((name) => chosen.includes(name));
  const scope = allowedScopes(agreed, reach).join(' ');
  if (scope === '') throw new OauthError('access_denied', 'The user granted none of the requested scopes.', subject);
  return scope;
}

/** @returns the id of the authorization that the agreement made. */
export async function recordAgreement(
  tx: Transaction,
  { principalId, signedInAt }: SignedInUser,
  clientId: string,
  { accountId, workspaceId, scope }: { accountId: string; workspaceId: string | null; scope: string },
  now: Date,
): Promise<string> {
  const place = { accountId, workspaceId, scope };
  const consent = { ...place, givenAt: now };
  await tx.oauthConsent.upsert({
    where: { principalId_clientId: { principalId, clientId } },
    create: { principalId, clientId, ...consent },
    update: consent,
  });
  const { id } = await tx.oauthAuthorization.create({
    data: { clientId, principalId, ...place, createdAt: now, lastUsedAt: now, signedInAt },
  });
  return id;
}

/**
 * What a user agreed to before, when it covers a request of a client that has a secret. One without could be
 * any program that says it is that client, so its user is always asked (RFC 8252, section 8.6); but for the
 * console, which is answered at an address of this service alone. Who signs in there and has one account wants
 * to act in it.
 */
export async function rememberedDecision(
  db: Database,
  principalId: string,
  request: AuthorizationRequest,
): Promise<Decision | undefined> {
  const { client, scopes, prompts } = request;
  const isConsole = client.id === consoleClientId;
  if ((client.secretHash === null && !isConsole) || prompts.includes('consent')) return undefined;
  const consent = await db.oauthConsent.findUnique({
    where: { principalId_clientId: { principalId, clientId: client.id } },
  });
  if (consent === null) return isConsole ? onlyAccount(db, principalId, scopes) : undefined;
  if (!scopes.every((name) => includesScope(consent.scope, name))) return undefined;
  const { accountId, workspaceId } = consent;
  const reach = await loadReach(db, { principalId, accountId, workspaceId });
  const isReached = reach !== undefined && (workspaceId === null || reach.workspaces.size > 0);
  return isReached ? { accountId, workspaceId, scopes } : undefined;
}

/** The whole account of a user who has one; which one of several is for them to say. */
async function onlyAccount(db: Database, principalId: string, scopes: string[]): Promise<Decision | undefined> {
  const memberships = await db.accountMember.findMany({ where: { principalId }, take: 2 });
  const [membership] = memberships;
  if (membership === undefined || memberships.length > 1) return undefined;
  return { accountId: membership.accountId, workspaceId: null, scopes };
}

export interface LiveAuthorization extends StoredCredential {
  id: string;
  scope: string;
  /** When the user signed in who gave it. */
  signedInAt: Date | null;
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
  await db.$transaction((tx) => endAuthorizations(tx, { id }, now));
}

/** Which authorizations: one, or those of a user that are confined to a place, or given to a client, if one is named. */
export type AuthorizationsOf =
  { id: string } | { principalId: string; accountId?: string; workspaceId?: string; clientId?: string };

/** Ends several alike. @returns how many had not ended. */
export async function endAuthorizations(tx: Transaction, which: AuthorizationsOf, now: Date): Promise<number> {
  const { count } = await tx.oauthAuthorization.updateMany({
    where: { ...which, endedAt: null },
    data: { endedAt: now },
  });
  await tx.accessToken.updateMany({ where: { authorization: which, revokedAt: null }, data: { revokedAt: now } });
  return count;
}
