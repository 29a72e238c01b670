import { z } from 'zod';
import { isWeakSecret } from './weak-secret.js';
import { isoDate, trimmedAddress, wholeNumber } from './setting-forms.js';

const serviceSecret = z
  .string()
  .min(32, 'must hold secrets of at least 32 characters, separated by commas')
  .refine((secret) => !isWeakSecret(secret), {
    error:
      'must hold random secrets, not a placeholder, a sequence or a repeated pattern; create one with: openssl rand -hex 32',
    when: ({ issues }) => issues.length === 0,
  });

/** Where the service is, what it is called, and how it stops. */
export const serviceSettings = {
  HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on.'),
  PORT: wholeNumber(0, 65535).default(4000).describe('Port to listen on; 0 takes a free one.'),
  SERVICE_SECRETS: z
    .string()
    .transform((list) => list.split(',').map((secret) => secret.trim()))
    .pipe(z.array(serviceSecret).min(1))
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
  SHUTDOWN_DELAY_MS: wholeNumber(0, 600_000)
    .default(2000)
    .describe('How long after SIGTERM new requests are still served while /readyz answers 503, in milliseconds.'),
  SHUTDOWN_GRACE_MS: wholeNumber(0, 600_000)
    .default(20000)
    .describe('Time that requests in flight have to finish after SIGTERM, in milliseconds.'),
};
