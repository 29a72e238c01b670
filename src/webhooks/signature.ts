// What a receiver verifies by: the Standard Webhooks specification (https://www.standardwebhooks.com), version 1.
import { randomBytes } from 'node:crypto';
import { Webhook as Signer } from 'standardwebhooks';

const secretBytes = 32;

/** A new secret as receivers' libraries take it: whsec_ and Base64. */
export function createSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`;
}

/**
 * The headers of a message.
 *
 * @param id the same whenever the same event is sent, so that a receiver can tell.
 * @param secrets each gives a signature: a receiver that has either of them verifies it.
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
