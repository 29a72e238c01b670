import { z } from 'zod';
import { changeSettings } from './config/change-settings.js';
import { credentialSettings } from './config/credential-settings.js';
import { databaseSettings } from './config/database-settings.js';
import { graphqlSettings } from './config/graphql-settings.js';
import { loadSettings } from './config/load-settings.js';
import { isNear } from './config/near-name.js';
import { serviceSettings } from './config/service-settings.js';
import { telemetrySettings } from './config/telemetry-settings.js';
import { viewerSettings } from './config/viewer-settings.js';

const settings = z.object({
  ...serviceSettings,
  ...databaseSettings,
  ...credentialSettings,
  ...changeSettings,
  ...viewerSettings,
  ...graphqlSettings,
  ...loadSettings,
  ...telemetrySettings,
});

type Address = 'PUBLIC_URL' | 'INFERENCE_URL';

export type Config = Omit<z.output<typeof settings>, Address> & Record<Address, string>;

/** What is wrong with the environment: one line for each setting, naming it. */
export class ConfigError extends Error {}

/**
 * Reads every setting from an environment. Empty values count as absent.
 *
 * @throws {ConfigError} naming each setting that is not valid, and its rule.
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = settings.safeParse(present);
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.map((issue) => `${issue.path[0]?.toString()}: ${issue.message}`).join('\n'),
    );
  }
  const config = parsed.data;
  if (config.DATABASE_URL !== undefined && config.SERVICE_SECRETS === undefined) {
    throw new ConfigError('SERVICE_SECRETS: must be set together with DATABASE_URL');
  }
  if (config.DATABASE_READ_URL !== undefined && config.DATABASE_URL === undefined) {
    throw new ConfigError('DATABASE_URL: must be set together with DATABASE_READ_URL');
  }
  if (config.TRUSTED_ISSUER !== undefined && config.TRUSTED_ISSUER_JWKS_URL === undefined) {
    throw new ConfigError('TRUSTED_ISSUER_JWKS_URL: must be set together with TRUSTED_ISSUER');
  }
  if (config.TRUSTED_ISSUER === undefined && config.TRUSTED_ISSUER_JWKS_URL !== undefined) {
    throw new ConfigError('TRUSTED_ISSUER: must be set together with TRUSTED_ISSUER_JWKS_URL');
  }
  requireProviderSettings(config);
  if (config.GRAPHQL_DOCUMENTS === 'trusted' && config.GRAPHQL_TRUSTED_DOCUMENTS === undefined) {
    throw new ConfigError('GRAPHQL_TRUSTED_DOCUMENTS: must be set together with GRAPHQL_DOCUMENTS=trusted');
  }
  if (config.PUBLIC_URL?.endsWith('/v0')) {
    throw new ConfigError('PUBLIC_URL: must be given without /v0, which is added where it belongs');
  }
  const publicUrl = config.PUBLIC_URL ?? localAddress(config.PORT);
  return { ...config, PUBLIC_URL: publicUrl, INFERENCE_URL: config.INFERENCE_URL ?? `${publicUrl}/inference` };
}

/** What goes to and comes from a provider opens this service, so it is plain on this machine alone. */
function requireProviderSettings(config: z.output<typeof settings>): void {
  const { SIGN_IN_ISSUER: issuer, SIGN_IN_CLIENT_ID: clientId } = config;
  if (issuer !== undefined && clientId === undefined) {
    throw new ConfigError('SIGN_IN_CLIENT_ID: must be set together with SIGN_IN_ISSUER');
  }
  if (issuer === undefined && (clientId ?? config.SIGN_IN_CLIENT_SECRET) !== undefined) {
    throw new ConfigError('SIGN_IN_ISSUER: must be set together with SIGN_IN_CLIENT_ID and SIGN_IN_CLIENT_SECRET');
  }
  if (issuer === undefined && config.SIGN_IN_PASSWORDS === 'off') {
    throw new ConfigError('SIGN_IN_PASSWORDS: nobody could sign in without SIGN_IN_ISSUER');
  }
  const { protocol, hostname } = new URL(issuer ?? 'https://localhost');
  if (protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname)) {
    throw new ConfigError('SIGN_IN_ISSUER: must be https, but on this machine');
  }
}

/**
 * Warnings about variables whose names are nearly those of settings. They do not stop the start: another program can own a
 * variable such as REDIS_URI.
 */
export function misspeltSettings(environment: Record<string, string | undefined>): string[] {
  const known = Object.keys(settings.shape);
  return Object.keys(environment).flatMap((name) => {
    if (!name.includes('_') || known.includes(name)) return [];
    const meant = known.find((setting) => isNear(name, setting));
    return meant === undefined ? [] : [`${name} is not a setting and is ignored. Did you mean ${meant}?`];
  });
}

/** The same settings on another port, which addresses that follow from the port name as well. */
export function onPort(config: Config, port: number): Config {
  const moved = (address: string) => address.replace(localAddress(config.PORT), localAddress(port));
  return {
    ...config,
    PORT: port,
    PUBLIC_URL: moved(config.PUBLIC_URL),
    INFERENCE_URL: moved(config.INFERENCE_URL),
  };
}

function localAddress(port: number): string {
  return `http://localhost:${port}`;
}

/** Every setting with its description and default, for the documents. */
export function describeSettings(): { name: string; description: string; default: string | undefined }[] {
  return Object.entries(settings.shape).map(([name, schema]) => {
    const fallback = schema.safeParse(undefined);
    return {
      name,
      description: schema.description ?? '',
      default: fallback.success && fallback.data !== undefined ? String(fallback.data) : undefined,
    };
  });
}
