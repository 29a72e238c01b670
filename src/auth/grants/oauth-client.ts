import type { OauthClient } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { scopes } from '../scopes.js';
import { isTokenOf } from './opaque-token.js';
import { OauthError } from './oauth-error.js';

export type { OauthClient } from '../../database/client/client.js';

export type OauthGrantType = OauthClient['grantTypes'][number];

/** The `grant_type` of each grant (RFC 6749, sections 4.1.3, 4.4.2 and 6; RFC 8628, section 3.4). */
export const grantTypeNames: Record<OauthGrantType, string> = {
  authorization_code: 'authorization_code',
  client_credentials: 'client_credentials',
  refresh_token: 'refresh_token',
  device_code: 'urn:ietf:params:oauth:grant-type:device_code',
};

/** The client of the command line, whose users may agree in a browser on another machine. */
export const commandLineClientId = 'command-line';

/** The client of GraphiQL, which acts for the signed-in user. */
export const graphiqlClientId = 'graphiql';

/** The client of the console, which acts for the signed-in user. */
export const consoleClientId = 'console';

/** The redirect path of the console, below the public URL. */
export const consoleCallbackPath = '/signed-in';

interface OwnClient {
  displayName: string;
  /** The redirect path below the public URL; undefined for a client without redirects. */
  path?: string;
  grantTypes: OauthGrantType[];
}

/** Clients built into this service, available in every gateway. */
const ownClients = new Map<string, OwnClient>([
  [
    graphiqlClientId,
    { displayName: 'GraphiQL', path: '/graphql', grantTypes: ['authorization_code', 'refresh_token'] },
  ],
  // The console stores no token: a signed-in user gets a new one without a prompt.
  [consoleClientId, { displayName: 'Console', path: consoleCallbackPath, grantTypes: ['authorization_code'] }],
  [commandLineClientId, { displayName: 'Command line', grantTypes: ['device_code', 'refresh_token'] }],
]);

/** Whether a client id is reserved for a built-in client. */
export function isOwnClient(id: string): boolean {
  return ownClients.has(id);
}

/** How a client authenticates at the token, revocation and introspection endpoints (RFC 6749, section 2.3). */
export interface ClientCredentials {
  clientId: string;
  /** Undefined for a public client. */
  secret: string | undefined;
}

/** Whether a text has the form of the ids of clients. Secrets do not have it. */
export function isClientId(text: string): boolean {
  return /^[a-z0-9-]{1,49}$/.test(text);
}

/** Finds an active client. Built-in clients are created on first use. */
export async function findClient(db: Database, id: string, publicUrl: string): Promise<OauthClient | undefined> {
  if (!isClientId(id)) return undefined;
  const row = await db.oauthClient.findUnique({ where: { id } });
  const own = ownClients.get(id);
  if (row === null) return own && createOwnClient(db, id, own, publicUrl);
  if (row.revokedAt !== null) return undefined;
  // A client registered before the id was reserved keeps it and is not treated as built in.
  const isOurs = row.secretHash === null && row.principalId === null;
  return own === undefined || !isOurs ? row : { ...row, redirectUris: redirectUrisOf(own, publicUrl) };
}

/**
 * Authenticates the calling client.
 *
 * @throws `invalid_client` for an unknown or revoked client, and a wrong secret, with the same message.
 */
export async function authenticateClient(
  db: Database,
  credentials: ClientCredentials,
  publicUrl: string,
  now: Date,
): Promise<OauthClient> {
  const client = await findClient(db, credentials.clientId, publicUrl);
  const { secret } = credentials;
  if (client !== undefined && isAuthentic(client, secret, now)) return client;
  const reason = client === undefined ? 'unknown client' : secret === undefined ? 'no secret' : 'wrong secret';
  throw invalidClient(credentials.clientId, reason);
}

/** @param reason for the log */
export function invalidClient(client: string, reason: string): OauthError {
  return new OauthError('invalid_client', 'The client does not exist, or its secret is wrong.', { client, reason });
}

/** A public client has no secret. A confidential one has one, and for a while after a rotation also the old one. */
function isAuthentic(client: OauthClient, secret: string | undefined, now: Date): boolean {
  const { secretHash, previousSecretHash, previousSecretEndsAt } = client;
  if (secretHash === null || secret === undefined) return secretHash === null && secret === undefined;
  const isPrevious =
    previousSecretHash !== null &&
    previousSecretEndsAt !== null &&
    previousSecretEndsAt > now &&
    isTokenOf(secret, previousSecretHash);
  return isTokenOf(secret, secretHash) || isPrevious;
}

/** @throws `unauthorized_client` when the client is not registered for the grant (RFC 6749, section 5.2). */
export function requireGrantType(client: OauthClient, grantType: OauthGrantType): void {
  if (client.grantTypes.includes(grantType)) return;
  throw new OauthError(
    'unauthorized_client',
    `This client is not registered for the grant ${grantTypeNames[grantType]}.`,
    {
      client: client.id,
    },
  );
}

function redirectUrisOf({ path }: OwnClient, publicUrl: string): string[] {
  return path === undefined ? [] : [`${publicUrl}${path}`];
}

async function createOwnClient(db: Database, id: string, own: OwnClient, publicUrl: string): Promise<OauthClient> {
  const { displayName, grantTypes } = own;
  const redirectUris = redirectUrisOf(own, publicUrl);
  const scope = scopes.join(' ');
  // Prisma's upsert would read first, and fail if another request creates the client meanwhile.
  await db.oauthClient.createMany({ data: { id, displayName, redirectUris, grantTypes, scope }, skipDuplicates: true });
  const row = await db.oauthClient.findUniqueOrThrow({ where: { id } });
  return { ...row, redirectUris };
}
