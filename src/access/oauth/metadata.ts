import type { TokenSettings } from '../access-token.js';
import { scopes } from '../scopes.js';
import { challengeMethod } from './pkce.js';

const clientAuthentication = ['client_secret_basic', 'client_secret_post'];

/** The metadata of RFC 8414, section 2, with the `iss` of RFC 9207. Extra members are for those who ask by OpenID's name. */
export function authorizationServerMetadata({ issuer }: TokenSettings): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
    token_endpoint_auth_methods_supported: [...clientAuthentication, 'none'],
    revocation_endpoint_auth_methods_supported: [...clientAuthentication, 'none'],
    introspection_endpoint_auth_methods_supported: clientAuthentication,
    code_challenge_methods_supported: [challengeMethod],
    authorization_response_iss_parameter_supported: true,
  };
}

/**
 * The same for clients that look where OpenID Connect Discovery has it, with the members that it requires of
 * everybody. This service issues no ID tokens, and refuses the scope `openid`.
 */
export function openidConfiguration(tokens: TokenSettings): Record<string, unknown> {
  return {
    ...authorizationServerMetadata(tokens),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
}
