// The OpenID providers for sign-in: that of the settings SIGN_IN_…, and those of the file SIGN_IN_PROVIDERS.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { defaultProviderId } from '../auth/sign-in/provider-callback.js';
import { provisionedGroups } from '../auth/sign-in/providers.js';
import type { ProviderSettings } from '../auth/sign-in/provider.js';
import { emailDomainForm, isSafeIssuer, openidScope } from '../config/credential-settings.js';
import { ConfigError } from '../config.js';
import type { Config } from '../config.js';

const setting = 'SIGN_IN_PROVIDERS';

const rules = {
  text: 'must be a string that is not empty',
  id: 'must be 1 to 32 lowercase letters, digits and hyphens',
  issuer: 'must be an https:// URL (http:// is allowed for localhost only)',
  name: 'must be a string of 1 to 40 characters',
  domain: 'must be a domain in lower case, such as example.com',
  domains: 'must be a list of at least one domain',
};

const text = z.string(rules.text).min(1, rules.text);

const listedProvider = z.strictObject(
  {
    id: z
      .string(rules.id)
      .regex(/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/, rules.id)
      .refine(
        (id) => id !== defaultProviderId,
        `must not be ${defaultProviderId}, which is the provider of SIGN_IN_ISSUER`,
      )
      .refine(
        (id) => id !== provisionedGroups,
        `must not be ${provisionedGroups}, which stands for provisioned groups`,
      ),
    issuer: z.url({ error: rules.issuer, abort: true }).refine(isSafeIssuer, rules.issuer),
    clientId: text,
    clientSecret: text.optional(),
    name: z.string(rules.name).trim().min(1, rules.name).max(40, rules.name),
    scope: openidScope.default('openid email'),
    userClaim: text.default('email'),
    groupsClaim: text.default('groups'),
    domains: z.array(z.string(rules.domain).regex(emailDomainForm, rules.domain), rules.domains).min(1, rules.domains),
    createUsers: z.boolean('must be true or false').default(false),
    accounts: z.array(text, 'must be a list of account names').default([]),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `has the unknown field ${issue.keys.join(', ')}` : 'must be an object',
  },
);

const atLeastOne = 'must be a list of at least one provider';
const providerList = z.array(listedProvider, atLeastOne).min(1, atLeastOne);

/**
 * Reads the providers.
 *
 * @param ownIssuer the issuer of this service.
 * @throws {ConfigError} for an invalid file, and if two providers share an id, an issuer or a domain.
 */
export function readSignInProviders(config: Config, ownIssuer: string): ProviderSettings[] {
  const providers = [...providerOfSettings(config), ...providersOfFile(config.SIGN_IN_PROVIDERS)];
  const own = providers.find(({ issuer }) => issuer === ownIssuer);
  if (own !== undefined) {
    const name = own.id === defaultProviderId ? 'SIGN_IN_ISSUER' : `${setting}: the issuer of ${own.id}`;
    throw new ConfigError(`${name}: must not be this service`);
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
  const read = providerList.safeParse(parsed(path));
  if (!read.success) {
    // Issues name the field and the rule, and never a value: it can be a secret.
    const lines = read.error.issues.map(
      ({ path: field, message }) => `${setting}: ${path}: ${[field.join('.'), message].filter(Boolean).join(' ')}`,
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
