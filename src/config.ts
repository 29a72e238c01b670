import { z } from 'zod';
import { changeSettings } from './config/change-settings.js';
import { credentialSettings, isSafeIssuer } from './config/credential-settings.js';
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

type Settings = z.output<typeof settings>;

type Url = 'PUBLIC_URL' | 'INFERENCE_URL';

export type Config = Omit<Settings, Url> & Record<Url, string>;

/** Invalid settings. The message has one line for each of them. */
export class ConfigError extends Error {}

/**
 * Reads every setting from an environment. Empty values count as absent.
 *
 * @throws {ConfigError} with a line for each invalid setting: its name and the allowed values. It omits the value,
 *   which can be a secret.
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = settings.safeParse(present);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `${issue.path[0]?.toString()}: ${issue.message}`);
    throw new ConfigError([...new Set(lines)].join('\n'));
  }
  const config = parsed.data;
  requireTogether(config, 'DATABASE_URL', 'SERVICE_SECRETS');
  requireTogether(config, 'DATABASE_READ_URL', 'DATABASE_URL');
  requireTogether(config, 'TRUSTED_ISSUER', 'TRUSTED_ISSUER_JWKS_URL');
  requireTogether(config, 'TRUSTED_ISSUER_JWKS_URL', 'TRUSTED_ISSUER');
  requireTogether(config, 'SIGN_IN_ISSUER', 'SIGN_IN_CLIENT_ID');
  requireTogether(config, 'SIGN_IN_CLIENT_ID', 'SIGN_IN_ISSUER');
  requireTogether(config, 'SIGN_IN_CLIENT_SECRET', 'SIGN_IN_ISSUER');
  requireTogether(config, 'SIGN_IN_CREATE_USERS_OF', 'SIGN_IN_ISSUER');
  requireTogether(config, 'SIGN_IN_ACCOUNTS', 'SIGN_IN_ISSUER');
  requireTogether(config, 'SMTP_URL', 'SMTP_FROM');
  requireTogether(config, 'SMTP_FROM', 'SMTP_URL');
  requireProviderSettings(config);
  if (config.GRAPHQL_DOCUMENTS === 'trusted' && config.GRAPHQL_TRUSTED_DOCUMENTS === undefined) {
    throw new ConfigError('GRAPHQL_TRUSTED_DOCUMENTS: must be set if GRAPHQL_DOCUMENTS is trusted');
  }
  const { OTEL_METRICS_EXPORTER: exporter, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: ofMetrics } = config;
  if (exporter === 'otlp' && ofMetrics === undefined && config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) {
    throw new ConfigError(
      'OTEL_METRICS_EXPORTER: requires OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
    );
  }
  if (config.PUBLIC_URL?.endsWith('/v0')) {
    throw new ConfigError('PUBLIC_URL: must not end with /v0, because the service adds it');
  }
  const publicUrl = config.PUBLIC_URL ?? localAddress(config.PORT);
  return { ...config, PUBLIC_URL: publicUrl, INFERENCE_URL: config.INFERENCE_URL ?? `${publicUrl}/inference` };
}

function requireTogether(config: Settings, name: keyof Settings, required: keyof Settings): void {
  if (config[name] === undefined || config[required] !== undefined) return;
  throw new ConfigError(`${required}: must be set if ${name} is set`);
}

function requireProviderSettings(config: Settings): void {
  const { SIGN_IN_ISSUER: issuer, SIGN_IN_PROVIDERS: providers, SIGN_IN_PASSWORDS: passwords } = config;
  if (issuer === undefined && providers === undefined && passwords === 'off') {
    throw new ConfigError(
      'SIGN_IN_PASSWORDS: must be on if neither SIGN_IN_ISSUER nor SIGN_IN_PROVIDERS is set, or no user could sign in',
    );
  }
  if (config.SIGN_IN_CREATE_USERS_OF !== undefined && config.SIGN_IN_USER_CLAIM !== 'email') {
    throw new ConfigError('SIGN_IN_CREATE_USERS_OF: requires that SIGN_IN_USER_CLAIM is email');
  }
  if (issuer !== undefined && !isSafeIssuer(issuer)) {
    throw new ConfigError('SIGN_IN_ISSUER: must be an https:// URL (http:// is allowed for localhost only)');
  }
}

/**
 * Warnings about variables that look like misspelt settings. The service starts all the same, because another program can
 * own a variable such as REDIS_URI.
 */
export function misspeltSettings(environment: Record<string, string | undefined>): string[] {
  const known = Object.keys(settings.shape);
  return Object.keys(environment).flatMap((name) => {
    if (!name.includes('_') || known.includes(name)) return [];
    const meant = known.find((setting) => isNear(name, setting));
    return meant === undefined ? [] : [`${name} is not a setting and is ignored. Did you mean ${meant}?`];
  });
}

/** The same settings on another port, which also replaces the port in the default addresses. */
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

/** Every setting with its description and default, for the docs. */
export function describeSettings(): { name: string; description: string; default: string | undefined }[] {
  return Object.entries(settings.shape).map(([name, { def, description }]) => ({
    name,
    description: description ?? '',
    default: 'defaultValue' in def ? String(def.defaultValue) : undefined,
  }));
}
