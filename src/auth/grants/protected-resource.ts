// Protected resource metadata (RFC 9728) and resource indicators (RFC 8707).
import type { TokenSettings } from '../access-token.js';
import { openingScopes } from '../scopes.js';
import { OauthError } from './oauth-error.js';

/** The paths of the interfaces, and of all together. A token is valid for all of them. */
export const resourcePaths = ['', '/v0', '/graphql', '/mcp'] as const;

export type ResourcePath = (typeof resourcePaths)[number];

const wellKnown = '/.well-known/oauth-protected-resource';

/** Returns the path of an interface's metadata, below the public URL (RFC 9728, section 3.1). */
export function resourceMetadataPath(path: ResourcePath): string {
  return `${wellKnown}${path}`;
}

/** RFC 9728, section 2. */
export function protectedResourceMetadata({ issuer }: TokenSettings, path: ResourcePath): Record<string, unknown> {
  return {
    resource: addressOf(issuer, path),
    authorization_servers: [issuer],
    scopes_supported: openingScopes,
    bearer_methods_supported: ['header'],
  };
}

/**
 * Checks the values of the parameter `resource`, which a request can have several times (RFC 8707, section 2).
 *
 * @throws `invalid_target` unless each is the audience of this service or one of its interfaces.
 */
export function requireResources(
  { issuer, audience }: Pick<TokenSettings, 'issuer' | 'audience'>,
  resources: readonly string[],
  client: string,
): void {
  const known = [audience, ...resourcePaths.map((path) => addressOf(issuer, path))].map(normalized);
  if (resources.every((resource) => known.includes(normalized(resource)))) return;
  throw new OauthError('invalid_target', 'Each resource must be this service.', { client });
}

/** The issuer is the public URL with /v0. */
function addressOf(issuer: string, path: ResourcePath): string {
  return `${issuer.slice(0, -'/v0'.length)}${path}`;
}

/**
 * The same text for equivalent addresses (RFC 3986, section 6.2): the host in lower case, without the default port, and
 * without the slash at the end that some clients add. Other identifiers are compared as they are.
 */
function normalized(resource: string): string {
  const url = URL.parse(resource);
  return url === null || !/^https?:$/.test(url.protocol) ? resource : url.href.replace(/\/$/, '');
}
