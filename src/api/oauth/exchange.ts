import type { OauthSubject } from '../../auth/grants/oauth-error.js';
import type { Exchange } from '../../http/exchange.js';
import { isClientId } from '../../auth/grants/oauth-client.js';
import type { TokenIssuer } from '../../auth/grants/issue-tokens.js';
import { clientAddress } from '../../auth/client-address.js';
import type { AccessTokenVerifier } from '../../auth/access-token.js';
import type { LogoutTokenVerifier } from '../../auth/sign-in/logout-token.js';
import type { SignInProvider } from '../../auth/sign-in/provider.js';
import type { VerificationKeys } from '../../auth/signing-keys.js';
import type { TransportServices } from '../../http/transport-services.js';

/** OauthServices of the OAuth endpoints. */
export interface OauthServices extends TransportServices {
  tokenVerifier: AccessTokenVerifier;
  verificationKeys: VerificationKeys;
  /** The sign-in methods of the pages: providers, a password, or both. */
  signIn: { providers: readonly SignInProvider[]; isByPassword: boolean };
  /** Whether programs can register themselves. */
  isRegistrationOn: boolean;
  logoutTokens: LogoutTokenVerifier;
  /** Returns the path of the typeface of the pages; undefined for that of the system. */
  typeface: () => string | undefined;
  /** Name of a user whom the sign-in page signs in with one click. Only the demo sets it. */
  examples: { user?: string };
}

/** The origin of a request. */
export interface Visitor {
  address: string;
  requestId: string;
}

/** One request to the OAuth endpoints, and the services that it uses. */
export interface OauthExchange extends Exchange {
  services: OauthServices;
  visitor: Visitor;
}

/** The events that are logged, by the name to search the log for. */
export type OauthEvent =
  | 'signed_in'
  | 'sign_in_refused'
  | 'signed_out'
  | 'signed_out_by_provider'
  | 'memberships_changed'
  | 'code_issued'
  | 'device_code_issued'
  | 'device_code_refused'
  | 'device_allowed'
  | 'authorization_refused'
  | 'client_registered'
  | 'client_deleted'
  | 'registration_refused'
  | 'token_issued'
  | 'token_refreshed'
  | 'token_refused'
  | 'token_revoked'
  | 'token_introspected'
  | 'user_info_read'
  | 'account_changed'
  | 'account_change_refused';

type OauthRecord = OauthSubject & { scope?: string; grant?: string; token?: string; error?: string; what?: string };

/** Logs an event with its user and address. Pass only ids and names, never secrets. */
export function record({ services, visitor }: OauthExchange, event: OauthEvent, about: OauthRecord): void {
  const level = event.endsWith('_refused') ? 'warn' : 'info';
  // Some values are from unauthenticated requests. The id of an unknown client may be a secret.
  const known = {
    ...about,
    ...(about.client === undefined ? {} : { client: isClientId(about.client) ? about.client : '(not a client id)' }),
  };
  const short = Object.fromEntries(Object.entries(known).map(([key, value]) => [key, value.slice(0, 254)]));
  services.log[level]({ oauth: event, ...short, ...visitor }, `oauth: ${event.replaceAll('_', ' ')}`);
}

export function openOauthExchange(services: OauthServices, exchange: Exchange): OauthExchange {
  const { request, requestId } = exchange;
  const address = clientAddress(request.headers, services.clientAddressHeader, request.socket.remoteAddress);
  return { ...exchange, services, visitor: { address, requestId } };
}

export function tokenIssuer({ services }: OauthExchange): TokenIssuer {
  const { db, encryption, tokens, now } = services;
  return { db, encryption, tokens, now };
}
