// Records denied requests to the OAuth pages and endpoints in the change logs of the accounts. For an unknown user
// nothing is recorded, so a mistyped password is never stored.
import type { OauthError } from '../../auth/grants/oauth-error.js';
import { browserClient } from '../../accounts/sign-ins.js';
import type { OauthExchange } from './exchange.js';

/** Somebody who did not get in as a user. @param name in its canonical form; undefined when nobody can have it. */
export function noteRefusedSignIn(exchange: OauthExchange, name: string | undefined, message: string): void {
  if (name === undefined) return;
  const { services, visitor } = exchange;
  const of = { by: 'user', value: name } as const;
  services.refusals.note({
    verb: 'refused',
    kind: 'SIGN_IN',
    of,
    name,
    client: browserClient,
    message,
    ...visitor,
    api: 'oauth',
  });
}

/** Somebody who is signed in, and did what they may not. */
export function noteRefusedUser(
  { services, visitor }: OauthExchange,
  user: { id: string; name: string },
  name: string,
  message: string,
): void {
  const of = { by: 'user', value: user.name } as const;
  const who = { actorId: user.id, client: browserClient };
  services.refusals.note({ verb: 'refused', kind: 'ACCESS', of, name, ...who, message, ...visitor, api: 'oauth' });
}

/**
 * A client that brought a wrong secret, or what was somebody else’s or used before. What is only old happens every day, and
 * is no refusal of a right.
 */
export function noteRefusedClient({ services, visitor }: OauthExchange, { code, subject }: OauthError): void {
  const { client, authorization, reason = '' } = subject;
  // No other text is the id of a client.
  if (client === undefined || !/^[a-z0-9-]{1,49}$/.test(client)) return;
  const about = {
    client: `oauth_client ${client}`,
    ...visitor,
    api: 'oauth',
    verb: 'refused',
    kind: 'ACCESS',
  } as const;
  if (code === 'invalid_client') {
    const of = { by: 'client', value: client } as const;
    services.refusals.note({ ...about, of, name: 'client', message: 'Incorrect client secret.' });
    return;
  }
  const [, what, why] = /^(.*): (used before|of another client)$/.exec(reason) ?? [];
  if (authorization === undefined || why === undefined) return;
  const of = { by: 'authorization', value: authorization } as const;
  services.refusals.note({ ...about, of, name: 'token', message: `The ${what} was ${why}.` });
}
