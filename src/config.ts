import { z } from 'zod';

const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum));

const httpAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

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
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// or postgresql:// address' })
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
    .default('http://localhost:4000/inference')
    .describe('Global inference address, the start of every metadata.url.'),
  TOKEN_AUDIENCE: z.string().min(1).optional().describe('Audience of access tokens; the issuer when it is not set.'),
  SIGNING_KEY_AGE_DAYS_MAX: wholeNumber(1, 3650)
    .default(30)
    .describe('Age at which the key that signs access tokens is replaced, in days.'),
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
  GEO_COUNTRY_HEADERS: headerList(
    'cf-ipcountry,cloudfront-viewer-country,x-vercel-ip-country,x-country-code,x-appengine-country',
  ).describe('Headers with the country of a viewer (ISO 3166-1 alpha-2), in the order in which they are believed.'),
  GEO_CONTINENT_HEADERS: headerList('cf-ipcontinent,x-vercel-ip-continent,x-continent-code').describe(
    'Headers with the continent of a viewer, two letters. Without one it follows from the country.',
  ),
  GEO_CITY_HEADERS: headerList('cf-ipcity,cloudfront-viewer-city,x-vercel-ip-city,x-city,x-appengine-city').describe(
    'Headers with the city of a viewer.',
  ),
  GRAPHQL_COMPLEXITY_MAX: wholeNumber(1, 10_000_000).default(50000).describe('Highest cost of one GraphQL query.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .describe('Least severe log line to write. Lines are JSON, on standard output.'),
  SHUTDOWN_DELAY_MS: wholeNumber(0, 600_000)
    .default(2000)
    .describe('How long after SIGTERM new requests are still served while /readyz answers 503, in milliseconds.'),
  SHUTDOWN_GRACE_MS: wholeNumber(0, 600_000)
    .default(30000)
    .describe('Time that requests in flight have to finish after SIGTERM, in milliseconds.'),
});

export type Config = Omit<z.output<typeof settings>, 'PUBLIC_URL'> & { PUBLIC_URL: string };

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
  if (config.TRUSTED_ISSUER !== undefined && config.TRUSTED_ISSUER_JWKS_URL === undefined) {
    throw new ConfigError('TRUSTED_ISSUER_JWKS_URL: must be set together with TRUSTED_ISSUER');
  }
  return { ...config, PUBLIC_URL: config.PUBLIC_URL ?? `http://localhost:${config.PORT}` };
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
