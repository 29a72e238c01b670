// An authorization records what a user allowed a client: one code, and the refresh and access tokens issued from it. If
// one of them is used twice, all of them end.
import type { Database, Transaction } from '../../database/open.js';
import type { Statements } from '../../database/transaction.js';
import { loadAccess } from '../caller-access.js';
import { lockEnabledPrincipal } from '../lock-principal.js';
import type { SignInWith, StoredCredential } from '../caller-access.js';
import { includesScope } from '../scopes.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { consoleClientId } from './oauth-client.js';
import { providerColumns } from '../sign-in/browser-session.js';
import type { ProviderSession } from '../sign-in/provider.js';
import type { OauthClient } from './oauth-client.js';
import { createOpaqueToken } from './opaque-token.js';
import { OauthError } from './oauth-error.js';
import { allowedScopes } from './scope-request.js';

const codeSecondsMax = 60;

/** An account or workspace of the user that a client can be confined to. */
export interface Place {
  accountId: string;
  accountName: string;
  workspaceId: string | null;
  workspaceName: string | undefined;
}

/** Lists each account that a user can enter with a sign-in, followed by its workspaces. */
export async function findTenants(db: Database, { principalId, provider }: SignedInUser): Promise<Place[]> {
  const memberships = await db.accountMember.findMany({
    where: { principalId },
    orderBy: { account: { name: 'asc' } },
  });
  const tenants: Place[] = [];
  for (const { accountId } of memberships) {
    const access = await loadAccess(db, { principalId, accountId, workspaceId: null }, signInWith(provider));
    const [account] = access?.accounts ?? [];
    if (access === undefined || account === undefined) continue;
    const wholeAccount = { accountId, accountName: account.displayName ?? account.name };
    tenants.push({ ...wholeAccount, workspaceId: null, workspaceName: undefined });
    for (const { id, name, displayName } of access.workspaces.values()) {
      tenants.push({ ...wholeAccount, workspaceId: id, workspaceName: displayName ?? name });
    }
  }
  return tenants;
}

/** An account that the user can only enter by a sign-in with another provider. */
export interface ClosedAccount {
  accountName: string;
  /** The id of the required provider. */
  provider: string;
}

/** Lists the accounts of a user that require another provider than that of the sign-in. */
export async function findClosedAccounts(
  db: Database,
  { principalId, provider }: SignedInUser,
): Promise<ClosedAccount[]> {
  const members = { some: { principalId } };
  const accounts = await db.account.findMany({
    where: { members, requiredSignInProvider: { not: null } },
    orderBy: { name: 'asc' },
  });
  return accounts.flatMap(({ name, displayName, requiredSignInProvider: required }) =>
    required === null || required === provider?.provider
      ? []
      : { accountName: displayName ?? name, provider: required },
  );
}

export interface Decision {
  accountId: string;
  workspaceId: string | null;
  /** The requested scopes that the user agreed to. */
  scopes: string[];
}

/** The user who agrees, the browser session, and when the user last signed in. */
export interface SignedInUser {
  principalId: string;
  sessionId: string;
  signedInAt: Date;
  provider: ProviderSession | null;
}

/** The sign-in of a user, for loadAccess(). */
function signInWith(provider: ProviderSession | null): SignInWith {
  return { provider: provider?.provider ?? null };
}

/** Called at the end of the transaction that records a new agreement. */
export type OnAgreed = (
  tx: Statements,
  agreed: { accountId: string; workspaceId: string | null; scope: string },
) => Promise<void>;

export interface IssuedCode {
  code: string;
  authorizationId: string;
  scope: string;
}

/**
 * Records the user's agreement and creates the code that the client exchanges for tokens.
 *
 * @param onAgreed none for an agreement that the user had given before, which stays as it is.
 * @throws `access_denied` when no scope is left, or the account or workspace is inaccessible to the user.
 */
