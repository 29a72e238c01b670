import type { OnAgreed } from '../../auth/grants/authorization.js';
import type { OauthClient } from '../../auth/grants/oauth-client.js';
import { recordAgreement } from '../../changes/record-in-browser.js';
import type { BrowserVisit } from '../../changes/record-in-browser.js';
import type { OauthExchange } from './exchange.js';

/** The user and browser of an action, for the change log. */
export function visitOf({ services, visitor }: OauthExchange, user: { id: string; name: string }): BrowserVisit {
  return { user, ...visitor, now: services.now() };
}

/** Records the scopes that a user has consented to for a program. */
export function recordingAgreement(
  exchange: OauthExchange,
  user: { id: string; name: string },
  client: OauthClient,
): OnAgreed {
  return (tx, agreed) => recordAgreement(tx, visitOf(exchange, user), client, agreed);
}
