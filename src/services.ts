import { pino } from 'pino';
import type { Logger } from 'pino';
import { accessTokenLifeMinutes, accessTokenVerifier } from './access/access-token.js';
import type { TokenSettings } from './access/access-token.js';
import { createAuthenticator } from './access/authenticate.js';
import { scopes } from './access/scopes.js';
import { verificationKeys } from './access/signing-keys.js';
import { createTrustedIssuer } from './access/trusted-issuer.js';
import type { TrustedIssuer } from './access/trusted-issuer.js';
import { ConfigError } from './config.js';
import type { Config } from './config.js';
import { headerNames } from './context.js';
import type { Services } from './context.js';
import type { OpenDatabase } from './database/open.js';
import { createSeal } from './seal.js';

/** A process whose clock is behind signs with a retired key for that much longer. */
const clockDifferenceMsMax = 10_000;

/** Everything that the process has one of, from its configuration and its database. */
export function createServices(config: Config, database: OpenDatabase, now: () => Date, log: Logger): Services {
  const { db } = database;
  const tokens = tokenSettings(config);
  const keys = verificationKeys(db, now, accessTokenLifeMinutes * 60_000 + clockDifferenceMsMax);
  const verifier = accessTokenVerifier(keys, tokens, now);
  return {
    db,
    seal: createSeal(database.secrets),
    authenticator: createAuthenticator(db, verifier, trustedIssuer(config, tokens, now, log), now, log),
    tokens,
    tokenVerifier: verifier,
    verificationKeys: keys,
    clientAddressHeader: config.CLIENT_ADDRESS_HEADER,
    now,
    log,
    headers: headerNames(config.SERVICE_NAME),
    geolocation: {
      country: config.GEO_COUNTRY_HEADERS,
      continent: config.GEO_CONTINENT_HEADERS,
      city: config.GEO_CITY_HEADERS,
    },
    defaultVersion: config.DEFAULT_API_VERSION,
    publicUrl: config.PUBLIC_URL,
    inferenceUrl: config.INFERENCE_URL,
    complexityMax: config.GRAPHQL_COMPLEXITY_MAX,
    examples: {},
  };
}

/** Issuer and audience of access tokens. */
export function tokenSettings(config: Config): TokenSettings {
  const issuer = `${config.PUBLIC_URL}/v0`;
  return { issuer, audience: config.TOKEN_AUDIENCE ?? issuer };
}

function trustedIssuer(config: Config, tokens: TokenSettings, now: () => Date, log: Logger): TrustedIssuer | undefined {
  const {
    TRUSTED_ISSUER: issuer,
    TRUSTED_ISSUER_JWKS_URL: jwksUrl,
    TRUSTED_ISSUER_SCOPES: defaultScopes = [],
  } = config;
  if (issuer === undefined || jwksUrl === undefined) return undefined;
  const unknown = defaultScopes.find((name) => !scopes.includes(name));
  if (unknown !== undefined) throw new ConfigError(`TRUSTED_ISSUER_SCOPES: there is no scope ${unknown}`);
  if (issuer === tokens.issuer) throw new ConfigError('TRUSTED_ISSUER: must be another one than this service');
  const audience = config.TRUSTED_ISSUER_AUDIENCE ?? tokens.audience;
  const claims = { userClaim: config.TRUSTED_ISSUER_USER_CLAIM, accountClaim: config.TRUSTED_ISSUER_ACCOUNT_CLAIM };
  return createTrustedIssuer({ issuer, jwksUrl, audience, defaultScopes, ...claims }, now, log);
}

/** Structured logs on standard output. What holds a credential is never logged. */
export function createLog(level: Config['LOG_LEVEL']): Logger {
  return pino({ level, redact: ['req.headers.authorization', 'headers.authorization', '*.password', '*.secret'] });
}
