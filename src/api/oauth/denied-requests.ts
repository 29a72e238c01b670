// Records denied requests to the OAuth pages and endpoints in the change logs of the accounts. For an unknown user
// nothing is recorded, so a mistyped password is never stored.
import { isClientId } from '../../auth/grants/oauth-client.js';
import type { OauthError } from '../../auth/grants/oauth-error.js';
import { browserClient } from '../../changes/record-in-browser.js';
import type { OauthExchange } from './exchange.js';

/** Records a failed sign-in. @param name the canonical name; undefined for an invalid name. */
export function noteRefusedSignIn(exchange: OauthExchange, name: string | undefined, message: string): void {
  if (name === undefined) return;
  const { services, visitor } = exchange;
  const of = { by: 'user', value: name } as const;
  services.deniedRequests.note({
    verb: 'denied',
    kind: 'SIGN_IN',
    of,
    name,
    client: browserClient,
    message,
    ...visitor,
    api: 'oauth',
  });
}

/** Records a denied action of a signed-in user. */
export function noteRefusedUser(
  { services, visitor }: OauthExchange,
  user: { id: string; name: string },
  name: string,
  message: string,
): void {
  const of = { by: 'user', value: user.name } as const;
  const actor = { actorId: user.id, client: browserClient };
  services.deniedRequests.note({
    verb: 'denied',
    kind: 'ACCESS',
    of,
    name,
    ...actor,
    message,
    ...visitor,
    api: 'oauth',
  });
}

/**
 * Records a client with a wrong secret, or with a code or token that belongs to another client or was used before.
 * Expired codes and tokens are common and are not recorded.
 */
export function noteRefusedClient({ services, visitor }: OauthExchange, { code, subject }: OauthError): void {
  const { client, authorization, reason = '' } = subject;
  if (client === undefined || !isClientId(client)) return;
  const about = {
    client: `oauth_client ${client}`,
    ...visitor,
    api: 'oauth',
    verb: 'denied',
    kind: 'ACCESS',
  } as const;
  if (code === 'invalid_client') {
    const of = { by: 'client', value: client } as const;
    services.deniedRequests.note({ ...about, of, name: 'client', message: 'Incorrect client secret.' });
    return;
  }
  const [, token, why] = /^(.*): (used before|of another client)$/.exec(reason) ?? [];
  if (authorization === undefined || why === undefined) return;
  const of = { by: 'authorization', value: authorization } as const;
  services.deniedRequests.note({ ...about, of, name: 'token', message: `The ${token} was ${why}.` });
}
