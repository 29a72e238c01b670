// Serves the OAuth 2.0 and OpenID Connect endpoints: pages for people, endpoints for clients, and discovery documents.
import { authorizationServerMetadata } from '../../auth/grants/metadata.js';
import {
  protectedResourceMetadata,
  resourceMetadataPath,
  resourcePaths,
} from '../../auth/grants/protected-resource.js';
import { callbackPath, defaultProviderId } from '../../auth/sign-in/provider-callback.js';
import { ApiError } from '../../errors.js';
import type { Exchange } from '../../http/exchange.js';
import {
  answerAccount,
  answerAccountForm,
  answerAccountProvider,
  answerAccountSignIn,
  answerAccountSignOut,
} from './account-endpoint.js';
import { accountForms } from './account-page.js';
import type { AccountForm } from './account-page.js';
import {
  answerAuthorize,
  answerConsent,
  answerProvider,
  answerSignIn,
  answerSignOut,
} from './authorization-endpoint.js';
import {
  answerDevice,
  answerDeviceAuthorization,
  answerDeviceConsent,
  answerDeviceProvider,
  answerDeviceSignIn,
  answerDeviceSignOut,
} from './device-endpoint.js';
import { answerIntrospection, answerRevocation, answerToken } from './endpoints.js';
import { openOauthExchange } from './exchange.js';
import type { OauthServices } from './exchange.js';
import type { OauthEvent, OauthExchange } from './exchange.js';
import { sendClientError } from './send-error.js';
import { sendPageError } from './page.js';
import { answerBackchannelLogout } from './backchannel-logout.js';
import { answerProviderCallback } from './provider-sign-in.js';
import { answerRegistration } from './registration-endpoint.js';
import { answerUserInfo } from './user-info.js';

export interface OauthHandler {
  /** The discovery documents, by path. */
  documents: ReadonlyMap<string, object>;
  /** Whether it has an endpoint at this path. */
  isAt: (path: string) => boolean;
  answer: (exchange: Exchange) => Promise<void>;
}

interface Endpoint {
  methods: readonly string[];
  answer: (exchange: OauthExchange) => Promise<void>;
  /** The reader of its errors: a program or a person. */
  reader: 'client' | 'person';
  /** The event that is logged when it rejects a client (default: `token_refused`). */
  refusal?: OauthEvent;
}

const endpoints = new Map<string, Endpoint>([
  ['/v0/oauth/authorize', { methods: ['GET', 'POST'], answer: answerAuthorize, reader: 'person' }],
  ['/v0/oauth/sign-in', { methods: ['POST'], answer: answerSignIn, reader: 'person' }],
  ['/v0/oauth/consent', { methods: ['POST'], answer: answerConsent, reader: 'person' }],
  ['/v0/oauth/sign-out', { methods: ['POST'], answer: answerSignOut, reader: 'person' }],
  ['/v0/oauth/provider', { methods: ['POST'], answer: answerProvider, reader: 'person' }],
  // OpenID Connect Back-Channel Logout 1.0, section 2.5.
  ['/v0/oauth/backchannel-logout', { methods: ['POST'], answer: answerBackchannelLogout, reader: 'client' }],
  ['/v0/oauth/device-provider', { methods: ['POST'], answer: answerDeviceProvider, reader: 'person' }],
  ['/v0/oauth/device', { methods: ['GET'], answer: answerDevice, reader: 'person' }],
  ['/v0/oauth/device-sign-in', { methods: ['POST'], answer: answerDeviceSignIn, reader: 'person' }],
  ['/v0/oauth/device-consent', { methods: ['POST'], answer: answerDeviceConsent, reader: 'person' }],
  ['/v0/oauth/device-sign-out', { methods: ['POST'], answer: answerDeviceSignOut, reader: 'person' }],
  ['/v0/oauth/account', { methods: ['GET'], answer: answerAccount, reader: 'person' }],
  ['/v0/oauth/account-sign-in', { methods: ['POST'], answer: answerAccountSignIn, reader: 'person' }],
  ['/v0/oauth/account-sign-out', { methods: ['POST'], answer: answerAccountSignOut, reader: 'person' }],
  ['/v0/oauth/account-provider', { methods: ['POST'], answer: answerAccountProvider, reader: 'person' }],
  ...accountEndpoints(),
  ['/v0/oauth/device_authorization', { methods: ['POST'], answer: answerDeviceAuthorization, reader: 'client' }],
  ['/v0/oauth/token', { methods: ['POST'], answer: answerToken, reader: 'client' }],
  ['/v0/oauth/revoke', { methods: ['POST'], answer: answerRevocation, reader: 'client' }],
  ['/v0/oauth/introspect', { methods: ['POST'], answer: answerIntrospection, reader: 'client' }],
  // OpenID Connect Core, section 5.3.1, requires both methods.
  ['/v0/oauth/userinfo', { methods: ['GET', 'POST'], answer: answerUserInfo, reader: 'client' }],
]);