export async function authorizeClient(
  db: Database,
  user: SignedInUser,
  request: AuthorizationRequest,
  decision: Decision,
  now: Date,
  onAgreed?: OnAgreed,
): Promise<IssuedCode> {
  const { client, redirectUri, challenge, nonce = null } = request;
  const { token: code, hash } = createOpaqueToken('wcc_');
  const expiresAt = new Date(now.getTime() + codeSecondsMax * 1000);
  return db.$begin(async (tx) => {
    const prisma = await tx.$prisma();
    const scope = await agreedScope(prisma, user, request, decision);
    const authorizationId = await recordAgreement(
      prisma,
      user,
      client.id,
      { ...decision, scope },
      now,
      onAgreed === undefined,
    );
    await prisma.oauthCode.create({
      data: { hash, authorizationId, clientId: client.id, redirectUri, challenge, nonce, expiresAt },
    });
    await onAgreed?.(tx, { ...decision, scope });
    return { code, authorizationId, scope };
  });
}

/**
 * Returns the requested scopes that the user agreed to and may grant. Locks the user until the transaction ends, so that the
 * end of the user's access also ends the authorization that is created in it.
 *
 * @throws `access_denied` when none is left, or the account or workspace is inaccessible to the user.
 */
export async function agreedScope(
  tx: Transaction,
  { principalId, provider }: SignedInUser,
  { client, scopes }: { client: OauthClient; scopes: string[] },
  { accountId, workspaceId, scopes: chosen }: Decision,
): Promise<string> {
  const subject = { client: client.id, principal: principalId };
  await lockEnabledPrincipal(tx, principalId);
  const access = await loadAccess(tx, { principalId, accountId, workspaceId }, signInWith(provider));
  if (access === undefined || (workspaceId !== null && access.workspaces.size === 0)) {
    throw new OauthError('access_denied', 'The user cannot access the account or workspace.', subject);
  }
  const agreed = scopes.filter((name) => chosen.includes(name));
  const scope = allowedScopes(agreed, access).join(' ');
  if (scope === '') throw new OauthError('access_denied', 'The user granted none of the requested scopes.', subject);
  return scope;
}

/**
 * Locks the browser session until the transaction ends. A concurrent end of the session waits, and then also ends the
 * authorization that is created here.
 *
 * @param isRemembered whether the user agreed earlier: that agreement stays as it is.
 * @returns the id of the new authorization.
 * @throws `access_denied` if the session has ended; `consent_required` if a remembered agreement was withdrawn.
 */
export async function recordAgreement(
  tx: Transaction,
  { principalId, sessionId, signedInAt, provider }: SignedInUser,
  clientId: string,
  { accountId, workspaceId, scope }: { accountId: string; workspaceId: string | null; scope: string },
  now: Date,
  isRemembered = false,
): Promise<string> {
  const sessions = await tx.$queryRaw<object[]>`
    SELECT "id" FROM "sign_in_session" WHERE "id" = ${sessionId}::text::uuid FOR KEY SHARE`;
  if (sessions.length === 0) {
    throw new OauthError('access_denied', 'The user has signed out.', { client: clientId, principal: principalId });
  }
  if (isRemembered && clientId !== consoleClientId) await requireConsent(tx, principalId, clientId);
  const tenant = { accountId, workspaceId, scope };
  const consent = { ...tenant, givenAt: now };
  await tx.oauthConsent.upsert({
    where: { principalId_clientId: { principalId, clientId } },
    create: { principalId, clientId, ...consent },
    update: isRemembered ? {} : consent,
  });
  const { id } = await tx.oauthAuthorization.create({
    data: {
      clientId,
      principalId,
      ...tenant,
      createdAt: now,
      lastUsedAt: now,
      signedInAt,
      sessionId,
      ...providerColumns(provider),
    },
  });
  return id;
}

/**
 * Locks a consent until the transaction ends: its withdrawal waits, and then also ends the authorization that is created
 * here.
 *
 * @throws `consent_required` if it was withdrawn after it was read.
 */
