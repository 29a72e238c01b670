import type { TokenSettings } from '../access-token.js';
import { grantableScopes } from '../scopes.js';
import { idTokenAlgorithm } from './id-token.js';
import { grantTypeNames } from './oauth-client.js';
import { challengeMethod } from './pkce.js';
import { claimNames } from './user-info.js';

const clientAuthentication = ['client_secret_basic', 'client_secret_post'];

/**
 * Authorization server metadata (RFC 8414, section 2, with the `iss` of RFC 9207) and OpenID Connect Discovery, section
 * 3. Both names serve the same document.
 */
export function authorizationServerMetadata(
  { issuer }: TokenSettings,
  { isRegistrationOn }: { isRegistrationOn: boolean },
): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    ...(isRegistrationOn ? { registration_endpoint: `${issuer}/oauth/register` } : {}),
    device_authorization_endpoint: `${issuer}/oauth/device_authorization`,
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    scopes_supported: grantableScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: Object.values(grantTypeNames),
    token_endpoint_auth_methods_supported: [...clientAuthentication, 'none'],
    revocation_endpoint_auth_methods_supported: [...clientAuthentication, 'none'],
    introspection_endpoint_auth_methods_supported: clientAuthentication,
    code_challenge_methods_supported: [challengeMethod],
    authorization_response_iss_parameter_supported: true,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [idTokenAlgorithm],
    claim_types_supported: ['normal'],
    claims_supported: claimNames,
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  };
}
