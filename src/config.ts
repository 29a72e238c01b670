import { z } from 'zod';

const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum));

const httpAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

const sslModes = [null, 'disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

const databaseAddress = z
  .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// or postgresql:// address' })
  .refine(
    (url) => !URL.canParse(url) || sslModes.includes(new URL(url).searchParams.get('sslmode')),
    'has an sslmode that there is not',
  );

const headerList = (names: string) =>
  z
    .string()
    .regex(/^[\w-]+(\s*,\s*[\w-]+)*$/, 'must be header names, separated by commas')
    .transform((list) => list.split(',').map((name) => name.trim().toLowerCase()))
    .prefault(names);

const trimmedAddress = httpAddress.transform((address) => address.replace(/\/+$/, ''));

/** Whether they exist is told where scopes are known. */
const scopeList = z.string().transform((list) => list.split(/[\s,]+/).filter((name) => name !== ''));

/** A calendar date that exists, as the version header takes it (decision 4). */
const isoDate = z.iso.date();

const settings = z.object({
  HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on.'),
  PORT: wholeNumber(0, 65535).default(4000).describe('Port to listen on; 0 takes a free one.'),
  DATABASE_URL: databaseAddress
    .optional()
    .describe('PostgreSQL server. Without it the database is embedded and kept in DATA_DIR.'),
  DATABASE_POOL_SIZE: wholeNumber(1, 500).default(10).describe('Connections to PostgreSQL for each process.'),
  DATABASE_STATEMENT_TIMEOUT_MS: wholeNumber(100, 600_000)
    .default(15000)
    .describe('Longest time for one SQL statement, in milliseconds; above it the answer is 504.'),
  DATABASE_PREPARED_STATEMENTS: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'Whether statements are prepared; "off" for a pooler that hands a connection from one client to another.',
    ),
  DATABASE_LOCK_TIMEOUT_MS: wholeNumber(100, 600_000)
    .default(5000)
    .describe('Longest time that a statement waits for a lock that another one holds, in milliseconds.'),
  DATABASE_POOLER: z
    .enum(['none', 'transaction'])
    .default('none')
    .describe(
      'What stands between this process and the server: "transaction" for a pooler (PgBouncer) that gives a connection ' +
        'for one transaction. Sessions then take their time zone and limits from the role.',
    ),
  DATABASE_MIGRATION_URL: databaseAddress
    .optional()
    .describe('Address for migrations: past a pooler, or as a role that may create tables. DATABASE_URL by default.'),
  DATABASE_READ_URL: databaseAddress
    .optional()
    .describe(
      'A streaming replica of DATABASE_URL, one server, of which lists and metrics are read while it is fresh enough.',
    ),
  DATABASE_READ_STALE_MS_MAX: wholeNumber(1_000, 600_000)
    .default(5_000)
    .describe('How old what is read of the replica may be, in milliseconds; else the database itself is read.'),
  DATA_DIR: z.string().min(1).default('data').describe('Folder of the embedded database.'),
  SERVICE_SECRETS: z
    .string()
    .transform((list) => list.split(',').map((secret) => secret.trim()))
    .pipe(z.array(z.string().min(32, 'must hold secrets of at least 32 characters, separated by commas')).min(1))
    .optional()
    .describe(
      'Secrets that seal cursors and signing keys, separated by commas: the first one seals, all of them open. ' +
        'Required with DATABASE_URL; an embedded database keeps one of its own in DATA_DIR.',
    ),
  SERVICE_NAME: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be letters, digits and hyphens, starting with a letter')
    .default('Service')
    .describe('Operator name in header names: <Name>-Version, X-<Name>-Workspace, X-<Name>-Authorization.'),
  DEFAULT_API_VERSION: isoDate
    .default('2026-04-27')
    .describe('Version that applies when a request names none; before 2026-04-28 lists are bare arrays.'),
  PUBLIC_URL: trimmedAddress
    .optional()
    .describe(
      'Address by which clients reach this service, by default http://localhost:PORT. ' +
        'The issuer of access tokens is this with /v0.',
    ),
  INFERENCE_URL: trimmedAddress
    .optional()
    .describe('Global inference address, the start of every metadata.url; by default PUBLIC_URL with /inference.'),
  TOKEN_AUDIENCE: z.string().min(1).optional().describe('Audience of access tokens; the issuer when it is not set.'),
  API_KEY_DAYS_DEFAULT: wholeNumber(1, 3650)
    .default(365)
    .describe('How long an API key works that was made without saying until when, in days.'),
  API_KEY_DAYS_MAX: wholeNumber(1, 3650)
    .optional()
    .describe('How long an API key works at most, in days. Without it one may be made that never ends.'),
  SIGNING_KEY_AGE_DAYS_MAX: wholeNumber(1, 3650)
    .default(30)
    .describe('Age at which the key that signs access tokens is replaced, in days.'),
  CHANGE_RETENTION_DAYS: wholeNumber(1, 36_500)
    .default(90)
    .describe('How long changes are kept in the history, in days. The events of what exists stay.'),
  WATCHERS_PER_ACCOUNT_MAX: wholeNumber(1, 1_000_000)
    .default(1000)
    .describe('Watches of changes that a process holds open at the same time for one account; more are answered 429.'),
  WATCH_HEARTBEAT_MS: wholeNumber(100, 50_000)
    .default(10_000)
    .describe('How often a watch of changes is sent a sign of life, in milliseconds: less than proxies wait.'),
  WATCH_BEHIND_MS_MAX: wholeNumber(100, 600_000)
    .default(15_000)
    .describe('How long a watch may be behind whose client does not read before it is ended, in milliseconds.'),
  WEBHOOK_HTTP: z
    .enum(['refused', 'allowed'])
    .default('refused')
    .describe('Whether webhooks may lead to plain http addresses; https is always allowed.'),
  WEBHOOK_ALLOWED_NETWORKS: z
    .string()
    .transform((list) => list.split(',').flatMap((range) => (range.trim() === '' ? [] : [range.trim()])))
    .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], 'must be networks such as 10.20.0.0/16, separated by commas')))
    .optional()
    .describe('Networks, separated by commas, that webhooks may lead to although they are not of the public Internet.'),
  WEBHOOK_PROXY: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional()
    .describe('HTTP proxy through which webhooks are sent (CONNECT); it may name a user and a password.'),
  WEBHOOK_DELIVERY_RETENTION_DAYS: wholeNumber(4, 3650)
    .default(30)
    .describe('How long deliveries of webhooks are listed, in days.'),
  CLIENT_ADDRESS_HEADER: z
    .string()
    .regex(/^[\w-]+$/, 'must be the name of a header')
    .toLowerCase()
    .optional()
    .describe(
      'Header in which the network in front of the service tells the address of a client, such as X-Forwarded-For; ' +
        'of several addresses the last one counts. Without it, that of the connection counts.',
    ),
  TRUSTED_ISSUER: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional()
    .describe('Another issuer whose access tokens are accepted, exactly as its tokens name it in `iss`.'),
  TRUSTED_ISSUER_JWKS_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional()
    .describe('Where its public keys are (JWKS). Required with TRUSTED_ISSUER.'),
  TRUSTED_ISSUER_AUDIENCE: z
    .string()
    .min(1)
    .optional()
    .describe('Audience that its tokens must have; that of tokens of this service when it is not set.'),
  TRUSTED_ISSUER_USER_CLAIM: z
    .string()
    .min(1)
    .default('email')
    .describe('Claim that holds the name of the user here. An `email` must be verified (`email_verified`).'),
  TRUSTED_ISSUER_ACCOUNT_CLAIM: z
    .string()
    .min(1)
    .default('account')
    .describe('Claim that holds the name of the account here; only users of several accounts need it.'),
  TRUSTED_ISSUER_SCOPES: scopeList
    .optional()
    .describe(
      'Scopes, separated by spaces, of those of its tokens that have neither `scope` nor `scp`; none by default.',
    ),
  SIGN_IN_ISSUER: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional()
    .describe('OpenID provider by which people sign in on the pages, as it names itself; https but on this machine.'),
  SIGN_IN_CLIENT_ID: z.string().min(1).optional().describe('This service at that provider. Required with it.'),
  SIGN_IN_CLIENT_SECRET: z.string().min(1).optional().describe('Its secret there; none for a public client.'),
  SIGN_IN_NAME: z.string().trim().min(1).max(40).optional().describe('What the button says; its host by default.'),
  SIGN_IN_SCOPE: z
    .string()
    .regex(/(^| )openid( |$)/, 'must be scopes, separated by spaces, openid among them')
    .default('openid email')
    .describe('What is asked of the provider.'),
  SIGN_IN_USER_CLAIM: z
    .string()
    .min(1)
    .default('email')
    .describe('Claim that holds the name of the user here. An `email` must be verified (`email_verified`).'),
  SIGN_IN_PASSWORDS: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether people sign in by password, beside the provider; "off" needs one.'),
  GEO_COUNTRY_HEADERS: headerList(
    'cf-ipcountry,cloudfront-viewer-country,x-vercel-ip-country,x-country-code,x-appengine-country',
  ).describe('Headers with the country of a viewer (ISO 3166-1 alpha-2), in the order in which they are believed.'),
  GEO_CONTINENT_HEADERS: headerList('cf-ipcontinent,x-vercel-ip-continent,x-continent-code').describe(
    'Headers with the continent of a viewer, two letters. Without one it follows from the country.',
  ),
  GEO_CITY_HEADERS: headerList('cf-ipcity,cloudfront-viewer-city,x-vercel-ip-city,x-city,x-appengine-city').describe(
    'Headers with the city of a viewer.',
  ),
  GEO_SUBDIVISION_HEADERS: headerList(
    'cf-region,cloudfront-viewer-country-region-name,x-vercel-ip-country-region,x-region,x-appengine-region',
  ).describe('Headers with the state or province of a viewer, by name or code: it tells cities of one name apart.'),
  GEO_LATITUDE_HEADERS: headerList(
    'cf-iplatitude,cloudfront-viewer-latitude,x-vercel-ip-latitude,x-latitude,x-appengine-citylatlong',
  ).describe('Headers with the latitude of a viewer in degrees, or with latitude and longitude and a comma between.'),
  GEO_LONGITUDE_HEADERS: headerList(
    'cf-iplongitude,cloudfront-viewer-longitude,x-vercel-ip-longitude,x-longitude,x-appengine-citylatlong',
  ).describe(
    'Headers with the longitude of a viewer, likewise. Country, state and city count where they are not sent.',
  ),
  GRAPHQL_COMPLEXITY_MAX: wholeNumber(1, 10_000_000).default(50000).describe('Highest cost of one GraphQL query.'),
  GRAPHQL_TRUSTED_DOCUMENTS: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File of GraphQL documents that clients may name by their ids: an object of texts by id, as relay-compiler writes ' +
        'it, or Apollo’s manifest.',
    ),
  GRAPHQL_DOCUMENTS: z
    .enum(['any', 'trusted'])
    .default('any')
    .describe('Which GraphQL documents are run: any, or those of GRAPHQL_TRUSTED_DOCUMENTS alone.'),
  GRAPHQL_OPERATION_MS_MAX: wholeNumber(100, 600_000)
    .default(20000)
    .describe('Longest time for one GraphQL operation, in milliseconds; above it the answer is 504.'),
  REQUESTS_IN_FLIGHT_MAX: wholeNumber(1, 100_000)
    .default(64)
    .describe('Requests that a process works on at the same time; more than that wait their turn.'),
  REQUESTS_WAITING_MAX: wholeNumber(0, 1_000_000)
    .default(1000)
    .describe('Requests that wait their turn; more than that are answered 503 at once.'),
  REQUEST_WAIT_MS_MAX: wholeNumber(1, 600_000)
    .default(700)
    .describe('How long a request waits its turn before it is answered 503, in milliseconds.'),
  KEEP_ALIVE_MS: wholeNumber(0, 3_600_000)
    .default(75_000)
    .describe(
      'How long a connection without a request is kept, in milliseconds: longer than a load balancer keeps it.',
    ),
  STALLED_MS_MAX: wholeNumber(1_000, 3_600_000)
    .default(60_000)
    .describe(
      'How long a connection is kept on which nothing moves, such as one whose client does not read, in milliseconds.',
    ),
  RATE_LIMIT_REQUESTS: wholeNumber(0, 999_999_999)
    .default(600_000)
    .describe('Requests of one credential in a minute; an account has four times as many. 0 is without a limit.'),
  RATE_LIMIT_COST: wholeNumber(0, 999_999_999)
    .default(500_000_000)
    .describe(
      'Cost of GraphQL operations of one credential in a minute; an account has four times as much. 0: no limit.',
    ),
  RATE_LIMIT_USAGE_EVENTS: wholeNumber(0, 999_999_999)
    .default(10_000_000)
    .describe('Usage events of one credential in a minute; an account has four times as many. 0 is without a limit.'),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// address' })
    .optional()
    .describe(
      'Where rates are counted for all processes together. Without it, or while it is away, each counts its own.',
    ),
  CORS_ORIGINS: z
    .string()
    .transform((list) => list.split(',').flatMap((origin) => (origin.trim() === '' ? [] : [origin.trim()])))
    .pipe(
      z.array(
        z
          .string()
          .regex(/^(\*|https?:\/\/[^/\s]+)$/, 'must be origins such as https://dash.example.com, separated by commas'),
      ),
    )
    .optional()
    .describe('Origins whose pages may call this service from a browser, separated by commas; * is any.'),
  ACCESS_LOG: z
    .enum(['off', 'slow', 'failed', 'all'])
    .default('failed')
    .describe('Requests with a line in the log: none, slow and failed ones, refused ones too, or all.'),
  ACCESS_LOG_SLOW_MS: wholeNumber(1, 600_000)
    .default(1000)
    .describe('From which duration on a request, or a statement, is slow, in milliseconds.'),
  METRICS_HOST: z.string().min(1).default('127.0.0.1').describe('Address on which measurements are answered.'),
  METRICS_PORT: wholeNumber(0, 65535)
    .optional()
    .describe('Port on which Prometheus reads measurements at /metrics; none without it, 0 takes a free one.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: trimmedAddress
    .optional()
    .describe(
      'Collector of OpenTelemetry to which traces are sent, at /v1/traces below it (OTLP over HTTP); none without it.',
    ),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(\d|\d?\.\d{1,9})$/, 'must be a number from 0 to 1')
    .transform(Number)
    .pipe(z.number().max(1, 'must be a number from 0 to 1'))
    .default(1)
    .describe('Share of the traces beginning here that is sent, from 0 to 1. What a caller has sampled is sent.'),
  OTEL_SERVICE_NAME: z.string().min(1).default('workload-control-plane').describe('Name of this service in traces.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .describe('Least severe log line to write. Lines are JSON, on standard output.'),
  SHUTDOWN_DELAY_MS: wholeNumber(0, 600_000)
    .default(2000)
    .describe('How long after SIGTERM new requests are still served while /readyz answers 503, in milliseconds.'),
  SHUTDOWN_GRACE_MS: wholeNumber(0, 600_000)
    .default(20000)
    .describe('Time that requests in flight have to finish after SIGTERM, in milliseconds.'),
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
  requireNoMisspelt(Object.keys(environment));
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

/** A misspelt name would count as absent, and another database be opened than the one that is meant. */
function requireNoMisspelt(names: string[]): void {
  const known = Object.keys(settings.shape);
  for (const name of names) {
    const meant = name.includes('_') && !known.includes(name) && known.find((each) => isNear(name, each));
    if (meant) throw new ConfigError(`${name}: there is no such setting; ${meant} may be meant`);
  }
}

/** Whether one text becomes the other by leaving out one letter, putting one in, changing one, or swapping two. */
function isNear(one: string, other: string): boolean {
  const [short = '', long = ''] = one.length < other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return false;
  let start = 0;
  while (start < short.length && short[start] === long[start]) start++;
  const isSwapped = short[start] === long[start + 1] && short[start + 1] === long[start];
  const rests =
    short.length === long.length
      ? [
          short.slice(start + 1) === long.slice(start + 1),
          isSwapped && short.slice(start + 2) === long.slice(start + 2),
        ]
      : [short.slice(start) === long.slice(start + 1)];
  return rests.includes(true);
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