async function requireConsent(tx: Transaction, principalId: string, clientId: string): Promise<void> {
  const consents = await tx.$queryRaw<object[]>`
    SELECT "client_id" FROM "oauth_consent" WHERE "principal_id" = ${principalId}::text::uuid AND "client_id" = ${clientId}
    FOR KEY SHARE`;
  if (consents.length > 0) return;
  const subject = { client: clientId, principal: principalId };
  throw new OauthError('consent_required', 'The user has withdrawn the consent.', subject);
}

/**
 * Returns an earlier agreement that covers the request of a confidential client. A public client could be impersonated
 * by any program, so its user is always asked (RFC 8252, section 8.6). The console is an exception, because its
 * redirect URI belongs to this service: a user with one account is not asked.
 */
export async function rememberedDecision(
  db: Database,
  { principalId, provider }: SignedInUser,
  request: AuthorizationRequest,
): Promise<Decision | undefined> {
  const { client, scopes, prompts } = request;
  const isConsole = client.id === consoleClientId;
  if ((client.secretHash === null && !isConsole) || prompts.includes('consent')) return undefined;
  const consent = await db.oauthConsent.findUnique({
    where: { principalId_clientId: { principalId, clientId: client.id } },
  });
  if (consent === null) return isConsole ? onlyAccount(db, { principalId, provider }, scopes) : undefined;
  if (!scopes.every((name) => includesScope(consent.scope, name))) return undefined;
  const { accountId, workspaceId } = consent;
  const access = await loadAccess(db, { principalId, accountId, workspaceId }, signInWith(provider));
  const isAccessible = access !== undefined && (workspaceId === null || access.workspaces.size > 0);
  return isAccessible ? { accountId, workspaceId, scopes } : undefined;
}

/** Returns an agreement for the whole account of a user with one account. A user with several has to choose. */
async function onlyAccount(
  db: Database,
  { principalId, provider }: Pick<SignedInUser, 'principalId' | 'provider'>,
  scopes: string[],
): Promise<Decision | undefined> {
  const memberships = await db.accountMember.findMany({ where: { principalId }, take: 2 });
  const [membership] = memberships;
  if (membership === undefined || memberships.length > 1) return undefined;
  const tenant = { accountId: membership.accountId, workspaceId: null };
  const access = await loadAccess(db, { principalId, ...tenant }, signInWith(provider));
  return access === undefined ? undefined : { ...tenant, scopes };
}

export interface LiveAuthorization extends StoredCredential {
  id: string;
  scope: string;
  /** When the authorizing user signed in. */
  signedInAt: Date | null;
  /** The id of the identity provider that the user signed in with. */
  provider: string | null;
}

/**
 * Locks an authorization until the transaction ends; undefined when it has ended. A concurrent end waits, and then also
 * ends the tokens that this transaction creates.
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

/**
 * Which authorizations to end: one; those of a user, optionally only for an account or workspace, or a client; those
 * given in a browser session; or those of a user or session of an identity provider, or of a user of several.
 */
export type AuthorizationsOf =
  | { id: string }
  | { principalId: string; accountId?: string; workspaceId?: string; clientId?: string }
  | { principalId: string; sessionId: string }
  | { principalId: string; OR: { sessionId: { not: string } | null }[] }
  | { principalId: string; provider: { in: string[] } }
  | { provider: string; providerSubject?: string; providerSession?: string };

/** Ends several authorizations. @returns how many were active. */
export async function endAuthorizations(tx: Transaction, which: AuthorizationsOf, now: Date): Promise<number> {
  const { count } = await tx.oauthAuthorization.updateMany({
    where: { ...which, endedAt: null },
    data: { endedAt: now },
  });
  await tx.accessToken.updateMany({ where: { authorization: which, revokedAt: null }, data: { revokedAt: now } });
  return count;
}
