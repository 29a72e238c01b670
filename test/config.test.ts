import { readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ConfigError, describeSettings, misspeltSettings, onPort, readConfig } from '../src/config.js';

const secret = 'a secret that is long enough to encrypt with';

describe('readConfig', () => {
  it('requires nothing: the database is embedded, and every setting has a default', () => {
    expect(readConfig({})).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 4000,
      DATA_DIR: 'data',
      SERVICE_NAME: 'Service',
      DEFAULT_API_VERSION: '2026-04-27',
      PUBLIC_URL: 'http://localhost:4000',
      INFERENCE_URL: 'http://localhost:4000/inference',
      GRAPHQL_COMPLEXITY_MAX: 50_000,
    });
  });

  it('treats an empty value as absent', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '', SERVICE_SECRETS: '' })).toEqual(readConfig({}));
  });

  it('ignores variables that are not settings', () => {
    expect(readConfig({ PATH: '/bin', CONSTRUCTOR: 'x' })).toEqual(readConfig({}));
  });

  it.each([
    ['DATABASE_ULR', 'DATABASE_URL'],
    ['DATABASE_URLS', 'DATABASE_URL'],
    ['SERVICE_SECRET', 'SERVICE_SECRETS'],
    ['PUBLIC_URI', 'PUBLIC_URL'],
    ['REDIS_URI', 'REDIS_URL'],
  ])('warns about %s, which is nearly %s, and starts', (name, meant) => {
    expect(misspeltSettings({ [name]: 'x' })).toEqual([
      `${name} is not a setting and is ignored. Did you mean ${meant}?`,
    ]);
    expect(readConfig({ [name]: 'x' })).toEqual(readConfig({}));
  });

  it('does not warn about variables of other programs', () => {
    const names = [
      'HOME',
      'PORTS',
      'TEST_DATABASE_URL',
      'KUBERNETES_SERVICE_PORT',
      'SERVICE_PORT',
      'LOG_LEVELS_OF_ALL',
    ];
    for (const name of names) expect(misspeltSettings({ [name]: 'x' })).toEqual([]);
  });

  it('adapts only the addresses that depend on the port', () => {
    const moved = onPort(readConfig({ PORT: '0', INFERENCE_URL: 'https://run.example.com' }), 8080);
    expect(moved).toMatchObject({
      PORT: 8080,
      PUBLIC_URL: 'http://localhost:8080',
      INFERENCE_URL: 'https://run.example.com',
    });
    expect(onPort(readConfig({ PORT: '0' }), 8080).INFERENCE_URL).toBe('http://localhost:8080/inference');
  });

  it('accepts random secrets of any alphabet', () => {
    for (let turn = 0; turn < 1_000; turn++) {
      for (const encoding of ['hex', 'base64'] as const) {
        const random = randomBytes(encoding === 'hex' ? 16 : 24).toString(encoding);
        expect(readConfig({ SERVICE_SECRETS: random }).SERVICE_SECRETS).toEqual([random]);
      }
    }
  });

  it('accepts several secrets, trimmed, in their order', () => {
    const { SERVICE_SECRETS } = readConfig({ SERVICE_SECRETS: ` ${secret} , ${secret} too` });
    expect(SERVICE_SECRETS).toEqual([secret, `${secret} too`]);
  });

  it('uses PORT in PUBLIC_URL, and drops trailing slashes of addresses', () => {
    expect(readConfig({ PORT: '8080' }).PUBLIC_URL).toBe('http://localhost:8080');
    expect(readConfig({ PUBLIC_URL: 'https://api.example.com//' }).PUBLIC_URL).toBe('https://api.example.com');
    expect(readConfig({ INFERENCE_URL: 'https://run.example.com/' }).INFERENCE_URL).toBe('https://run.example.com');
  });

  it('requires secrets with a PostgreSQL server', () => {
    const DATABASE_URL = 'postgres://127.0.0.1/control';
    expect(() => readConfig({ DATABASE_URL })).toThrow('SERVICE_SECRETS: must be set if DATABASE_URL is set');
    expect(readConfig({ DATABASE_URL, SERVICE_SECRETS: secret }).DATABASE_URL).toBe(DATABASE_URL);
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', 'http'],
    ['PORT', ' '],
    ['PORT', '0x50'],
    ['PORT', '1e3'],
    ['DATABASE_POOL_SIZE', '0'],
    ['DATABASE_STATEMENT_TIMEOUT_MS', '99'],
    ['DATABASE_URL', 'mysql://127.0.0.1/control'],
    ['DATABASE_URL', 'control'],
    ['SERVICE_SECRETS', 'short'],
    ['SERVICE_SECRETS', `${secret},short`],
    ['SERVICE_SECRETS', `${secret},`],
    ['SERVICE_SECRETS', 'change-me-change-me-change-me-change-me'],
    ['SERVICE_SECRETS', 'please CHANGE ME to a long and random secret'],
    ['SERVICE_SECRETS', 'a'.repeat(40)],
    ['SERVICE_SECRETS', '0123456789abcdef0123456789abcdef'],
    ['SERVICE_SECRETS', 'abcdefghijklmnopqrstuvwxyz0123456789'],
    ['SERVICE_SECRETS', 'zyxwvutsrqponmlkjihgfedcba9876543210'],
    ['SERVICE_SECRETS', 'aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789'],
    ['SERVICE_SECRETS', `${secret},${'secret'.repeat(8)}`],
    ['DATABASE_URL', 'postgres://127.0.0.1/control?sslmode=requre'],
    ['SERVICE_NAME', 'Two Words'],
    ['SERVICE_NAME', '1st'],
    ['SERVICE_NAME', 'A:b'],
    ['DEFAULT_API_VERSION', '2026-02-30'],
    ['DEFAULT_API_VERSION', 'latest'],
    ['PUBLIC_URL', 'ftp://example.com'],
    ['PUBLIC_URL', 'example.com'],
    ['PUBLIC_URL', 'https://api.example.com/v0/'],
    ['INFERENCE_URL', 'run'],
    ['GRAPHQL_COMPLEXITY_MAX', '0'],
    ['LOG_LEVEL', 'loud'],
    ['SIGN_IN_ISSUER', 'login'],
    ['SIGN_IN_SCOPE', 'email openidx'],
    ['SIGN_IN_PASSWORDS', 'none'],
    ['OAUTH_REGISTRATION', 'true'],
    ['SIGN_IN_CREATE_USERS_OF', 'Acme.example'],
    ['SIGN_IN_CREATE_USERS_OF', '@acme.example'],
    ['SIGN_IN_CREATE_USERS_OF', 'acme.example;globex.example'],
    ['SIGN_IN_CREATE_USERS_OF', '*.acme.example'],
    ['SHUTDOWN_GRACE_MS', '-1'],
    ['GEO_HEADERS', 'akamai'],
    ['GEO_HEADERS', 'country'],
    ['GEO_HEADERS', 'planet=x-planet'],
    ['WEBHOOK_HTTP', 'allowed'],
    ['OTEL_METRICS_EXPORTER', 'prometheus'],
    ['OTEL_METRICS_EXPORTER', 'otlp'],
    ['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', 'collector'],
    ['OTEL_METRIC_EXPORT_INTERVAL', '10'],
  ])('rejects %s=%j in one line that names it', (name, value) => {
    const others = name === 'DATABASE_URL' ? { SERVICE_SECRETS: secret } : {};
    expect(() => readConfig({ ...others, [name]: value })).toThrow(ConfigError);
    expect(() => readConfig({ ...others, [name]: value })).toThrow(new RegExp(`^${name}: [^\\n]+$`));
  });

  it.each([
    ['DATABASE_POOL_SIZE', 'must be a whole number from 1 to 500'],
    ['ACCESS_LOG', 'must be off, slow, failed or all'],
    ['SIGN_IN_PASSWORDS', 'must be on or off'],
    ['DEFAULT_API_VERSION', 'must be a date in the form YYYY-MM-DD'],
    ['SIGN_IN_CREATE_USERS_OF', 'must be domains in lower case such as example.com, separated by commas'],
    ['CORS_ORIGINS', 'must be * or origins such as https://dash.example.com, separated by commas'],
  ])('states the allowed values of %s once', (name, rule) => {
    expect(() => readConfig({ [name]: 'x,y' })).toThrow(new ConfigError(`${name}: ${rule}`));
  });

  it('ignores location headers, unless GEO_HEADERS names the network that sends them', () => {
    const none = { country: [], continent: [], subdivision: [], city: [], latitude: [], longitude: [] };
    expect(readConfig({}).GEO_HEADERS).toEqual(none);
    expect(readConfig({ GEO_HEADERS: 'cloudflare' }).GEO_HEADERS.country).toEqual(['cf-ipcountry']);
    expect(readConfig({ GEO_HEADERS: 'country=X-Country, city=x-city,city=x-town' }).GEO_HEADERS).toEqual({
      ...none,
      country: ['x-country'],
      city: ['x-city', 'x-town'],
    });
  });

  it.each([
    [{ SIGN_IN_ISSUER: 'https://login.example.com' }, 'SIGN_IN_CLIENT_ID: must be set if SIGN_IN_ISSUER is set'],
    [{ SIGN_IN_CLIENT_ID: 'x' }, 'SIGN_IN_ISSUER: must be set if SIGN_IN_CLIENT_ID is set'],
    [{ SIGN_IN_CLIENT_SECRET: 'x' }, 'SIGN_IN_ISSUER: must be set if SIGN_IN_CLIENT_SECRET is set'],
    [
      { SIGN_IN_PASSWORDS: 'off' },
      'SIGN_IN_PASSWORDS: must be on if neither SIGN_IN_ISSUER nor SIGN_IN_PROVIDERS is set, or no user could sign in',
    ],
    [{ SIGN_IN_CREATE_USERS_OF: 'acme.example' }, 'SIGN_IN_ISSUER: must be set if SIGN_IN_CREATE_USERS_OF is set'],
    [{ SIGN_IN_ACCOUNTS: 'acme' }, 'SIGN_IN_ISSUER: must be set if SIGN_IN_ACCOUNTS is set'],
    [
      {
        SIGN_IN_ISSUER: 'https://login.example.com',
        SIGN_IN_CLIENT_ID: 'x',
        SIGN_IN_USER_CLAIM: 'sub',
        SIGN_IN_CREATE_USERS_OF: 'acme.example',
      },
      'SIGN_IN_CREATE_USERS_OF: requires that SIGN_IN_USER_CLAIM is email',
    ],
    [{ SIGN_IN_ISSUER: 'http://login.example.com', SIGN_IN_CLIENT_ID: 'x' }, 'SIGN_IN_ISSUER: must be an https:// URL'],
  ])('rejects %j: a provider needs all its settings, and https', (given, message) => {
    expect(() => readConfig(given)).toThrow(message);
    const local = { SIGN_IN_ISSUER: 'http://localhost:8080', SIGN_IN_CLIENT_ID: 'x', SIGN_IN_PASSWORDS: 'off' };
    expect(readConfig(local).SIGN_IN_ISSUER).toBe('http://localhost:8080');
  });

  it('accepts sign-in without passwords with either setting of providers', () => {
    const { SIGN_IN_PROVIDERS } = readConfig({ SIGN_IN_PROVIDERS: '/etc/providers.json', SIGN_IN_PASSWORDS: 'off' });
    expect(SIGN_IN_PROVIDERS).toBe('/etc/providers.json');
  });

  it('reads lists of domains and accounts', () => {
    const issuer = { SIGN_IN_ISSUER: 'https://login.example.com', SIGN_IN_CLIENT_ID: 'x' };
    const lists = { SIGN_IN_CREATE_USERS_OF: 'acme.example, globex.example,', SIGN_IN_ACCOUNTS: ' acme ,globex' };
    expect(readConfig({ ...issuer, ...lists })).toMatchObject({
      SIGN_IN_CREATE_USERS_OF: ['acme.example', 'globex.example'],
      SIGN_IN_ACCOUNTS: ['acme', 'globex'],
    });
  });

  it('lists every invalid setting, each in a line', () => {
    expect(() => readConfig({ PORT: 'x', LOG_LEVEL: 'x' })).toThrow(/^PORT: .+\nLOG_LEVEL: .+$/);
  });

  it('repeats no value, because it may be a secret', () => {
    const values = { SERVICE_SECRETS: 'hunter2', DATABASE_URL: 'mysql://admin:hunter2@127.0.0.1/control' };
    expect(() => readConfig(values)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});

describe('describeSettings', () => {
  it('describes every setting', () => {
    expect(describeSettings().filter(({ description }) => description === '')).toEqual([]);
  });

  it('writes each default as in the environment', () => {
    const defaults = Object.fromEntries(describeSettings().map((setting) => [setting.name, setting.default]));
    expect(defaults).toMatchObject({ PORT: '4000', DATABASE_URL: undefined, GEO_HEADERS: 'none' });
  });
});

describe('docs/operations.md', () => {
  it('documents every setting with its default', () => {
    const text = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');
    const rows = text.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
    for (const { name, default: fallback, description } of describeSettings()) {
      expect(rows).toContainEqual([
        '',
        `\`${name}\``,
        fallback === undefined ? '' : `\`${fallback}\``,
        description,
        '',
      ]);
    }
  });
});
