import { z } from 'zod';
import { commaList, httpUrl, nonEmpty, scopeList, toggle, wholeNumber } from './setting-forms.js';

const openidScopeRule = 'must be scopes separated by spaces, and must include openid';

/** The scopes that are requested from an OpenID provider. */
export const openidScope = z.string(openidScopeRule).regex(/(^| )openid( |$)/, openidScopeRule);

/** Tokens and secrets are sent to the provider, so http is allowed on this machine only. */
export function isSafeIssuer(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer);
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname));
}

/** The domain of an email address: two or more labels in lower case, without a trailing dot. */
export const emailDomainForm =
  /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/;

const domainAccountRule =
  'must be domains in lower case, each with an account, such as acme.example=acme,acme.test=acme';

/** The email domains by the name of their account. A domain belongs to one account. */
const domainAccounts = commaList.transform((pairs, issues) => {
  const domains = new Map<string, string[]>();
  const seen = new Set<string>();
  if (pairs.length === 0) issues.addIssue(domainAccountRule);
  for (const pair of pairs) {
    const [domain = '', account = '', ...rest] = pair.split('=').map((part) => part.trim());
    if (!emailDomainForm.test(domain) || account === '' || rest.length > 0) issues.addIssue(domainAccountRule);
    else if (seen.has(domain)) issues.addIssue(`must name each domain once, and ${domain} is there twice`);
    else domains.set(account, [...(domains.get(account) ?? []), domain]);
    seen.add(domain);
  }
  return domains;
});

/** API keys, access tokens, a trusted issuer, and sign-in. */
export const credentialSettings = {
  TOKEN_AUDIENCE: nonEmpty.optional().describe('Audience of access tokens. Default: the issuer, PUBLIC_URL with /v0.'),
  API_KEY_DAYS_DEFAULT: wholeNumber(1, 3650)
    .default(365)
    .describe('Default lifetime of API keys and executor keys (days).'),
  API_KEY_DAYS_MAX: wholeNumber(1, 3650)
    .optional()
    .describe(
      'Maximum lifetime of API keys and executor keys (days). Without it, keys that never expire can be created.',
    ),
  PLATFORM_ACCOUNT: z
    .string()
    .regex(
      /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
      'must be the name of an account: lower-case letters, digits and hyphens, such as acme',
    )
    .optional()
    .describe(
      'Name of the account whose admins manage accounts, users, executors, quotas and prices over GraphQL. ' +
        'Without it, only the command line can.',
    ),
  SIGNING_KEY_AGE_DAYS_MAX: wholeNumber(1, 3650)
    .default(30)
    .describe('Maximum age of the key that signs access tokens (days). The service then replaces it.'),
  TRUSTED_ISSUER: httpUrl
    .optional()
    .describe('URL of another issuer whose access tokens are accepted, exactly as in their `iss` claim.'),
  TRUSTED_ISSUER_JWKS_URL: httpUrl
    .optional()
    .describe('URL of the public keys (JWKS) of TRUSTED_ISSUER. Required with it.'),
  TRUSTED_ISSUER_AUDIENCE: nonEmpty
    .optional()
    .describe('Audience required in tokens of TRUSTED_ISSUER. Default: the audience of access tokens.'),
  TRUSTED_ISSUER_USER_CLAIM: nonEmpty
    .default('email')
    .describe('Claim of TRUSTED_ISSUER with the user name. An `email` must be verified (`email_verified`).'),
  TRUSTED_ISSUER_ACCOUNT_CLAIM: nonEmpty
    .default('account')
    .describe('Claim of TRUSTED_ISSUER with the account name. Only users of several accounts need it.'),
  TRUSTED_ISSUER_SCOPES: scopeList
    .optional()
    .describe('Scopes of tokens of TRUSTED_ISSUER without `scope` and `scp`, separated by spaces. Default: none.'),
  OAUTH_REGISTRATION: toggle
    .default('off')
    .describe('Let AI assistants and other programs register themselves as OAuth clients (`on` or `off`).'),
  SIGN_IN_ISSUER: httpUrl
    .optional()
    .describe('URL of the OpenID provider for sign-in, exactly as its issuer. It must be https, except on localhost.'),
  SIGN_IN_CLIENT_ID: nonEmpty
    .optional()
    .describe('Client ID of this service at SIGN_IN_ISSUER. Required with SIGN_IN_ISSUER.'),
  SIGN_IN_CLIENT_SECRET: nonEmpty.optional().describe('Client secret at SIGN_IN_ISSUER. Not set for a public client.'),
  SIGN_IN_NAME: z
    .string()
    .trim()
    .min(1, 'must have 1 to 40 characters')
    .max(40, 'must have 1 to 40 characters')
    .optional()
    .describe('Name of the provider on the sign-in button. Default: the host of SIGN_IN_ISSUER.'),
  SIGN_IN_SCOPE: openidScope
    .default('openid email')
    .describe('Scopes requested from SIGN_IN_ISSUER, separated by spaces. They must include `openid`.'),
  SIGN_IN_USER_CLAIM: nonEmpty
    .default('email')
    .describe('Claim of SIGN_IN_ISSUER with the user name. An `email` must be verified (`email_verified`).'),
  SIGN_IN_GROUPS_CLAIM: nonEmpty
    .default('groups')
    .describe('Claim of SIGN_IN_ISSUER with the names of the user’s groups, which can give roles.'),
  SIGN_IN_CREATE_USERS_OF: commaList
    .pipe(
      z.array(
        z.string().regex(emailDomainForm, 'must be domains in lower case such as example.com, separated by commas'),
      ),
    )
    .optional()
    .describe(
      'Email domains of users whom their first sign-in with SIGN_IN_ISSUER creates, separated by commas. Default: none.',
    ),
  SIGN_IN_ACCOUNTS: commaList
    .optional()
    .describe(
      'Accounts whose admins can give roles to groups of SIGN_IN_ISSUER and can require it, separated by commas. ' +
        'Default: none.',
    ),
  SIGN_IN_PROVIDERS: nonEmpty
    .optional()
    .describe('Path of a JSON file with further OpenID providers for sign-in, each for its own email domains.'),
  SCIM_DOMAINS: domainAccounts
    .optional()
    .describe(
      'Email domains whose users an identity provider provisions with SCIM, each with the account of these users: ' +
        '`acme.example=acme,acme.test=acme`. Default: none, and the SCIM endpoints do not exist.',
    ),
  SIGN_IN_PASSWORDS: toggle
    .default('on')
    .describe('Allow sign-in by password (`on` or `off`). `off` requires SIGN_IN_ISSUER or SIGN_IN_PROVIDERS.'),
};
