import type { OnAgreed } from '../../auth/grants/authorization.js';
import { recordAgreement } from '../../accounts/sign-ins.js';
import type { BrowserVisit } from '../../accounts/sign-ins.js';
import type { OauthExchange } from './exchange.js';

/** Who does something in this browser, for the history. */
export function visitOf({ services, visitor }: OauthExchange, user: { id: string; name: string }): BrowserVisit {
  return { user, ...visitor, now: services.now() };
}

/** Records what a user lets a program do, when they have agreed to it. */
export function recordingAgreement(
  exchange: OauthExchange,
  user: { id: string; name: string },
  clientId: string,
): OnAgreed {
  return (tx, agreed) => recordAgreement(tx, visitOf(exchange, user), clientId, agreed);
}
