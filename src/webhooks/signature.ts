// Signatures of Standard Webhooks (https://www.standardwebhooks.com), version 1.
import { randomBytes } from 'node:crypto';
import { Webhook as Signer } from 'standardwebhooks';

const secretBytes = 32;

/** Creates a secret in the format of the Standard Webhooks libraries: `whsec_` and Base64. */
export function createSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`;
}

/**
 * Returns the signed headers of a message.
 *
 * @param id the event id, the same on each retry, so that a receiver can deduplicate.
 * @param secrets one signature per secret; a receiver that has any of them can verify the message.
 */
export function signedHeaders(
  id: string,
  time: Date,
  body: string,
  secrets: readonly string[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(time.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Signer(secret).sign(id, time, body)).join(' '),
  };
}
