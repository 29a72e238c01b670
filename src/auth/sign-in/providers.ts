// The OpenID providers of the operator. An email domain belongs to one provider, so that no other provider can sign in
// its users.
import { canonicalUserName } from '../user-name.js';
import { emailDomain } from './email-domain.js';
import { ProviderRefusal } from './provider.js';
import type { ProviderUser, SignInProvider } from './provider.js';

/** What group roles have as their provider if they are of groups that SCIM provisions. */
export const provisionedGroups = 'scim';

type Providers = readonly SignInProvider[];

export function providerById(providers: Providers, id: string): SignInProvider | undefined {
  return providers.find((provider) => provider.id === id);
}

/** Returns the provider of an email address: the one with its domain, else the one without domains, if any. */
export function providerOfAddress(providers: Providers, typed: string): SignInProvider | undefined {
  const name = canonicalUserName(typed);
  const domain = name === undefined ? undefined : emailDomain(name);
  const owner = providers.find(({ domains }) => domain !== undefined && domains?.includes(domain) === true);
  return owner ?? providers.find(({ domains }) => domains === undefined);
}

/** @throws {ProviderRefusal} for a user whose email domain belongs to another provider. */
export function requireOwnDomain(providers: Providers, provider: SignInProvider, { name }: ProviderUser): void {
  if (providerOfAddress(providers, name)?.id === provider.id) return;
  throw new ProviderRefusal('domain', 'The sign-in provider cannot sign in users of your email domain.');
}