/** The forms of the page of a user's own. */
function accountEndpoints(): [string, Endpoint][] {
  const isForm = (name: string): name is AccountForm => name in accountForms;
  return Object.keys(accountForms)
    .filter(isForm)
    .map((name) => [`/v0/oauth/${name}`, { methods: ['POST'], answer: answerAccountForm(name), reader: 'person' }]);
}

export function createOauthHandler(services: OauthServices): OauthHandler {
  const metadata = authorizationServerMetadata(services.tokens, services);
  const resources = resourcePaths.map((path): [string, object] => [
    resourceMetadataPath(path),
    protectedResourceMetadata(services.tokens, path),
  ]);
  // RFC 8414, section 3.1, has the issuer's path behind the well-known one, OpenID Connect before it; not every client
  // knows which is which. MCP of 2025-03-26 has none.
  const documents = new Map([
    ['/.well-known/oauth-authorization-server', metadata],
    ['/.well-known/oauth-authorization-server/v0', metadata],
    ['/v0/.well-known/oauth-authorization-server', metadata],
    ['/v0/.well-known/openid-configuration', metadata],
    ...resources,
    ['/v0/.well-known/oauth-protected-resource', protectedResourceMetadata(services.tokens, '/v0')],
  ]);

  const callback: Endpoint = { methods: ['GET'], answer: answerProviderCallback, reader: 'person' };
  const callbacks = [{ id: defaultProviderId }, ...services.signIn.providers].map((provider): [string, Endpoint] => [
    `/v0${callbackPath(provider)}`,
    callback,
  ]);
  const registration: Endpoint = {
    methods: ['POST'],
    answer: answerRegistration,
    reader: 'client',
    refusal: 'registration_refused',
  };
  const all = new Map([...endpoints, ...callbacks]);
  if (services.isRegistrationOn) all.set('/v0/oauth/register', registration);
  return {
    documents,
    isAt: (path) => all.has(path),
    answer: (exchange) => answer(services, exchange, all.get(exchange.path)),
  };
}

/** @throws 405 for another method: HEAD of a page would have the effects of GET. */
async function answer(services: OauthServices, exchange: Exchange, endpoint: Endpoint | undefined): Promise<void> {
  const { request, response } = exchange;
  // RFC 6749, section 5.1. Also for errors and pages.
  response.setHeader('cache-control', 'no-store');
  response.setHeader('pragma', 'no-cache');
  if (endpoint?.methods.includes(request.method ?? '') !== true) throw endpointMethod(endpoint);
  const visit = openOauthExchange(services, exchange);
  try {
    // The caller is known only after the body is read, so requests queue by network address.
    const { address } = visit.visitor;
    await services.admission.admit({ account: `address ${address}`, credential: address }, response);
    await endpoint.answer(visit);
  } catch (error) {
    if (endpoint.reader === 'client') sendClientError(visit, error, endpoint.refusal);
    else sendPageError(visit, error);
  }
}

function endpointMethod(endpoint: Endpoint | undefined): ApiError {
  const allow = endpoint?.methods.join(', ') ?? 'GET';
  return new ApiError('method_not_allowed', `Method not allowed. Allowed: ${allow}.`, { headers: { Allow: allow } });
}
