import { z } from 'zod';
import { logsTemplate } from './logs-template.js';
import { isWeakSecret } from './weak-secret.js';
import { isoDate, nonEmpty, trimmedUrl, wholeNumber } from './setting-forms.js';

/** The minimum length of a secret (characters). */
export const secretLengthMin = 32;

const serviceSecret = z
  .string()
  .min(secretLengthMin, `must be secrets of at least ${secretLengthMin} characters, separated by commas`)
  .refine((secret) => !isWeakSecret(secret), {
    error:
      'must be random secrets, not a placeholder, sequence or repeated pattern. Create one with: openssl rand -hex 32',
    when: ({ issues }) => issues.length === 0,
  });

/** Addresses, names, secrets and shutdown of the service. */
export const serviceSettings = {
  HOST: nonEmpty.default('127.0.0.1').describe('Network address to listen on. Use `0.0.0.0` in a container.'),
  PORT: wholeNumber(0, 65535).default(4000).describe('Port to listen on. 0 selects a free port.'),
  SERVICE_SECRETS: z
    .string()
    .transform((list) => list.split(',').map((secret) => secret.trim()))
    .pipe(z.array(serviceSecret).min(1))
    .optional()
    .describe(
      'Secrets that encrypt cursors, signing keys and stored secrets, separated by commas. The first encrypts, all ' +
        'decrypt. Required with DATABASE_URL. An embedded database has its own secret in DATA_DIR.',
    ),
  SERVICE_NAME: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be letters, digits and hyphens, starting with a letter')
    .default('Service')
    .describe(
      'Name of the service in HTTP headers: `<Name>-Version`, `X-<Name>-Workspace` and `X-<Name>-Authorization`.',
    ),
  DEFAULT_API_VERSION: isoDate
    .default('2026-04-27')
    .describe(
      'API version of requests without a version header (YYYY-MM-DD). Before 2026-04-28, lists are bare arrays.',
    ),
  PUBLIC_URL: trimmedUrl
    .optional()
    .describe(
      'URL at which clients reach this service. Default: http://localhost:PORT. ' +
        'The issuer of access tokens is this URL with /v0.',
    ),
  INFERENCE_URL: trimmedUrl
    .optional()
    .describe('Global inference URL, the prefix of every `metadata.url`. Default: PUBLIC_URL with /inference.'),
  LOGS_URL: logsTemplate
    .optional()
    .describe(
      'Template of links to logs, such as `https://logs.example.com/{workspace}/{name}?from={from}&to={to}`. ' +
        'Placeholders: {kind}, {workspace}, {name}, {execution}, {task}, {from}, {to}.',
    ),
  SHUTDOWN_DELAY_MS: wholeNumber(0, 600_000)
    .default(2000)
    .describe('Time after SIGTERM in which new requests are still served while /readyz returns 503 (ms).'),
  SHUTDOWN_GRACE_MS: wholeNumber(0, 600_000)
    .default(20000)
    .describe('Maximum time that requests in flight have to finish after SIGTERM (ms).'),
};
