// The OpenID providers for sign-in: that of the settings SIGN_IN_…, and those of the file SIGN_IN_PROVIDERS.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { defaultProviderId } from '../auth/sign-in/providers.js';
import type { ProviderSettings } from '../auth/sign-in/provider.js';
import { emailDomainForm, isSafeIssuer, openidScope } from '../config/credential-settings.js';
import { ConfigError } from '../config.js';
import type { Config } from '../config.js';

const setting = 'SIGN_IN_PROVIDERS';

const text = z.string().min(1);

const listedProvider = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/, 'must be 1 to 32 lowercase letters, digits and hyphens')
    .refine(
      (id) => id !== defaultProviderId,
      `must not be ${defaultProviderId}, which is the provider of SIGN_IN_ISSUER`,
    ),
  issuer: z.url().refine(isSafeIssuer, 'must be an https:// URL (http:// is allowed for localhost only)'),
  clientId: text,
  clientSecret: text.optional(),
  name: z.string().trim().min(1).max(40),
  scope: openidScope.default('openid email'),
  userClaim: text.default('email'),
  groupsClaim: text.default('groups'),
  domains: z
    .array(z.string().regex(emailDomainForm, 'must be a domain in lower case, such as example.com'))
    .min(1, 'must have at least one domain'),
  createUsers: z.boolean().default(false),
  accounts: z.array(text).default([]),
});

/**
 * Reads the providers.
 *
 * @param ownIssuer the issuer of this service.
 * @throws {ConfigError} for an invalid file, and if two providers share an id, an issuer or a domain.
 */
export function readSignInProviders(config: Config, ownIssuer: string): ProviderSettings[] {
  const providers = [...providerOfSettings(config), ...providersOfFile(config.SIGN_IN_PROVIDERS)];
  if (providers.some(({ issuer }) => issuer === ownIssuer)) {
    throw new ConfigError('SIGN_IN_ISSUER: must not be this service');
  }
  requireUnique(
    'id',
    providers.map(({ id }) => id),
  );
  requireUnique(
    'issuer',
    providers.map(({ issuer }) => issuer),
  );
  const domains = providers.flatMap((provider) => provider.domains ?? []);
  requireUnique('domain', domains);
  const taken = (config.SIGN_IN_CREATE_USERS_OF ?? []).find((domain) => domains.includes(domain));
  if (taken !== undefined) {
    throw new ConfigError(`SIGN_IN_CREATE_USERS_OF: ${taken} belongs to a provider of ${setting}`);
  }
  return providers;
}

function providerOfSettings(config: Config): ProviderSettings[] {
  const { SIGN_IN_ISSUER: issuer, SIGN_IN_CLIENT_ID: clientId } = config;
  if (issuer === undefined || clientId === undefined) return [];
  return [
    {
      id: defaultProviderId,
      issuer,
      clientId,
      clientSecret: config.SIGN_IN_CLIENT_SECRET,
      name: config.SIGN_IN_NAME ?? new URL(issuer).host,
      scope: config.SIGN_IN_SCOPE,
      userClaim: config.SIGN_IN_USER_CLAIM,
      groupsClaim: config.SIGN_IN_GROUPS_CLAIM,
      domains: undefined,
      createsUsersOf: config.SIGN_IN_CREATE_USERS_OF ?? [],
      accounts: config.SIGN_IN_ACCOUNTS ?? [],
    },
  ];
}

function providersOfFile(path: string | undefined): ProviderSettings[] {
  if (path === undefined) return [];
  const read = z.array(listedProvider).min(1).safeParse(parsed(path));
  if (!read.success) {
    // Issues name the field and the rule, and never a value: it can be a secret.
    const lines = read.error.issues.map(
      ({ path: field, message }) => `${setting}: ${path}: ${field.join('.')} ${message}`,
    );
    throw new ConfigError([...new Set(lines)].join('\n'));
  }
  return read.data.map(({ createUsers, clientSecret, ...provider }) => ({
    ...provider,
    clientSecret,
    createsUsersOf: createUsers ? provider.domains : [],
  }));
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    // The message of a JSON error quotes the file, which has secrets.
    const why = error instanceof SyntaxError ? 'it is not valid JSON' : error instanceof Error ? error.message : '';
    throw new ConfigError(`${setting}: cannot read ${path}: ${why}`);
  }
}

function requireUnique(field: string, values: readonly string[]): void {
  const twice = values.find((value, index) => values.indexOf(value) !== index);
  if (twice !== undefined) throw new ConfigError(`${setting}: two providers have the ${field} ${twice}`);
}
