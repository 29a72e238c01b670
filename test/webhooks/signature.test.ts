import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { createSecret, signedHeaders } from '../../src/webhooks/signature.js';

const body = '{"type":"agent.updated"}';

describe('Signed headers', () => {
  it('are verified by the Standard Webhooks library, with either of two secrets', () => {
    const secrets = [createSecret(), createSecret()];
    const headers = signedHeaders('an-id', new Date(), body, secrets);
    for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(createSecret()).verify(body, headers)).toThrow('No matching signature');
    expect(() => new Webhook(secrets[0] ?? '').verify(`${body} `, headers)).toThrow('No matching signature');
    expect(() => new Webhook(secrets[0] ?? '').verify(body, { ...headers, 'webhook-id': 'other' })).toThrow(
      'No matching signature',
    );
  });

  it('match the example of the specification', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const headers = signedHeaders('msg_p5jXN8AQM9LWM0D4loKWxJek', new Date(1_614_265_330_000), '{"test": 2432232314}', [
      secret,
    ]);
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('use unique secrets of 32 bytes', () => {
    const secrets = Array.from({ length: 10 }, createSecret);
    expect(new Set(secrets).size).toBe(10);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    }
  });
});
