import type { OauthClient } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { scopes } from '../scopes.js';
import { isTokenOf } from './opaque-token.js';
import { OauthError } from './oauth-error.js';

export type { OauthClient } from '../../database/client/client.js';

export type OauthGrantType = OauthClient['grantTypes'][number];

/** Each grant as `grant_type` names it: RFC 6749, sections 4.1.3, 4.4.2 and 6; RFC 8628, section 3.4. */
export const grantTypeNames: Record<OauthGrantType, string> = {
  authorization_code: 'authorization_code',
  client_credentials: 'client_credentials',
  refresh_token: 'refresh_token',
  device_code: 'urn:ietf:params:oauth:grant-type:device_code',
};

/** The client of the command line, whose users agree in a browser that may be on another machine. */
export const commandLineClientId = 'command-line';

/** The client of the console, which acts for whoever signed in there. */
export const consoleClientId = 'console';

/** Where the console is answered, below the public address. */
export const consoleCallbackPath = '/signed-in';

interface OwnClient {
  displayName: string;
  /** Where it is answered, below the public address; absent where it is not. */
  path?: string;
  grantTypes: OauthGrantType[];
}

/** Programs of this service, which every gateway has. */
const ownClients = new Map<string, OwnClient>([
  ['graphiql', { displayName: 'GraphiQL', path: '/graphql', grantTypes: ['authorization_code', 'refresh_token'] }],
  // It keeps no token: whoever is signed in gets a new one without being asked, and nobody else does.
  [consoleClientId, { displayName: 'Console', path: consoleCallbackPath, grantTypes: ['authorization_code'] }],
  [commandLineClientId, { displayName: 'Command line', grantTypes: ['device_code', 'refresh_token'] }],
]);

/** Whether a name is that of a program of this service: no other client can be registered under it. */
export function isOwnClient(id: string): boolean {
  return ownClients.has(id);
}

/** How a client says who it is, at the endpoints that it calls itself. RFC 6749, section 2.3. */
export interface ClientCredentials {
  clientId: string;
  /** Undefined for a public client. */
  secret: string | undefined;
}

/** A client that may be used now. Those of our own programs are made when they are first asked for. */
export async function findClient(db: Database, id: string, publicUrl: string): Promise<OauthClient | undefined> {
  if (!/^[a-z0-9-]{1,49}$/.test(id)) return undefined;
  const row = await db.oauthClient.findUnique({ where: { id } });
  const own = ownClients.get(id);
  if (row === null) return own && createOwnClient(db, id, own, publicUrl);
  if (row.revokedAt !== null) return undefined;
  // One that somebody registered before the name was ours keeps it, and is not taken for ours.
  const isOurs = row.secretHash === null && row.principalId === null;
  return own === undefined || !isOurs ? row : { ...row, redirectUris: redirectUrisOf(own, publicUrl) };
}

/**
 * The client that calls.
 *
 * @throws `invalid_client`, alike for one that is unknown, revoked, or has another secret.
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
  throw new OauthError('invalid_client', 'The client is unknown, or its secret is not right.', {
    client: credentials.clientId,
    reason: client === undefined ? 'unknown client' : secret === undefined ? 'no secret' : 'wrong secret',
  });
}

/** A public client has no secret; another has one, and for a while also the one before. */
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

/** @throws `unauthorized_client` when a client is not registered for a grant. RFC 6749, section 5.2. */
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
  const row = await db.oauthClient.upsert({
    where: { id },
    update: {},
    create: { id, displayName, redirectUris, grantTypes, scope },
  });
  return { ...row, redirectUris };
}
