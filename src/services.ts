import { pino } from 'pino';
import type { Logger } from 'pino';
import { accessTokenLifeMinutes, accessTokenVerifier } from './access/access-token.js';
import type { TokenSettings } from './access/access-token.js';
import { createAuthenticator } from './access/authenticate.js';
import { verificationKeys } from './access/signing-keys.js';
import type { Config } from './config.js';
import { headerNames } from './context.js';
import type { Services } from './context.js';
import type { OpenDatabase } from './database/open.js';
import { createSeal } from './seal.js';

/** Everything that the process has one of, from its configuration and its database. */
export function createServices(config: Config, database: OpenDatabase, now: () => Date, log: Logger): Services {
  const { db } = database;
  const keys = verificationKeys(db, now, accessTokenLifeMinutes * 60_000);
  return {
    db,
    seal: createSeal(database.secrets),
    authenticator: createAuthenticator(db, accessTokenVerifier(keys, tokenSettings(config), now), now),
    verificationKeys: keys,
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

/** Structured logs on standard output. What holds a credential is never logged. */
export function createLog(level: Config['LOG_LEVEL']): Logger {
  return pino({ level, redact: ['req.headers.authorization', 'headers.authorization', '*.password', '*.secret'] });
}
