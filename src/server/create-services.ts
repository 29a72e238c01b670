import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { builtFolder, typefacePath } from '../api/console/files.js';
import { accessTokenLifeMinutes, accessTokenVerifier } from '../auth/access-token.js';
import type { TokenSettings } from '../auth/access-token.js';
import type { ApiKeyLife } from '../auth/api-key-expiry.js';
import type { ApplicationServices } from '../http/open-context.js';
import { createAuthenticator } from '../auth/authenticate.js';
import { createLastUses } from '../auth/last-uses.js';
import { scopes } from '../auth/scopes.js';
import { opensSigningKeys, verificationKeys } from '../auth/signing-keys.js';
import { createLogoutTokenVerifier } from '../auth/sign-in/logout-token.js';
import { createSignInProvider } from '../auth/sign-in/provider.js';
import type { ProviderInfo, SignInProvider } from '../auth/sign-in/provider.js';
import { createTrustedIssuer } from '../auth/trusted-issuer.js';
import type { TrustedIssuer } from '../auth/trusted-issuer.js';
import { createChangeHub } from '../changes/change-hub.js';
import { createDeniedRequests } from '../changes/denied-requests/denied-requests.js';
import { createResolve } from '../webhooks/egress.js';
import { UsageMemory } from '../metering/usage-memory.js';
import { createWorkSubscribers } from '../lifecycle/work-subscribers.js';
import { ConfigError } from '../config.js';
import type { Config } from '../config.js';
import { headerNames } from '../auth/request-headers.js';
import type { Database, OpenDatabase } from '../database/open.js';
import { createEncryption } from '../encryption.js';
import type { Encryption } from '../encryption.js';
import type { ProcessMetrics } from '../telemetry/process-metrics.js';
import { repeats, summedUp } from '../telemetry/repeated-failures.js';
import type { Traces } from '../telemetry/traces.js';
import { createChecks } from './checks.js';
import { opensEncryptedRows } from './encrypted-rows.js';
import { createHttpServices } from './http-services.js';
import type { Services } from './services.js';
import { readSignInProviders } from './sign-in-providers.js';
import { readConsoleDocuments, readTrustedDocuments } from './trusted-documents.js';
import { createTaskRecord } from './task-record.js';
import { version } from './version.js';

/** Maximum difference between the clocks of processes: a process whose clock is behind uses a retired key longer. */
const clockDifferenceMsMax = 10_000;

/** Length of the SQL in the log line of a slow statement (characters). */
const loggedSqlMax = 1_000;

/** Creates the services that application functions use. The command line has only these. */
export function createProcessServices(
  config: Config,
  database: OpenDatabase,
  now: () => Date,
  log: Logger,
): ApplicationServices & Pick<Services, 'db' | 'tokens' | 'egressRules'> {
  return {
    db: database.db,
    now,
    encryption: createEncryption(database.secrets),
    tokens: tokenSettings(config),
    inferenceUrl: config.INFERENCE_URL,
    logsTemplate: config.LOGS_URL,
    serviceName: config.SERVICE_NAME,
    apiKeyLife: apiKeyLife(config),
    platformAccount: config.PLATFORM_ACCOUNT,
    signInProviders: readSignInProviders(config, tokenSettings(config).issuer).map(infoOf),
    provisionedDomains: config.SCIM_DOMAINS,
    changeHub: createChangeHub({
      db: database.changesDb,
      listen: database.listen,
      behindMsMax: config.WATCH_BEHIND_MS_MAX,
      onFailure: (error) => log.warn({ err: error }, 'cannot read changes for subscriptions'),
    }),
    workSubscribers: createWorkSubscribers(database.listen),
    usageMemory: new UsageMemory(),
    egressRules: {
      allowsHttp: config.WEBHOOK_HTTP === 'on',
      allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS ?? [],
      proxy: config.WEBHOOK_PROXY,
      resolve: createResolve(),
    },
  };
}

/** Creates the services of a gateway from its configuration and database. */
export function createServices(
  config: Config,
  database: OpenDatabase,
  now: () => Date,
  log: Logger,
  traces?: Traces,
): Services {
  const ofProcess = createProcessServices(config, database, now, log);
  const { db, tokens, workSubscribers } = ofProcess;
  const keys = verificationKeys(db, now, accessTokenLifeMinutes * 60_000 + clockDifferenceMsMax);
  const verifier = accessTokenVerifier(keys, tokens, now);
  const ofHttp = createHttpServices(config, database, log);
  database.watch(statementWatcher(ofHttp.metrics, config, log, traces));
  ofHttp.metrics.work.waitsBy(workSubscribers.waiting);
  const providers = readSignInProviders(config, tokens.issuer).map((each) => createSignInProvider(each, log));
  const lastUses = createLastUses(database.backgroundDb, now, (error) =>
    log.warn({ err: error }, 'cannot record the last use of API keys'),
  );
  const taskRecord = createTaskRecord(ofHttp.metrics.background);
  return {
    ...ofProcess,
    databaseFor: database.forUser,
    replica: database.replica,
    version,
    taskRecord,
    authenticator: createAuthenticator(db, verifier, trustedIssuer(config, tokens, providers, now, log), now, lastUses),
    lastUses,
    tokenVerifier: verifier,
    verificationKeys: keys,
    signIn: { providers, isByPassword: config.SIGN_IN_PASSWORDS === 'on' },
    isRegistrationOn: config.OAUTH_REGISTRATION === 'on',
    logoutTokens: createLogoutTokenVerifier(providers, now, log),
    clientAddressHeader: config.CLIENT_ADDRESS_HEADER,
    deniedRequests: createDeniedRequests({
      db: database.backgroundDb,
      now,
      onFailure: (error) => log.warn({ err: error }, 'cannot write denied requests into the change log'),
    }),
    log,
    traces,
    headers: headerNames(config.SERVICE_NAME),
    geolocation: config.GEO_HEADERS,
    defaultVersion: config.DEFAULT_API_VERSION,
    publicUrl: config.PUBLIC_URL,
    complexityMax: config.GRAPHQL_COMPLEXITY_MAX,
    operationMsMax: config.GRAPHQL_OPERATION_MS_MAX,
    ...trustedDocuments(config),
    ...ofHttp,
    checks: [...createChecks(database, taskRecord, log, config.PLATFORM_ACCOUNT), ...ofHttp.checks],
    typeface: () => typefacePath(builtFolder, config.PUBLIC_URL),
    examples: {},
  };
}

/**
 * Measures statements. The log names slow statements of requests, without their values. Statements of background tasks
 * delay no caller, so the log has them at the level debug only.
 */
export function statementWatcher(
  { database }: Pick<ProcessMetrics, 'database'>,
  config: Pick<Config, 'ACCESS_LOG_SLOW_MS'>,
  log: Logger,
  traces: Traces | undefined,
): Parameters<OpenDatabase['watch']>[0] {
  return (statement, of) => {
    const { sql, seconds } = statement;
    database.statement(of, seconds);
    traces?.statement(statement, of);
    if (seconds * 1_000 < config.ACCESS_LOG_SLOW_MS) return;
    const text = sql.slice(0, loggedSqlMax);
    if (of === 'background') return log.debug({ sql: text, seconds }, 'slow statement of a background task');
    log.warn({ sql: text, seconds, of, [repeats]: text }, 'slow statement');
  };
}

/** The default and maximum lifetime of API keys. */
function apiKeyLife(config: Config): ApiKeyLife {
  return { daysDefault: config.API_KEY_DAYS_DEFAULT, daysMax: config.API_KEY_DAYS_MAX };
}

/** Issuer and audience of access tokens. */
export function tokenSettings(config: Config): TokenSettings {
  const issuer = `${config.PUBLIC_URL}/v0`;
  return { issuer, audience: config.TOKEN_AUDIENCE ?? issuer };
}

/** If only trusted documents are accepted, those of the console are accepted as well. */
function trustedDocuments({ GRAPHQL_TRUSTED_DOCUMENTS: path, GRAPHQL_DOCUMENTS: which }: Config) {
  const areOnlyTrusted = which === 'trusted';
  const own = areOnlyTrusted ? readConsoleDocuments() : [];
  return { areOnlyTrusted, trustedDocuments: new Map([...own, ...readTrustedDocuments(path)]) };
}

function trustedIssuer(
  config: Config,
  tokens: TokenSettings,
  providers: readonly SignInProvider[],
  now: () => Date,
  log: Logger,
): TrustedIssuer | undefined {
  const {
    TRUSTED_ISSUER: issuer,
    TRUSTED_ISSUER_JWKS_URL: jwksUrl,
    TRUSTED_ISSUER_SCOPES: defaultScopes = [],
  } = config;
  if (issuer === undefined || jwksUrl === undefined) return undefined;
  const unknown = defaultScopes.find((name) => !scopes.includes(name));
  if (unknown !== undefined)
    throw new ConfigError(`TRUSTED_ISSUER_SCOPES: ${unknown} is not a scope. Allowed: ${scopes.join(' ')}`);
  if (issuer === tokens.issuer)
    throw new ConfigError('TRUSTED_ISSUER: must not be this service, whose own tokens are always accepted');
  const audience = config.TRUSTED_ISSUER_AUDIENCE ?? tokens.audience;
  const claims = { userClaim: config.TRUSTED_ISSUER_USER_CLAIM, accountClaim: config.TRUSTED_ISSUER_ACCOUNT_CLAIM };
  const signInProvider = providers.find((provider) => provider.issuer === issuer)?.id ?? null;
  return createTrustedIssuer({ issuer, jwksUrl, audience, defaultScopes, signInProvider, ...claims }, now, log);
}

/** A provider without what only the sign-in needs. */
function infoOf({ id, issuer, name, groupsClaim, domains, createsUsersOf, accounts }: ProviderInfo): ProviderInfo {
  return { id, issuer, name, groupsClaim, domains, createsUsersOf, accounts };
}

/**
 * Structured logs on standard output. Credentials are redacted, and repeated failures are summarized.
 */
export function createLog(level: Config['LOG_LEVEL'], destination: DestinationStream = pino.destination(1)): Logger {
  const redact = ['req.headers.authorization', 'headers.authorization', '*.password', '*.secret'];
  return pino({ level, redact, hooks: summedUp() }, destination);
}

/**
 * Prevents a start with the wrong secrets, before anything is encrypted with them. Other processes could not decrypt
 * it, and this process could not decrypt their data.
 *
 * @throws {ConfigError} if the secrets do not decrypt the signing keys or, without signing keys, other encrypted rows.
 */
export async function requireSecrets(db: Database, encryption: Encryption, now: Date): Promise<void> {
  if ((await opensSigningKeys(db, encryption, now)) ?? (await opensEncryptedRows(db, encryption))) return;
  throw new ConfigError(
    'SERVICE_SECRETS: none of the secrets decrypts the data in this database. Set the secrets that encrypted it',
  );
}
